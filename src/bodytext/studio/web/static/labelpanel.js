// PagePanel: what stands beside a page while it is labelled: the chosen block, the fields, counts; and the tabs.
//
//   const panel = new PagePanel({onFields(values), onLabel(label), onWiden()})
//   panel.tellPage(told, canGoBack)      // its name, the model's confidence, a note
//   panel.tellLabels(sheet)              // counts, and whether there is something to undo
//   panel.describe(told, sheet, block)   // the chosen block; -1: none
//   panel.fill(told, sheet, {all})       // the fields; one that is typed in is left alone, unless all are meant
//   panel.flush()                        // what was typed and not yet told is told now

import { bindTabs, debounce, make } from "./shell.js";
import { FIELDS, NAMES } from "./labelsheet.js";

const TYPING_MS = 350; // of silence before a field that is typed in is saved
const CHIPS = ["drop", "keep", "comment"]; // by number of label

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

  fill(told, sheet, { all = false } = {}) {
    const types = this.form.elements.page_type;
    if (!types.options.length) types.append(...["", ...told.page_types].map((name) => make("option", { value: name, text: name || "not said" })));
    if (all) this.dirty = false;
    for (const name of FIELDS) {
      const value = sheet.fields[name];
      const shown = Array.isArray(value) ? value.join(", ") : value;
      const field = this.form.elements[name];
      if ((all || field !== document.activeElement) && field.value !== shown) field.value = shown;
    }
  }

  tellPage(told, canGoBack) {
    element("back").disabled = !canGoBack;
    element("page-name").textContent = told.name;
    element("page-name").href = `/pages/${told.key}`;
    const sure = told.confidence === null ? "none, the page has too many blocks" : `${Math.round(100 * told.confidence)}%`;
    element("page-sure").textContent = `the model's confidence: ${sure}`;
    element("note").textContent = told.note;
    element("note").hidden = !told.note;
    document.title = `${told.name} · Label · bodytext`;
  }

  tellLabels(sheet) {
    const { blocks, words } = sheet.counts();
    element("counts").replaceChildren(
      ...[1, 2].map((label) => make("span", {}, [
        make(`i.swatch.${CHIPS[label]}`), `${capital(NAMES[label])} `, make("b", { text: blocks[label].toLocaleString() }), ` · ${words[label].toLocaleString()} words`,
      ])),
    );
    element("undo").disabled = !sheet.changes.length;
    element("redo").disabled = !sheet.undone.length;
  }

  describe(told, sheet, block) {
    const card = element("block");
    if (block < 0) {
      card.replaceChildren(make("p.faint", { text: "Blue with a bar is content, hatched is not. Click a block to change it, drag over several, or use the keys." }));
      return;
    }
    const pick = make("div.segments", { role: "radiogroup", "aria-label": "This block is" }, [1, 2, 0].map((value) => {
      const input = make("input", { type: "radio", name: "own", value, onchange: () => this.onLabel(value) });
      input.checked = value === sheet.labels[block];
      return make("label", {}, [input, make("span", { text: capital(NAMES[value]) })]);
    }));
    card.replaceChildren(
      make("div.block-head", {}, [make("h2", { text: `Block ${block + 1}` }), make("span.chip", { text: told.kinds[told.kind[block]] }), make("span.spread"),
        make("button.quiet.small", { type: "button", text: "Choose what is around", onclick: () => this.onWiden() })]),
      make("div.block-text", { text: told.texts[block], tabindex: "0" }),
      pick,
    );
  }
}
