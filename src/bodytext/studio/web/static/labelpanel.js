// PagePanel: the panel beside a page that is labelled: the chosen block, the fields, the counts, and the tabs.
//
//   const panel = new PagePanel({onFields(values), onLabel(label), onWiden()})
//   panel.showPage(page, canGoBack)      // its name, the model's confidence, a note
//   panel.showCounts(sheet)              // and whether there is something to undo
//   panel.describe(page, sheet, block)   // the chosen block; -1 for none
//   panel.fill(page, sheet, {all})       // the fields; all includes the one that has the focus
//   panel.flush()                        // calls onFields now with what was typed

import { bindTabs, debounce, make } from "./shell.js";
import { FIELDS, NAMES } from "./labelsheet.js";

const TYPING_MS = 350; // without a key before a field is saved
const CHIPS = ["drop", "keep", "comment"]; // by label number

const element = (id) => document.getElementById(id);
const capital = (word) => word[0].toUpperCase() + word.slice(1);

export class PagePanel {
  constructor({ onFields, onLabel, onWiden }) {
    this.onFields = onFields;
    this.onLabel = onLabel;
    this.onWiden = onWiden;
    this.form = element("fields");
    const typed = debounce(() => this.flush(), TYPING_MS);
    this.form.addEventListener("input", () => { this.dirty = true; typed(); });
    this.form.addEventListener("change", () => { this.dirty = true; this.flush(); });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    bindTabs();
  }

  flush() {
    if (!this.dirty) return;
    this.dirty = false;
    const values = Object.fromEntries(FIELDS.map((name) => [name, this.form.elements[name].value.trim().replace(/\s+/g, " ")]));
    values.authors = values.authors.split(",").map((name) => name.trim()).filter(Boolean);
    this.onFields(values);
  }

  fill(page, sheet, { all = false } = {}) {
    const types = this.form.elements.page_type;
    if (!types.options.length) types.append(...["", ...page.page_types].map((name) => make("option", { value: name, text: name || "unknown" })));
    if (all) this.dirty = false;
    for (const name of FIELDS) {
      const value = sheet.fields[name];
      const shown = Array.isArray(value) ? value.join(", ") : value;
      const field = this.form.elements[name];
      if ((all || field !== document.activeElement) && field.value !== shown) field.value = shown;
    }
  }

  showPage(page, canGoBack) {
    element("back").disabled = !canGoBack;
    element("page-name").textContent = page.name;
    if (!page.blind) element("page-name").href = `/pages/${page.key}`; // the inspector shows the model's answer
    const sure = page.confidence === null ? "none: the page has too many blocks" : `${Math.round(100 * page.confidence)}%`;
    element("page-sure").textContent = page.blind ? "blind: without the model's answer" : `model confidence: ${sure}`;
    element("restart").hidden = page.blind;
    element("note").textContent = page.note;
    element("note").hidden = !page.note;
    document.title = `${page.name} · Label · bodytext`;
  }

  showCounts(sheet) {
    const { blocks, words } = sheet.counts();
    element("counts").replaceChildren(
      ...[1, 2].map((label) => make("span", {}, [
        make(`i.swatch.${CHIPS[label]}`), `${capital(NAMES[label])} `, make("b", { text: blocks[label].toLocaleString() }), ` · ${words[label].toLocaleString()} words`,
      ])),
    );
    element("undo").disabled = !sheet.changes.length;
    element("redo").disabled = !sheet.undone.length;
  }

  describe(page, sheet, block) {
    const card = element("block");
    if (block < 0) {
      const start = page.blind && !sheet.labels.some(Boolean) ? "Nothing is marked yet: this is a blind start. " : "";
      card.replaceChildren(make("p.faint", { text: `${start}Content is blue with a bar; the rest is hatched. Click a block to change it, drag over several, or use the keys.` }));
      return;
    }
    const pick = make("div.segments", { role: "radiogroup", "aria-label": "This block is" }, [1, 2, 0].map((value) => {
      const input = make("input", { type: "radio", name: "own", value, onchange: () => this.onLabel(value) });
      input.checked = value === sheet.labels[block];
      return make("label", {}, [input, make("span", { text: capital(NAMES[value]) })]);
    }));
    card.replaceChildren(
      make("div.block-head", {}, [make("h2", { text: `Block ${block + 1}` }), make("span.chip", { text: page.kinds[page.kind[block]] }), make("span.spread"),
        make("button.quiet.small", { type: "button", text: "Choose the element around it", onclick: () => this.onWiden() })]),
      make("div.block-text", { text: page.texts[block], tabindex: "0", role: "group", "aria-label": "Text of the block" }),
      make("p.faint.number", { id: "block-bytes", text: `density ${Math.min(1, page.bytes[block] / Math.max(1, page.html[block])).toFixed(2)}: ${page.bytes[block].toLocaleString("en")} bytes of text in ${page.html[block].toLocaleString("en")} of HTML` }),
      pick,
    );
  }
}
