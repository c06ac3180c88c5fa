// The inspector: opens pages, holds the state (method, threshold, block), and updates the views and panels.

import { announce, bindTabs, capital, debounce, isTyping, make, request, toast } from "./shell.js";
import { PageView, STATES } from "./pageview.js";
import { BlockPanel } from "./blockpanel.js";
import { ResultPanel } from "./resultpanel.js";
import { FiguresPanel } from "./figures.js";
import { BlockList } from "./blocklist.js";
import { startScreen } from "./opening.js";

const $ = (id) => document.getElementById(id);
const NARROW = "(max-width: 860px)"; // as in style.css
const LEAST = 1.2e-38; // at threshold 0 a block still needs a score above 0
const [NONE, KEEP, DROP, , ONLY, LOST] = STATES.keys();

const app = {
  key: location.pathname.startsWith("/pages/") ? location.pathname.split("/")[2] : "",
  shelf: null,
  page: null, // columns over the blocks
  method: "",
  other: "",
  threshold: 0.5,
  block: -1,
  hovered: -1,
};

let views = [];
let panels = {};

// ---- what is kept ----

function kept(method) {
  const scores = app.page.scores[method];
  const limit = Math.max(app.threshold, LEAST);
  const result = new Uint8Array(app.page.count);
  for (let block = 0; block < result.length; block++) result[block] = scores[block] >= limit && app.page.full[block] ? 1 : 0;
  return result;
}

function levelsOf(method, mine) {
  const scores = app.page.scores[method];
  const levels = new Uint8Array(scores.length);
  for (let block = 0; block < levels.length; block++) {
    levels[block] = Math.min(9, Math.floor(10 * (mine[block] ? scores[block] : 1 - scores[block])));
  }
  return levels;
}

function paint() {
  if (!app.page) return;
  app.kept = kept(app.method);
  app.keptOther = app.other ? kept(app.other) : null;
  const sides = [[app.method, app.kept, app.keptOther], [app.other, app.keptOther, app.kept]];
  views.forEach((view, side) => {
    const [method, mine, theirs] = sides[side];
    if (!mine) return;
    const states = new Uint8Array(mine.length);
    for (let block = 0; block < states.length; block++) {
      if (!theirs || mine[block] === theirs[block]) states[block] = mine[block] ? KEEP : DROP;
      else states[block] = mine[block] ? ONLY : LOST;
    }
    view.paint(states, levelsOf(method, mine));
  });
  legend();
  panels.block.refresh();
  panels.list.refresh();
  panels.figures.refresh();
}

function differences() {
  const blocks = [];
  if (!app.keptOther) return blocks;
  for (let block = 0; block < app.kept.length; block++) if (app.kept[block] !== app.keptOther[block]) blocks.push(block);
  return blocks;
}

function legend() {
  const count = app.kept.reduce((sum, keeps) => sum + keeps, 0);
  const entry = (kind, number, label) => make("span", {}, [make(`i.swatch.${kind}`), make("b", { text: number.toLocaleString("en") }), label]);
  const words = app.page.words.reduce((sum, number, block) => sum + (app.kept[block] ? number : 0), 0);
  const entries = [
    make("span", { id: "answer-line" }, [make("i.swatch.keep"), make("span", {}, [make("b", { text: count.toLocaleString("en") }), ` of ${app.page.count.toLocaleString("en")} blocks kept, `, make("b", { text: words.toLocaleString("en") }), " words"])]),
    make("span", {}, [
      count ? make("button.quiet.small.to-first", { type: "button", text: "first kept block", onclick: showAnswer }) : "",
      make("button.quiet.small", { type: "button", text: "top of page", onclick: () => views.forEach((view) => { view.scrollShare = 0; }) }),
    ]),
  ];
  if (app.other) {
    const blocks = differences();
    const mine = blocks.filter((block) => app.kept[block]).length;
    entries.splice(0, 2, entry("only", mine, `only ${app.method}`), entry("lost", blocks.length - mine, `only ${app.other}`));
    if (blocks.length) {
      const step = (way, text) => make("button.quiet.small", { type: "button", text, onclick: () => nextDifference(way), title: way > 0 ? "Next difference (n)" : "Previous difference (p)" });
      entries.push(make("span", {}, [step(-1, "‹ previous"), step(1, "next ›")]));
    } else entries.push(make("span", { text: "no differences" }));
  }
  $("legend").replaceChildren(...entries);
}

// Scrolls to the first kept block that the page shows. Where the style hides most of them, Plain is offered.
function showAnswer() {
  const blocks = [...app.kept.keys()].filter((block) => app.kept[block] && app.page.seen[block]);
  const shown = blocks.filter((block) => views[0].isShown(block));
  if (shown.length) views[0].scrollTo(shown[0]);
  const plain = document.querySelector('[name="view"]:checked').value === "plain";
  $("plain-offer").hidden = plain || !blocks.length || 2 * shown.length >= blocks.length;
}

function nextDifference(way) {
  const blocks = differences();
  if (!blocks.length) return;
  const here = app.block;
  const next = way > 0 ? blocks.find((block) => block > here) ?? blocks[0] : blocks.findLast((block) => block < here) ?? blocks.at(-1);
  choose(next);
}

// ---- hovering and choosing ----

function hover(block, from = null) {
  if (block === app.hovered || !panels.block) return; // the page may be shown before its blocks are known
  app.hovered = block;
  for (const view of views) if (view !== from) view.hover(block);
  panels.block.hover(block);
  panels.list.mark();
  panels.figures.mark();
}

function choose(block, { from = null, scroll = true } = {}) {
  app.block = block;
  if (!panels.block) return;
  for (const view of views) if (view !== from) view.select(block, { scroll });
  panels.block.hold(block);
  panels.list.mark({ scroll: true });
  panels.figures.mark();
  remember();
  if (block >= 0) {
    const score = app.page.scores[app.method][block];
    announce(`Block ${block + 1} of ${app.page.count}, ${app.page.kinds[app.page.kind[block]]}, ${app.kept[block] ? "kept" : "dropped"}, score ${score.toFixed(2)}. ${app.page.texts[block].slice(0, 160)}`);
  }
}

function group(first, stop, scroll = false) {
  for (const view of views) {
    view.group(first, stop);
    if (scroll) view.scrollTo(first);
  }
}

// ---- the tools ----

function setMethod(method, other) {
  app.method = method;
  const compares = other && other !== method && app.page.scores[other];
  const before = Boolean(app.other);
  app.other = compares ? other : "";
  $("method").value = method;
  $("other").value = app.other;
  if (before !== Boolean(app.other)) showSecond();
  heads();
  paint();
  panels.result.load();
  remember();
}

function heads() {
  const title = (method) => [make("b", { text: method }), make("span", { text: app.page.about[method] ?? "" })];
  $("head-a").replaceChildren(...(app.other ? title(app.method) : []));
  $("head-b").replaceChildren(...(app.other ? title(app.other) : []));
}

const loadResult = debounce(() => panels.result.load(), 200);

function setThreshold(value) {
  app.threshold = value;
  $("threshold").value = value;
  $("threshold").setAttribute("aria-valuetext", `${value.toFixed(2)}`);
  $("threshold-value").textContent = value.toFixed(2);
  for (const button of $("presets").children) button.setAttribute("aria-pressed", String(Number(button.value) === value));
  paint();
  loadResult();
  remember();
}

const frameAddress = () => `/pages/${app.key}/frame${document.querySelector('[name="view"]:checked').value === "plain" ? "?plain=1" : ""}`;

function makeView(host, label) {
  const view = new PageView(host, {
    label,
    onHover: (block) => hover(block, view),
    onSelect: (block) => { choose(block, { from: view }); showDetails(); },
    onKey: (event) => press(event),
    onScroll: () => follow(view),
  });
  return view;
}

function showDetails() {
  openSheet(true);
  if (!matchMedia(NARROW).matches) return;
  if ($("panel-block").hidden) $("tab-block").click();
  requestAnimationFrame(() => views.forEach((view) => view.scrollTo(app.block))); // the sheet may cover it
}

let leading = null; // the view that the user scrolls; the other follows
const rest = debounce(() => { leading = null; }, 150);

function follow(view) {
  if (views.length < 2) return;
  leading ??= view;
  rest();
  if (leading === view) views.find((other) => other !== view).scrollShare = view.scrollShare;
}

async function showFrame(view) {
  await view.show(frameAddress());
  view.dim($("dim").checked);
  view.reveal($("reveal").checked);
  if (app.block >= 0) view.select(app.block);
  else if (app.kept) showAnswer();
}

function showSecond() {
  const pane = $("view-b").parentElement;
  pane.hidden = !app.other;
  if (app.other && views.length === 1) {
    views.push(makeView($("view-b"), `The page by the other method`));
    showFrame(views[1]);
  } else if (!app.other && views.length === 2) {
    views.pop().destroy();
  }
}

// The state is in the address, so that a reload or a bookmark comes back to it.
const remember = debounce(() => {
  const state = new URLSearchParams();
  if (app.method !== app.shelf.methods[0]) state.set("method", app.method);
  if (app.other) state.set("compare", app.other);
  if (app.threshold !== app.shelf.boundary) state.set("threshold", app.threshold.toFixed(2));
  if (app.block >= 0) state.set("block", app.block);
  const tab = document.querySelector('[role="tab"][aria-selected="true"]').id.slice(4);
  if (tab !== "block") state.set("tab", tab);
  history.replaceState(null, "", `${location.pathname}${String(state) ? `#${state}` : ""}`);
}, 120);

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const acts = {
    j: () => views[0].move(1), k: () => views[0].move(-1),
    n: () => nextDifference(1), p: () => nextDifference(-1),
    "+": () => setThreshold(Math.min(1, Math.round(app.threshold * 100 + 5) / 100)),
    "-": () => setThreshold(Math.max(0, Math.round(app.threshold * 100 - 5) / 100)),
    Escape: () => { choose(-1); openSheet(false); },
  };
  const act = acts[event.key];
  if (!act || !app.page) return;
  event.preventDefault();
  act();
}

function listenToTabs() {
  bindTabs();
  document.addEventListener("chosen", (event) => {
    panels[event.target.id.slice(4)]?.shown?.();
    openSheet(true);
    remember();
  });
}

function fillTools() {
  const option = (name, text = name) => make("option", { value: name, text });
  const own = app.shelf.model.split(/[\\/]/).pop();
  const options = () => app.shelf.methods.map((name, number) => option(name, own && !number ? `${name}, ${own}` : name));
  $("method").replaceChildren(...options());
  $("other").replaceChildren(option("", "nothing"), ...options());
  $("presets").replaceChildren(...Object.entries(app.shelf.presets).map(([name, value]) =>
    make("button", { type: "button", value, text: name, "aria-pressed": "false", onclick: () => setThreshold(value) })));
  $("method").addEventListener("change", () => setMethod($("method").value, app.other));
  $("other").addEventListener("change", () => setMethod(app.method, $("other").value));
  $("threshold").addEventListener("input", () => setThreshold(Number($("threshold").value)));
  for (const radio of document.querySelectorAll('[name="view"]')) radio.addEventListener("change", () => views.forEach(showFrame));
  $("dim").addEventListener("change", () => views.forEach((view) => view.dim($("dim").checked)));
  $("reveal").addEventListener("change", () => views.forEach((view) => view.reveal($("reveal").checked)));
  $("plain-show").addEventListener("click", () => {
    const plain = document.querySelector('[name="view"][value="plain"]');
    plain.checked = true;
    plain.dispatchEvent(new Event("change"));
  });
  $("fold").addEventListener("click", () => $("fold").setAttribute("aria-expanded", String($("fold").getAttribute("aria-expanded") !== "true")));
  $("sheet-close").addEventListener("click", () => { openSheet(false); views[0].focus(); });
  document.addEventListener("keydown", press);
}

// On a narrow screen the details are a sheet from below; elsewhere this changes nothing.
function openSheet(open) {
  $("side").classList.toggle("open", open);
}

function nameBar() {
  const open = make("a.button.small", { href: document.querySelector(".bar nav [aria-current]")?.href ?? "/", text: "Open another" });
  const name = make("span.page-name", { title: app.page.name }, [make("b", { text: app.page.title || app.page.name })]);
  $("bar-slot").replaceChildren(name, make("span.verdict-chips", { id: "verdict" }), open);
  document.title = `${app.page.title || app.page.name} · bodytext`;
}

function note(text) {
  $("note").textContent = text ? `${capital(text)}${text.endsWith(".") ? "" : "."}` : "";
  $("note").hidden = !text;
}

// What the method says about the page as a whole, and why the text is empty or doubtful if it is.
function verdict(about) {
  const sure = about.confidence === null ? null : make("span.chip", { title: "The F1 that the method expects of this answer", text: `confidence ${about.confidence.toFixed(2)}` });
  $("verdict").replaceChildren(...[about.page_type ? make("span.chip", { text: about.page_type }) : null, sure].filter(Boolean));
  note(about.reason || (about.origin ? `the page does not show its text: it was found in ${about.origin}` : app.page.note));
}

async function openPage() {
  $("work").hidden = false;
  const chosen = new URLSearchParams(location.hash.slice(1));
  views = [makeView($("view-a"), undefined)];
  const shown = showFrame(views[0]); // the page loads while its blocks are scored
  app.page = await request(`/api/pages/${app.key}`);
  app.page.full = Uint8Array.from(app.page.texts, (text) => (text ? 1 : 0));
  panels = {
    block: new BlockPanel($("panel-block"), app, { choose, move: (step) => views[0].move(step) }),
    result: new ResultPanel($("panel-result"), $("panel-about"), app, verdict),
    figures: new FiguresPanel($("panel-figures"), app, { hover, choose, group }),
    list: new BlockList($("panel-list"), app, { hover, choose }),
  };
  panels.about = panels.result;
  listenToTabs();
  fillTools();
  nameBar();
  note(app.page.note);
  const method = app.page.scores[chosen.get("method")] ? chosen.get("method") : app.shelf.methods[0];
  const threshold = Number(chosen.get("threshold") ?? app.shelf.boundary);
  const block = Number(chosen.get("block") ?? -1);
  app.method = method;
  app.threshold = threshold >= 0 && threshold <= 1 ? threshold : app.shelf.boundary;
  setThreshold(app.threshold);
  if (block >= 0 && block < app.page.count) choose(block);
  else if (app.block >= 0) choose(app.block, { scroll: false }); // clicked while all this was loading
  setMethod(method, chosen.get("compare") ?? "");
  $(`tab-${chosen.get("tab")}`)?.click();
  await shown;
  if (app.block < 0) showAnswer();
}

async function start() {
  try {
    app.shelf = await request("/api/pages");
    if (app.key) await openPage();
    else startScreen(app.shelf);
  } catch (problem) {
    $("work").hidden = true;
    startScreen(app.shelf ?? { pages: [] }, problem.message);
  }
}

// A file can be dropped anywhere, not only on the start screen.
window.addEventListener("dragover", (event) => event.preventDefault());
window.addEventListener("drop", async (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files?.[0];
  if (!file || event.target.closest?.("#drop")) return;
  try {
    const { key } = await request(`/api/pages?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    location.assign(`/pages/${key}`);
  } catch (problem) {
    toast(problem.message);
  }
});

start();
