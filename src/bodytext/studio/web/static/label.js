// The labelling tool: one page at a time, its blocks marked as content, comment or neither; every change is saved at once.

import { announce, request, toast } from "./shell.js";
import { PageView, STATES } from "./pageview.js";
import { chooseVersion } from "./labelconflict.js";
import { bindKeys, fillHelp } from "./labelkeys.js";
import { PagePanel } from "./labelpanel.js";
import { QueuePanel } from "./labelqueue.js";
import { Saver } from "./labelsaver.js";
import { SettlePanel } from "./labelsettle.js";
import { FIELDS, NAMES, Sheet, sameState } from "./labelsheet.js";
import { TrainingPanel } from "./labeltraining.js";

const LOOKS = ["drop", "keep", "comment"].map((name) => STATES.indexOf(name)); // by label number
const MOST_TRIES = 50; // pages in a row that cannot be shown before the tool gives up

const element = (id) => document.getElementById(id);

class Tool {
  constructor() {
    this.page = null;
    this.sheet = null;
    this.saver = null;
    this.visited = [];
    this.group = null; // [first, stop] if several blocks are chosen
    this.anchor = -1;
    this.view = new PageView(element("view"), {
      label: "The page. Up and Down go from block to block; c, m and x label one; question mark lists all keys",
      drag: true,
      onSelect: (block, event) => this.#select(block, event),
      onRange: (first, last) => this.#range(first, last),
      onKey: (event) => this.press(event),
    });
    this.panel = new PagePanel({
      onFields: (values) => this.#changedIf(this.sheet?.setFields(values)),
      onLabel: (label) => this.label(label),
      onWiden: () => this.widen(),
    });
    this.settle = new SettlePanel(element("settle"), {
      onChoose: (block) => this.#showBlock(block),
      onTake: (blocks, labels) => this.#changedIf(this.sheet.paintEach(blocks, labels)),
    });
    this.queue = new QueuePanel(element("panel-queue"), (key) => this.open(key), (key) => this.openSettling(key));
    this.training = new TrainingPanel(element("panel-train"), () => this.#useNewModel());
    this.press = bindKeys(this);
    this.#listen();
  }

  async start() {
    const about = await this.queue.refresh();
    this.place = `${about.store} ${about.annotator}`;
    const wanted = /^[0-9a-f]+$/.test(location.hash.slice(1)) ? location.hash.slice(1) : "";
    if (!wanted || !(await this.open(wanted))) await this.openNext("");
    this.training.refresh();
  }

  // ---- pages ----

  async open(key, { back = false } = {}) {
    this.panel.flush();
    if (this.saver?.pending && !(await this.saver.settle())) return false;
    let page;
    try {
      page = await request(`/api/label/pages/${key}`);
    } catch (problem) {
      toast(problem.message);
      return false;
    }
    if (this.page && !back && this.page.key !== key) this.visited.push(this.page.key);
    this.saver?.close();
    element("work").hidden = false;
    element("finished").hidden = true;
    history.replaceState(null, "", `#${key}`);
    const loaded = this.#show(page);
    this.view.focus();
    await loaded;
    return true;
  }

  async #load() {
    const plain = document.querySelector("input[name=view]:checked").value === "plain";
    const loaded = this.view.show(`/pages/${this.page.key}/frame${plain ? "?plain=1" : ""}`);
    this.#repaint();
    await loaded;
    this.view.dim(element("dim").checked);
    this.view.reveal(element("reveal").checked);
    if (this.view.current < 0) this.view.scrollTo(this.sheet.labels.findIndex((label, block) => label && this.view.isShown(block)));
  }

  #show(page) {
    this.page = page;
    this.sheet = new Sheet(page);
    this.group = null;
    this.anchor = -1;
    this.saver = new Saver(page.key, {
      revision: page.revision,
      place: this.place,
      onState: (state, message) => this.#showSaving(state, message),
      onConflict: () => this.#meetConflict(),
    });
    if (page.revision) this.#showSaving("saved", "");
    else this.#showSaving("empty", "Nothing to save yet");
    this.panel.fill(page, this.sheet, { all: true });
    this.panel.showPage(page, this.visited.length > 0);
    this.queue.markOpen(page.key);
    const loaded = this.#load();
    this.#describe(-1);
    this.#restore();
    this.sheet.recall(this.saver.recall());
    this.panel.showCounts(this.sheet);
    this.settle.load(page.key).then(() => this.settle.show(this.page, this.sheet));
    return loaded;
  }

  // Opens a page whose labels differ from another annotator's, at the list of the differences.
  async openSettling(key) {
    if (!(await this.open(key))) return;
    element("tab-page").click();
    await this.settle.load(key);
    this.settle.show(this.page, this.sheet);
    element("settle").querySelector("button")?.focus();
  }

  #showBlock(block) {
    this.view.select(block);
    this.setGroup(null);
    this.anchor = block;
    this.#describe(block);
  }

  // Restores what an earlier window had not saved, after a crash or while the server was stopped.
  #restore() {
    const draft = this.saver.draft();
    if (!draft?.sent || draft.sent.source !== this.page.source) return;
    const { ranges, done, ...rest } = draft.sent;
    const mine = { labels: this.sheet.labelsOf(ranges), fields: Object.fromEntries(FIELDS.map((name) => [name, rest[name]])), done };
    if (sameState(mine, this.sheet.state())) return this.saver.forget();
    this.sheet.become(mine, "unsaved changes");
    this.saver.revision = draft.revision;
    this.#changed("Your unsaved changes are back");
  }

  async openNext(after) {
    let left = after;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { key } = await request(`/api/label/next?after=${left}`);
      if (!key || key === left) {
        await this.queue.refresh();
        return this.#finish(key);
      }
      if (await this.open(key)) return undefined;
      left = key; // it cannot be shown, and the server knows that now
    }
    return toast(`${MOST_TRIES} pages in a row cannot be shown: see the queue for the reasons`);
  }

  #finish(left) {
    if (left) return toast("This is the last page");
    const { done, unusable } = this.queue.about;
    const rest = unusable ? ` ${unusable} cannot be labelled: see the queue for the reasons.` : "";
    element("finished-words").textContent = `${done} ${done === 1 ? "page is" : "pages are"} labelled.${rest} A model can learn from them now, and label further pages better.`;
    element("work").hidden = true;
    element("finished").hidden = false;
    element("finished-train").focus();
    return undefined;
  }

  async next() {
    if (!this.sheet) return;
    this.panel.flush();
    this.sheet.setDone(true);
    this.#send();
    if (!(await this.saver.settle())) return;
    announce("Saved, next page");
    await this.openNext(this.page.key);
    this.queue.refresh();
  }

  async skip() {
    if (this.page) await this.openNext(this.page.key);
  }

  async back() {
    const key = this.visited.pop();
    if (key) await this.open(key, { back: true });
  }

  // Shows what another window has saved meanwhile, unless there are changes here.
  async showNewer() {
    if (!this.page || this.saver.pending || this.saver.state !== "saved") return;
    const { saver } = this;
    const { key, revision } = saver;
    const newer = await request(`/api/label/pages/${key}?since=${revision}`).catch(() => null);
    // If this window has saved meanwhile, the answer is out of date.
    if (!newer || this.saver !== saver || saver.pending || saver.revision !== revision || newer.revision === revision) return;
    this.saver.revision = newer.revision;
    if (this.sheet.become({ labels: newer.labels, fields: newer.fields, done: newer.done }, "changed elsewhere")) {
      this.panel.fill(this.page, this.sheet);
      this.#repaint();
      toast("This page was changed elsewhere: these are the newest labels");
    }
  }

  async #useNewModel() {
    await this.queue.refresh();
    if (!this.page || this.saver.revision || this.sheet.changes.length) return;
    await this.open(this.page.key, { back: true }); // it has no labels yet: show the new model's answer
  }

  // ---- changes ----

  get brush() {
    return Number(document.querySelector("input[name=brush]:checked").value);
  }

  set brush(label) {
    document.querySelector(`input[name=brush][value="${label}"]`).checked = true;
  }

  get chosen() {
    if (this.group) return this.group;
    return this.view.current >= 0 ? [this.view.current, this.view.current + 1] : null;
  }

  #select(block, event) {
    const byPointer = event && event.type !== "keydown";
    if (byPointer && event.shiftKey && this.anchor >= 0) return this.#range(Math.min(this.anchor, block), Math.max(this.anchor, block));
    this.setGroup(null);
    this.anchor = block;
    if (byPointer) this.#changedIf(this.sheet.toggle(block, block + 1, this.brush));
    this.#describe(block);
    if (!byPointer) announce(`${NAMES[this.sheet.labels[block]]}. ${this.page.texts[block]}`);
    return undefined;
  }

  #range(first, last) {
    this.view.select(last, { scroll: false });
    this.anchor = first;
    this.#changedIf(this.sheet.toggle(first, last + 1, this.brush));
    this.#describe(last);
  }

  setGroup(group) {
    this.group = group && group[1] - group[0] > 1 ? group : null;
    this.view.group(...(this.group ?? [0, 0]));
    if (this.group) announce(`${this.group[1] - this.group[0]} blocks chosen`);
  }

  extend(step) {
    if (this.view.current < 0) return this.view.move(1);
    if (this.anchor < 0) this.anchor = this.view.current;
    let block = this.view.current + step;
    while (block >= 0 && block < this.sheet.count && !this.view.isShown(block)) block += step;
    if (block < 0 || block >= this.sheet.count) return undefined;
    const anchor = this.anchor;
    this.view.select(block);
    this.#describe(block);
    return this.setGroup([Math.min(anchor, block), Math.max(anchor, block) + 1]);
  }

  // To the next or previous block where the label changes: most decisions are at these edges.
  edge(step) {
    let block = Math.max(this.view.current, 0);
    const label = this.sheet.labels[block];
    while (block >= 0 && block < this.sheet.count && (this.sheet.labels[block] === label || !this.view.isShown(block))) block += step;
    if (block < 0 || block >= this.sheet.count) return toast("The label does not change from here on");
    this.view.select(block);
    return this.#select(block, null);
  }

  widen() {
    const chosen = this.chosen;
    const wider = chosen && this.sheet.widen(...chosen);
    if (!wider) return toast(chosen ? "There is no larger element" : "Choose a block first");
    return this.setGroup(wider);
  }

  label(label) {
    const chosen = this.chosen;
    if (!chosen) return toast("Choose a block first: Down goes to the next one");
    this.brush = label;
    return this.#changedIf(this.sheet.paint(...chosen, label));
  }

  toggle() {
    if (this.chosen) this.#changedIf(this.sheet.toggle(...this.chosen, this.brush || 1));
  }

  undo() {
    const change = this.sheet?.undo();
    if (change) this.#changed(`Undone: ${change.summary}`, change);
  }

  redo() {
    const change = this.sheet?.redo();
    if (change) this.#changed(`Redone: ${change.summary}`, change);
  }

  restart() {
    const { suggested, suggested_fields: fields } = this.page;
    if (this.sheet.become({ labels: suggested, fields, done: this.sheet.done }, "the model's answer")) this.#changed("Reset to the model's answer; Undo brings your labels back");
  }

  #changedIf(isChanged) {
    if (isChanged) this.#changed();
  }

  #changed(message = "", change = null) {
    this.#repaint();
    this.panel.fill(this.page, this.sheet);
    const block = change?.blocks.length ? change.blocks[0][0] : this.view.current;
    if (change?.blocks.length) this.view.select(block);
    this.#describe(block);
    if (message) toast(message);
    else announce(this.sheet.changes.at(-1)?.summary ?? "");
    this.settle.show(this.page, this.sheet);
    this.#send();
  }

  #send() {
    const { fields, done } = this.sheet;
    this.saver.remember(this.sheet.history());
    this.saver.save({ source: this.page.source, ...fields, done, ranges: this.sheet.ranges() });
  }

  async #meetConflict() {
    const theirs = await request(`/api/label/pages/${this.page.key}`).catch(() => null);
    if (!theirs) return setTimeout(() => this.#meetConflict(), 2000);
    const mine = this.sheet.state();
    if (sameState(mine, theirs)) return this.saver.resolve(theirs.revision);
    const keepsMine = await chooseVersion(mine, theirs, this.page.texts);
    // Both versions become changes, so that Undo brings back the other one.
    this.sheet.become({ labels: theirs.labels, fields: theirs.fields, done: theirs.done }, "the version saved elsewhere");
    this.saver.resolve(theirs.revision);
    if (keepsMine) this.sheet.become(mine, "this version");
    this.#changed(keepsMine ? "This version is kept" : "The saved version is used");
    this.view.focus();
    return undefined;
  }

  // ---- display ----

  #repaint() {
    const states = new Uint8Array(this.sheet.count);
    this.sheet.labels.forEach((label, block) => { states[block] = LOOKS[label]; });
    this.view.paint(states);
    this.panel.showCounts(this.sheet);
  }

  #describe(block) {
    this.panel.describe(this.page, this.sheet, block);
  }

  #showSaving(state, message) {
    const text = {
      empty: message, saved: message || "Saved", saving: "Saving…", waiting: `Not saved: ${message}`, conflict: "Not saved: changed elsewhere", refused: `Not saved: ${message}`,
    }[state];
    this.queue.showSaving(state, text);
    if (state === "waiting" || state === "refused") announce(text);
  }

  #listen() {
    for (const [id, call] of Object.entries({ undo: "undo", redo: "redo", next: "next", skip: "skip", back: "back", restart: "restart" })) {
      element(id).addEventListener("click", () => this[call]());
    }
    element("dim").addEventListener("change", (event) => this.view.dim(event.target.checked));
    element("reveal").addEventListener("change", (event) => this.view.reveal(event.target.checked));
    for (const input of document.querySelectorAll("input[name=view]")) {
      input.addEventListener("change", () => this.#load());
    }
    fillHelp(element("help-keys"));
    element("help-open").addEventListener("click", () => element("help").showModal());
    element("help-close").addEventListener("click", () => element("help").close());
    element("finished-train").addEventListener("click", () => this.#leaveFinish("tab-train"));
    element("finished-look").addEventListener("click", () => this.#leaveFinish("tab-queue"));
    document.addEventListener("keydown", (event) => this.press(event));
    window.addEventListener("focus", () => this.showNewer());
    document.addEventListener("visibilitychange", () => document.hidden || this.showNewer());
    window.addEventListener("beforeunload", (event) => { if (this.saver?.pending) event.preventDefault(); });
    window.addEventListener("hashchange", () => location.hash.slice(1) && location.hash.slice(1) !== this.page?.key && this.open(location.hash.slice(1)));
  }

  async #leaveFinish(tab) {
    element("finished").hidden = true;
    element("work").hidden = false;
    if (!this.page && this.queue.about.pages.length) await this.open(this.queue.about.pages[0].key);
    element(tab).click();
    element(tab).focus();
  }
}

const tool = new Tool();
tool.start().catch((problem) => toast(problem.message));
