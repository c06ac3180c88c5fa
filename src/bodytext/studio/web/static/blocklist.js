// A list of all blocks. Only the lines in view exist, so that tens of thousands of blocks scroll quickly.

import { debounce, make } from "./shell.js";

const HEIGHT = 46; // pixels of a line, as in style.css
const AROUND = 8; // lines above and below the visible ones

export class BlockList {
  #host; #app; #actions; #box; #filler; #search; #wanted = "all";
  #rows = [];
  #status;

  constructor(host, app, actions) {
    this.#host = host;
    this.#app = app;
    this.#actions = actions;
    this.#search = make("input", { type: "search", placeholder: "Find in blocks", "aria-label": "Find in blocks", oninput: debounce(() => this.refresh(), 120) });
    const choice = make("select", { "aria-label": "Which blocks", onchange: (event) => { this.#wanted = event.target.value; this.refresh(); } },
      [["all", "all"], ["kept", "kept"], ["dropped", "dropped"], ["differs", "different"], ["unseen", "not shown"]].map(([value, text]) => make("option", { value, text })));
    this.#filler = make("div");
    this.#filler.style.position = "relative";
    this.#status = make("p.faint", { role: "status" });
    this.#status.style.padding = "6px 14px";
    this.#box = make("div.list", { role: "listbox", tabindex: "0", "aria-label": "Blocks", onscroll: () => this.#draw(), onkeydown: (event) => this.#press(event), onpointerleave: () => actions.hover(-1) }, this.#filler);
    host.replaceChildren(make("div.list-head", {}, [this.#search, choice]), this.#status, this.#box);
    new ResizeObserver(() => this.#draw()).observe(this.#box);
  }

  shown() {
    this.refresh();
    this.mark({ scroll: true });
  }

  #keeps(block) {
    const { kept, keptOther, page } = this.#app;
    switch (this.#wanted) {
      case "kept": return kept[block];
      case "dropped": return !kept[block];
      case "differs": return keptOther && kept[block] !== keptOther[block];
      case "unseen": return !page.seen[block];
      default: return true;
    }
  }

  refresh() {
    if (this.#host.hidden) return;
    const query = this.#search.value.trim().toLowerCase();
    const { texts, count } = this.#app.page;
    this.#rows = [];
    for (let block = 0; block < count; block++) {
      if (this.#keeps(block) && (!query || texts[block].toLowerCase().includes(query))) this.#rows.push(block);
    }
    const total = this.#rows.length;
    this.#status.textContent = total === count ? `${count.toLocaleString("en")} blocks` : `${total.toLocaleString("en")} of ${count.toLocaleString("en")} blocks`;
    this.#filler.style.height = `${total * HEIGHT}px`;
    this.#draw();
  }

  #draw() {
    if (this.#host.hidden) return;
    const first = Math.max(0, Math.floor(this.#box.scrollTop / HEIGHT) - AROUND);
    const stop = Math.min(this.#rows.length, Math.ceil((this.#box.scrollTop + this.#box.clientHeight) / HEIGHT) + AROUND);
    const lines = [];
    for (let row = first; row < stop; row++) lines.push(this.#line(row));
    this.#filler.replaceChildren(...lines);
    this.#box.setAttribute("aria-activedescendant", this.#app.block >= 0 ? `line-${this.#app.block}` : "");
  }

  #line(row) {
    const { page, method, kept, keptOther, block: here, hovered } = this.#app;
    const block = this.#rows[row];
    const differs = keptOther && kept[block] !== keptOther[block];
    const classes = [kept[block] ? "keep" : "drop", differs ? "differs" : "", block === here ? "here" : "", block === hovered ? "hovered" : ""].filter(Boolean);
    const score = page.scores[method][block];
    const line = make(`div.line.${classes.join(".")}`, {
      role: "option", id: `line-${block}`, "aria-selected": String(block === here), "aria-setsize": this.#rows.length, "aria-posinset": row + 1,
      onclick: () => this.#actions.choose(block), onpointerenter: () => this.#actions.hover(block),
    }, [
      make("span.mark"),
      make("span.count", { text: String(block + 1) }),
      make("span.words", {}, [make("b", { text: page.texts[block].slice(0, 160) }), make("small", { text: `${kept[block] ? "kept" : "dropped"} · ${page.kinds[page.kind[block]]} · ${page.words[block]} ${page.words[block] === 1 ? "word" : "words"}${page.links[block] ? ` · ${page.links[block]} % links` : ""}` })]),
      make("span.value", { text: score.toFixed(2) }),
    ]);
    line.style.top = `${row * HEIGHT}px`;
    return line;
  }

  mark({ scroll = false } = {}) {
    if (this.#host.hidden) return;
    const row = this.#rows.indexOf(this.#app.block);
    if (scroll && row >= 0 && document.activeElement !== this.#box) {
      const top = row * HEIGHT;
      if (top < this.#box.scrollTop || top + HEIGHT > this.#box.scrollTop + this.#box.clientHeight) this.#box.scrollTop = top - this.#box.clientHeight / 3;
    }
    for (const line of this.#filler.children) {
      const block = Number(line.id.slice(5));
      line.classList.toggle("here", block === this.#app.block);
      line.classList.toggle("hovered", block === this.#app.hovered);
      line.setAttribute("aria-selected", String(block === this.#app.block));
    }
    this.#box.setAttribute("aria-activedescendant", row >= 0 ? `line-${this.#app.block}` : "");
  }

  #press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || !this.#rows.length) return;
    event.preventDefault();
    const here = this.#rows.indexOf(this.#app.block);
    const row = Math.max(0, Math.min(this.#rows.length - 1, here < 0 && Number.isFinite(step) ? 0 : here + step));
    const top = row * HEIGHT;
    if (top < this.#box.scrollTop) this.#box.scrollTop = top;
    if (top + HEIGHT > this.#box.scrollTop + this.#box.clientHeight) this.#box.scrollTop = top + HEIGHT - this.#box.clientHeight;
    this.#draw();
    this.#actions.choose(this.#rows[row]);
  }
}
