// QueuePanel: how far the queue is, its order, all its pages; and in the bar the progress and whether all is saved.

import { make, request, toast } from "./shell.js";

const STATES = { new: "", started: "begun", done: "done", unusable: "cannot be labelled" };
const MEASURING_MS = 1500; // between looks at the queue while confidences come in

export class QueuePanel {
  constructor(host, open) {
    this.open = open;
    this.about = null;
    this.progress = make("progress", { max: 1, value: 0, "aria-label": "Pages that are done" });
    this.said = make("span.number");
    this.saving = make("span.saving", { role: "status" });
    document.getElementById("bar-slot").append(this.saving, this.progress, this.said);
    this.order = make("select", { id: "queue-order", onchange: () => this.#setOrder() }, [
      make("option", { value: "doubt", text: "least confident first" }), make("option", { value: "name", text: "by name, or as listed" }),
    ]);
    this.words = make("p.faint");
    this.list = make("ul.queue-list", { "aria-label": "Pages" });
    this.agreement = make("details", { hidden: true, ontoggle: () => this.agreement.open && this.#compare() }, make("summary", { text: "Agreement with other annotators" }));
    document.getElementById("tab-queue").addEventListener("chosen", () => this.refresh().catch(() => {}));
    host.append(make("div.field", {}, [make("label", { for: "queue-order", text: "Order" }), this.order]), this.words, this.agreement, this.list);
  }

  async refresh() {
    this.about = await request("/api/label");
    this.#tell();
    clearTimeout(this.timer);
    if (this.about.measured < this.about.total) this.timer = setTimeout(() => this.refresh().catch(() => {}), MEASURING_MS);
    return this.about;
  }

  tellHere(key) {
    this.here = key;
    for (const button of this.list.querySelectorAll("button")) button.setAttribute("aria-current", String(button.dataset.key === key));
  }

  tellSaving(state, words) {
    this.saving.textContent = words;
    this.saving.dataset.state = state;
  }

  #tell() {
    const { total, done, unusable, measured, order, annotator, labels, pages } = this.about;
    const usable = total - unusable;
    this.progress.value = usable ? done / usable : 1;
    this.said.textContent = `${done} of ${usable} done`;
    this.order.value = order;
    this.agreement.hidden = !this.about.others.length;
    const looking = measured < total ? ` The model has looked at ${measured.toLocaleString()} of ${total.toLocaleString()} so far.` : "";
    this.words.textContent = `${annotator}'s labels are kept in ${labels}.${looking}`;
    this.list.replaceChildren(...pages.map((page) => make("li", {}, [
      make("button", { type: "button", title: page.note || null, disabled: page.state === "unusable", "data-key": page.key, "aria-current": String(page.key === this.here), onclick: () => this.open(page.key) }, [
        make("span.name", { text: page.name }), page.state === "new" ? null : make(`span.chip.${page.state}`, { text: STATES[page.state] }),
        make("span.number", { text: page.confidence === null ? "" : page.confidence.toFixed(2) }),
      ]),
    ])));
    if (pages.length < total) this.list.append(make("li.faint", { text: `and ${(total - pages.length).toLocaleString()} more` }));
  }

  // Cohen's kappa with every other annotator: over all pages, and of each.
  async #compare() {
    const told = await request("/api/label/agreement").catch((problem) => toast(problem.message));
    const figure = (value) => make("td.number", { text: value === null ? "–" : value.toFixed(3) });
    const row = (one) => make("tr", {}, [make("th", { scope: "row", text: one.name }), figure(one.kappa_words), figure(one.kappa_blocks)]);
    const tables = (told ?? []).map((one) => make("table.meta.gains", {}, [
      make("thead", {}, make("tr", {}, [`kappa with ${one.with}`, "by words", "by blocks"].map((text) => make("th", { scope: "col", text })))),
      make("tbody", {}, one.pages.length ? [one.all, ...one.pages].map(row) : make("tr", {}, make("td", { text: "no page that both have done" }))),
    ]));
    this.agreement.replaceChildren(this.agreement.firstElementChild, ...tables);
  }

  async #setOrder() {
    try {
      await request("/api/label/order", { method: "PUT", json: { order: this.order.value } });
      await this.refresh();
    } catch (problem) {
      toast(problem.message);
    }
  }
}
