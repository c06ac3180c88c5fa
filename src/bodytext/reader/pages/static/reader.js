// What a script adds to pages that work without one: forms that stay on the page, keys, and reading progress.
import { announce, make, request, toast } from "/static/shell.js";

document.documentElement.classList.add("scripted");
const root = document.documentElement;
const section = document.body.dataset.section;

// ---- forms ----
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  event.preventDefault();
  const button = event.submitter;
  if (button?.dataset.confirm && !confirm(button.dataset.confirm)) return;
  await send(form, button);
});

async function send(form, button) {
  const wrong = form.querySelector(".wrong");
  if (wrong) wrong.hidden = true;
  const fields = new FormData(form, button ?? undefined);
  const hasFile = form.enctype === "multipart/form-data";
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await request(form.getAttribute("action"), { method: "POST", body: hasFile ? fields : new URLSearchParams(fields) });
    applyAnswer(form, button, answer);
  } catch (problem) {
    if (wrong) {
      wrong.textContent = problem.message;
      wrong.hidden = false;
      announce(problem.message);
    } else toast(problem.message);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

function applyAnswer(form, button, answer) {
  const action = form.getAttribute("action");
  if (action === "/do/settings") applySettings(form, answer);
  if (action === "/do/mark" && answer.state) applyState(form, button, answer);
  if (action === "/do/category") applyCategory(form, answer);
  if (action === "/do/update") watch();
  if ("reload" in form.dataset) {
    if (answer.message) sessionStorage.setItem("message", answer.message);
    if (answer.path && answer.path !== location.pathname + location.search) location.assign(answer.path);
    else location.reload();
  } else if (answer.path) location.assign(answer.path);
  else if (answer.message) toast(answer.message);
}

function applySettings(form, settings) {
  for (const name of ["theme", "size", "width", "pictures"]) {
    const before = root.dataset[name];
    root.dataset[name] = settings[name];
    if (name === "pictures" && before !== String(settings[name])) location.reload();
  }
  for (const button of form.querySelectorAll(".choice")) {
    if (button.name in settings && button.name !== "size") button.setAttribute("aria-pressed", String(String(settings[button.name]) === button.value));
  }
  if (form.classList.contains("sheet") && section === "front" && "summary" in settings && form.dataset.summary !== String(settings.summary)) {
    if (form.dataset.summary) location.reload();
    form.dataset.summary = settings.summary;
  }
  document.dispatchEvent(new CustomEvent("themechange"));
}

function applyState(form, button, { state }) {
  const card = form.closest(".card");
  card?.classList.toggle("kept", Boolean(state.saved));
  for (const mark of form.querySelectorAll(".mark")) {
    const isSet = mark.name === "liked" ? state.liked === Number(mark.dataset.wanted) : Boolean(state[mark.name]);
    mark.setAttribute("aria-pressed", String(isSet));
    mark.value = isSet ? 0 : mark.dataset.wanted;
  }
  if (card && button?.name === "hidden" && state.hidden) hide(card, button);
}

function hide(card, button) {
  const links = [...document.querySelectorAll(".card h3 a")];
  const at = links.indexOf(card.querySelector("h3 a"));
  const undo = make("button.small.button", { text: "Undo", type: "button", onclick: () => {
    line.replaceWith(card);
    button.click();
    card.querySelector("h3 a").focus();
  } });
  const line = make("p.hidden-now", {}, ["Hidden", undo]);
  card.replaceWith(line);
  (links[at + 1] ?? links[at - 1])?.focus();
}

function applyCategory(form, { category }) {
  const name = category[0].toUpperCase() + category.slice(1);
  const question = form.closest(".kicker")?.querySelector("form.question");
  if (form.closest(".card")) {
    question.replaceWith(make("a.category", { text: name, href: `/?category=${encodeURIComponent(category)}` }));
    return;
  }
  question?.remove();
  const menu = document.querySelector("details.category");
  menu.querySelector("summary").textContent = name;
  menu.open = false;
  for (const button of menu.querySelectorAll(".choice")) button.setAttribute("aria-pressed", String(button.value === category));
  form.reset();
}

for (const input of document.querySelectorAll(".import input[type=file]")) {
  input.addEventListener("change", () => input.files.length && input.form.requestSubmit());
}
for (const button of document.querySelectorAll(".sheet .summaries .choice[aria-pressed=true]")) button.form.dataset.summary = button.value;

// ---- a picture that cannot be loaded leaves no hole ----
function replacePicture(image) {
  const picture = image.closest(".card-picture");
  if (picture) {
    picture.closest(".card").classList.remove("pictured");
    picture.remove();
  } else image.replaceWith(make("span.withheld", {}, [make("span", { text: image.alt || "This picture could not be loaded" })]));
}
document.addEventListener("error", (event) => event.target instanceof HTMLImageElement && replacePicture(event.target), true);
for (const image of [...document.images]) if (image.complete && !image.naturalWidth) replacePicture(image);

// ---- a click elsewhere closes menus ----
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

// ---- updates ----
const updating = document.querySelector("form.update");
let watching = false;

async function watch() {
  if (watching || !updating) return;
  watching = true;
  updating.classList.add("running");
  const words = updating.querySelector(".update-words");
  let shown = 0;
  for (;;) {
    let status;
    try {
      status = await request("/status");
    } catch (problem) {
      words.textContent = problem.message;
      break;
    }
    words.textContent = status.message;
    shown = Math.max(shown, status.stored);
    if (!status.running) {
      finishUpdate(status, shown);
      break;
    }
    await new Promise((done) => setTimeout(done, 700));
  }
  updating.classList.remove("running");
  watching = false;
}

function finishUpdate(status, shown) {
  const fresh = (section === "front" && shown && scrollY < 200) || section === "feeds";
  if (fresh && !document.querySelector("details[open], input:focus")) {
    sessionStorage.setItem("message", status.message);
    location.reload();
  } else toast(status.message);
}

if (updating?.classList.contains("running")) watch();
if (section === "front") watchForNews();

function watchForNews() { // of scheduled updates: the page stays as it is until the user asks for them
  let ended = Number(updating.dataset.ended);
  let fresh = 0;
  const button = make("button.button.fresh", { type: "button", onclick: () => location.reload() });
  const look = async () => {
    if (document.hidden || watching) return;
    const status = await request("/status").catch(() => ({ running: true }));
    if (status.running || status.ended === ended) return;
    ended = status.ended;
    fresh += status.stored;
    if (!fresh) return;
    button.textContent = fresh === 1 ? "A new article: show it" : `${fresh} new articles: show them`;
    announce(button.textContent);
    document.querySelector(".masthead").append(button); // styles depend on what follows the masthead
  };
  setInterval(look, 60_000);
  document.addEventListener("visibilitychange", look);
}

const message = sessionStorage.getItem("message");
if (message) {
  sessionStorage.removeItem("message");
  toast(message);
}

// ---- lists: the order of their articles, and the last one that was read ----
const text = document.querySelector("article.text");
const recall = (name, otherwise) => JSON.parse(sessionStorage.getItem(name) ?? JSON.stringify(otherwise));
const remember = (name, value) => sessionStorage.setItem(name, JSON.stringify(value));
const cameFromArticle = new URL(document.referrer || location).pathname.startsWith("/article/");
let before = -1; // the number of the card before the one that j selects first
if (text) follow(text);
else list();

function list() {
  const cards = [...document.querySelectorAll(".card")];
  const shown = cards.map((card) => card.dataset.id);
  if (cameFromArticle || performance.getEntriesByType("navigation")[0]?.type === "back_forward") {
    const last = recall("last", "");
    const at = recall("order", []).indexOf(last);
    if (at >= 0 && shown[at] === last) cards[at].querySelector("h3 a").focus({ preventScroll: true });
    else before = at - 1; // the article that was read is no longer in its place
  }
  if (!shown.length) return;
  remember("order", shown);
  remember("list", location.pathname + location.search);
}

// ---- reading without the server: the articles of this list are kept ----
navigator.serviceWorker?.register("/offline.js").then(() => navigator.serviceWorker.ready).then(({ active }) => {
  if (!text) active.postMessage({ paths: [...document.querySelectorAll(".card h3 a")].map((link) => new URL(link.href).pathname) });
}).catch(() => {});

// ---- highlights ----
if (text) addEventListener("DOMContentLoaded", () => followSelection(text.querySelector(".body"), document.querySelector("form.note-form")));

function followSelection(body, form) {
  const button = make("button.button.small.mark-passage", { type: "button", text: "Highlight", hidden: true, onclick: () => keepPassage() });
  document.body.append(button);
  const keepPassage = () => {
    form.elements.quote.value = String(getSelection()).trim();
    form.requestSubmit(form.querySelector("button"));
  };
  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    button.hidden = selection.isCollapsed || !body.contains(selection.anchorNode) || !body.contains(selection.focusNode);
    if (button.hidden) return;
    const { bottom, left } = selection.getRangeAt(0).getBoundingClientRect();
    button.style.setProperty("top", `${bottom + scrollY + 6}px`);
    button.style.setProperty("left", `${Math.max(8, Math.min(left + scrollX, innerWidth - 120))}px`);
  });
  ACTIONS.e = () => !button.hidden && keepPassage();
  if (!("highlights" in CSS)) return;
  const quotes = [...document.querySelectorAll("[data-quote]")].map((quote) => quote.textContent);
  CSS.highlights.set("kept", new Highlight(...quotes.flatMap((quote) => findRange(body, quote) ?? [])));
}

function findRange(body, quote) { // where a quote is in the text, whatever its elements and white space
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const places = [];
  let flat = "";
  while (walker.nextNode()) {
    const { data } = walker.currentNode;
    for (let at = 0; at < data.length; at += 1) {
      if (/\s/.test(data[at])) continue;
      places.push([walker.currentNode, at]);
      flat += data[at];
    }
  }
  const wanted = quote.replace(/\s/g, "");
  const start = flat.indexOf(wanted);
  if (start < 0 || !wanted) return null;
  const range = new Range();
  range.setStart(...places[start]);
  const [node, at] = places[start + wanted.length - 1];
  range.setEnd(node, at + 1);
  return range;
}

// ---- reading progress ----

function follow(article) {
  const line = make("div.progress", { "aria-hidden": "true" });
  document.body.append(line);
  const opened = performance.now();
  const end = document.getElementById("end");
  const report = (name) => request("/do/mark", { method: "POST", body: new URLSearchParams({ article: article.dataset.id, [name]: "1" }) });
  let visible = 0; // seconds
  const clock = setInterval(() => {
    visible += !document.hidden;
    if (visible < 10) return; // a shorter opening teaches nothing
    clearInterval(clock);
    report("read").catch(() => {});
  }, 1000);
  let finished = false;
  const look = () => {
    const room = end.offsetTop + end.offsetParent.offsetTop - innerHeight;
    const share = room > 0 ? Math.min(1, scrollY / room) : 1;
    line.style.setProperty("transform", `scaleX(${share})`);
    const seconds = (performance.now() - opened) / 1000;
    const least = Math.min(20, article.querySelector(".body").textContent.length / 200); // seconds; nobody reads faster
    if (share >= 1 && seconds >= least && !finished) {
      finished = true;
      report("finished").catch(() => { finished = false; });
    }
  };
  addEventListener("scroll", look, { passive: true });
  addEventListener("resize", look);
  setInterval(look, 1000);
  look();
  remember("last", article.dataset.id);
  const order = recall("order", []);
  const here = order.indexOf(article.dataset.id);
  article.dataset.previous = here > 0 ? order[here - 1] : "";
  article.dataset.next = here >= 0 ? order[here + 1] ?? "" : "";
}

// ---- keys ----
const KEYS = [
  ["j k", "next and previous article"], ["Enter", "open it"], ["s", "save for later"], ["l d", "more or less like this"], ["h", "hide"],
  ["n p", "while reading: next and previous article"], ["o", "original page"], ["c", "correct the category"], ["e", "highlight the marked passage"], ["+ −", "text size"], ["t", "colours"],
  ["m", "show the pictures of this article"], ["/", "search"], ["g", "then f, s, a or y: front page, saved, subscriptions, you"], ["r", "personal order or newest first"], ["u", "check for news"], ["Esc", "back"], ["?", "these keys"],
];
let leader = -Infinity; // when g was pressed

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input:not([type=radio]), textarea, select, dialog[open]"); // a closed dialog may hold the focus until the next frame
  if (typing) {
    if (event.key === "Escape") typing.blur?.();
    return;
  }
  if (performance.now() - leader < 3000) {
    leader = -Infinity;
    const path = { f: "/", s: "/saved", a: "/feeds", y: "/you" }[event.key];
    if (path) return go(path);
  }
  const act = ACTIONS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

const go = (path) => location.assign(path);
const press = (selector, around = document) => around.querySelector(selector)?.click();
const current = () => document.activeElement?.closest(".card") ?? text;
const mark = (key) => () => press(`.mark[data-key="${key}"]`, current() ?? document);

function move(step) {
  if (text) {
    scrollBy({ top: step * innerHeight * 0.85, behavior: "smooth" });
    return;
  }
  const links = [...document.querySelectorAll(".card h3 a")];
  const at = links.indexOf(document.activeElement?.closest(".card")?.querySelector("h3 a"));
  const next = links[at >= 0 ? at + step : before >= 0 ? before + (step > 0) : step > 0 ? 0 : links.length - 1];
  next?.focus({ preventScroll: true });
  next?.closest(".card").scrollIntoView({ block: "center", behavior: "smooth" });
}

const ACTIONS = {
  j: () => move(1), k: () => move(-1), ArrowRight: () => text && ACTIONS.n(), ArrowLeft: () => text && ACTIONS.p(),
  s: mark("s"), l: mark("l"), d: mark("d"), h: mark("h"),
  n: () => (text?.dataset.next ? go(`/article/${text.dataset.next}`) : press(text ? "a.following" : "a.older")),
  p: () => (text?.dataset.previous ? go(`/article/${text.dataset.previous}`) : history.back()),
  o: () => (text ? press('a[data-key="o"]') : press("h3 a", current() ?? document)),
  c: () => openCategories(), m: () => press(".pictures-note button"),
  u: () => updating?.requestSubmit(), g: () => { leader = performance.now(); },
  r: () => press('.order .choices [aria-pressed="false"]'),
  t: () => cycleTheme(), "+": () => press('.sizes [value="+"]'), "=": () => press('.sizes [value="+"]'), "-": () => press('.sizes [value="-"]'),
  "/": () => focusSearch(), "?": () => showKeys(),
  Escape: () => {
    const open = document.querySelector("details.menu[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    } else if (text) leave();
  },
};

function leave() { // to the list, even if several articles were read since
  if (cameFromArticle || history.length < 2) go(recall("list", "/"));
  else history.back();
}

function openCategories() {
  const menu = document.querySelector("details.category");
  if (!menu) return;
  menu.open = true;
  (menu.querySelector('.choice[aria-pressed="true"]') ?? menu.querySelector(".choice")).focus();
}

function cycleTheme() {
  const choices = [...document.querySelectorAll(".themes .choice")];
  const at = choices.findIndex((button) => button.getAttribute("aria-pressed") === "true");
  choices[(at + 1) % choices.length]?.click();
}

function focusSearch() {
  const input = [...document.querySelectorAll("input[type=search]")].reverse().find((field) => field.checkVisibility({ visibilityProperty: true }));
  if (input) input.select();
  else go("/search");
}

function showKeys() {
  let dialog = document.querySelector("dialog.keys-help");
  if (!dialog) {
    const list = KEYS.flatMap(([keys, words]) => [
      make("dt", {}, keys.split(" ").map((key) => make("kbd", { text: key.replace(",", "") }))), make("dd", { text: words })]);
    dialog = make("dialog.keys-help", { "aria-label": "Keys" }, [
      make("h2", { text: "Keys" }), make("dl", {}, list),
      make("form", { method: "dialog" }, [make("button.button", { text: "Close" })])]);
    document.body.append(dialog);
  }
  dialog.showModal();
}
