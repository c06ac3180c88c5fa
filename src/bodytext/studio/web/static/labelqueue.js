// QueuePanel: the queue's order and pages; and in the bar, the progress and whether all changes are saved.

import { make, request, toast } from "./shell.js";

const STATES = { new: "", started: "started", done: "done", unusable: "cannot be labelled" };
const POLL_MS = 1500; // while the model measures pages

export class QueuePanel {
  constructor(host, open, settle) {
    this.open = open;
    this.settle = settle; // opens a page where another annotator's labels differ
    this.about = null;
    this.progress = make("progress", { max: 1, value: 0, "aria-label": "Pages done" });
    this.progressText = make("span.number");
    this.saving = make("span.saving", { role: "status" });
    document.getElementById("bar-slot").append(this.saving, this.progress, this.progressText);
    this.order = make("select", { id: "queue-order", onchange: () => this.#setOrder() }, [
      make("option", { value: "doubt", text: "least confident first" }), make("option", { value: "name", text: "by name, or as listed" }),
    ]);
    this.note = make("p.faint");
    this.list = make("ul.queue-list", { "aria-label": "Pages" });
    this.agreement = make("details", { hidden: true, ontoggle: () => this.agreement.open && this.#compare() }, make("summary", { text: "Agreement with other annotators" }));
    document.getElementById("tab-queue").addEventListener("chosen", () => this.refresh().catch(() => {}));
    host.append(make("div.field", {}, [make("label", { for: "queue-order", text: "Order" }), this.order]), this.note, this.agreement, this.list);
  }

  async refresh() {
    this.about = await request("/api/label");
    this.#show();
    clearTimeout(this.timer);
    if (this.about.measured < this.about.total) this.timer = setTimeout(() => this.refresh().catch(() => {}), POLL_MS);
    return this.about;
  }

  markOpen(key) {
    this.here = key;
    for (const button of this.list.querySelectorAll("button")) button.setAttribute("aria-current", String(button.dataset.key === key));
  }

  showSaving(state, message) {
    this.saving.textContent = message;
    this.saving.dataset.state = state;
  }

  #show() {
    const { total, done, unusable, measured, order, annotator, labels, pages } = this.about;
    const usable = total - unusable;
    this.progress.value = usable ? done / usable : 1;
    this.progressText.textContent = `${done} of ${usable} done`;
    this.order.value = order;
    this.agreement.hidden = !this.about.others.length;
    const measuring = measured < total ? ` The model has measured ${measured.toLocaleString()} of ${total.toLocaleString()} so far.` : "";
    this.note.textContent = `${annotator}'s labels are kept in ${labels}.${measuring}`;
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.list.replaceChildren(...pages.map((page) => make("li", {}, [
      make("button", { type: "button", title: page.note || null, disabled: page.state === "unusable", "data-key": page.key, "aria-current": String(page.key === this.here), onclick: () => this.open(page.key) }, [
        make("span.name", { text: page.name }), page.state === "new" ? null : make(`span.chip.${page.state}`, { text: STATES[page.state] }),
        make("span.number", { text: page.confidence === null ? "" : page.confidence.toFixed(2) }),
      ]),
    ])));
    // Who goes through the list by keyboard keeps the place, though its buttons are new.
    if (focused !== null) [...this.list.querySelectorAll("button")].find((button) => button.dataset.key === focused)?.focus();
    if (pages.length < total) this.list.append(make("li.faint", { text: `and ${(total - pages.length).toLocaleString()} more` }));
  }

  // Cohen's kappa with every other annotator: for all pages, and for each.
  async #compare() {
    const agreements = await request("/api/label/agreement").catch((problem) => toast(problem.message));
    const figure = (value) => make("td.number", { text: value === null ? "–" : value.toFixed(3) });
    const name = (page) => (page.key && page.differing ? make("button.quiet.small", { type: "button", text: page.name, title: "Settle the differences", onclick: () => this.settle(page.key) }) : page.name);
    const row = (page) => make("tr", {}, [make("th", { scope: "row" }, name(page)), figure(page.kappa_words), figure(page.kappa_blocks), make("td.number", { text: page.differing.toLocaleString() })]);
    const tables = (agreements ?? []).map((agreement) => make("table.meta.gains", {}, [
      make("thead", {}, make("tr", {}, [`kappa with ${agreement.with}`, "by words", "by blocks", "differing"].map((text) => make("th", { scope: "col", text })))),
      make("tbody", {}, agreement.pages.length ? [agreement.all, ...agreement.pages].map(row) : make("tr", {}, make("td", { text: "no page that both have done" }))),
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
