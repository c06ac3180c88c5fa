// TeachPanel: learn from the labels, see how far it is and what it gained by site; choose the model; density's networks.

import { announce, make, request, toast } from "./shell.js";

const LOOK_MS = 700; // between looks at a training that runs
const FEWEST_PAGES = 2;

export class TeachPanel {
  constructor(host, onModel) {
    this.onModel = onModel;
    this.shown = "";
    this.about = make("p");
    this.learn = make("button.button.primary", { type: "button", id: "teach", text: "Learn from these labels", onclick: () => this.#begin("learned") });
    this.stop = make("button.button", { type: "button", id: "teach-stop", text: "Stop", hidden: true, onclick: () => this.#stop() });
    this.bar = make("progress", { id: "teach-progress", hidden: true, max: 1, "aria-label": "The training" });
    this.words = make("p.faint", { role: "status" });
    this.outcome = make("section", { id: "teach-outcome", hidden: true, "aria-label": "What came of it" });
    this.models = make("select", { id: "teach-model", onchange: () => this.#use() });
    this.density = make("button.button.small", { type: "button", id: "teach-density", text: "Train them and count their errors", onclick: () => this.#begin("density") });
    this.errors = make("div", { id: "density-errors" });
    host.append(
      make("section", {}, [make("h2", { text: "Learn from these labels" }), this.about, make("p.row", {}, [this.learn, this.stop]), this.bar, this.words]),
      this.outcome,
      make("section", {}, [make("div.field", {}, [make("label", { for: "teach-model", text: "Model in use, here and in the inspector" }), this.models])]),
      make("section", {}, [make("h3", { text: "The networks of the density article" }),
        make("p.faint", { text: "Four small networks that look at each line's share of text, trained on the same labels." }), this.density, this.errors]),
    );
    document.getElementById("tab-teach").addEventListener("chosen", () => this.refresh());
  }

  async refresh() {
    clearTimeout(this.timer);
    let told;
    try {
      told = await request(`/api/teach${document.getElementById("panel-teach").hidden ? "" : "?count"}`);
    } catch (problem) {
      this.words.textContent = problem.message;
      return;
    }
    this.#tell(told);
    if (told.state === "running") this.timer = setTimeout(() => this.refresh(), LOOK_MS);
  }

  #tell(told) {
    const running = told.state === "running";
    this.learn.hidden = running;
    this.stop.hidden = this.bar.hidden = !running;
    this.density.disabled = running;
    if (told.pages !== undefined) this.#tellLabels(told);
    this.learn.disabled = this.few || !told.can_learn;
    if (!told.can_learn) this.words.textContent = "Learning wants torch: pip install 'bodytext[train]', then start bodytext label again.";
    this.#tellModels(told);
    if (running) {
      if (told.share === null || told.share === undefined) this.bar.removeAttribute("value");
      else this.bar.value = told.share;
      this.words.textContent = told.words.at(-1) ?? "starting";
      this.shown = "";
      this.watched = true;
      return;
    }
    if (told.state === this.shown || told.state === "idle") return;
    this.shown = told.state;
    this.words.textContent = { failed: told.error, stopped: "Stopped; nothing has changed.", done: "" }[told.state];
    if (told.state === "done") this.#tellOutcome(told);
  }

  #tellLabels({ pages, sites, left }) {
    this.few = pages < FEWEST_PAGES;
    const lost = left.length ? ` ${left.length} more cannot be used: ${left[0].page}: ${left[0].reason}.` : "";
    const advice = this.few ? "Label two or more pages and say Done; a dozen of a site are a good start."
      : "The model goes on from where it is and learns from these; it takes a minute or so, and you can go on labelling.";
    this.about.textContent = `${pages} ${pages === 1 ? "page is" : "pages are"} done, of ${sites} ${sites === 1 ? "site" : "sites"}. ${advice}${lost}`;
  }

  #tellModels({ models, model }) {
    const names = ["", ...models];
    if (this.models.options.length !== names.length) {
      this.models.replaceChildren(...names.map((name) => make("option", { value: name, text: name || "as shipped" })));
    }
    this.models.value = model;
  }

  #tellOutcome(told) {
    if (told.method === "density") return this.#drawErrors(told);
    const { all, sites, claim } = told.outcome;
    const gain = all.after - all.before;
    const verdict = `${sign(gain)} word F1: ${all.before.toFixed(3)} with the shipped model, ${all.after.toFixed(3)} now`;
    this.outcome.replaceChildren(
      make("h3", { text: "What it gained" }),
      make("p.gain", { text: sign(gain) }),
      make("p", { text: `${verdict.slice(verdict.indexOf(":") + 2)}, in word F1; ${claim}.` }),
      make("table.meta.gains", {}, [
        make("thead", {}, make("tr", {}, ["site", "pages", "shipped", "now", "gain"].map((text) => make("th", { scope: "col", text })))),
        make("tbody", {}, sites.map((one) => make("tr", {}, [
          make("th", { scope: "row", text: one.site || "no address" }), make("td.number", { text: one.pages }), make("td.number", { text: one.before.toFixed(3) }),
          make("td.number", { text: one.after.toFixed(3) }), make(`td.number.${one.after < one.before ? "worse" : "better"}`, { text: sign(one.after - one.before) }),
        ]))),
      ]),
      make("p.faint", { text: "In use at once, here and in the inspector. It is saved with its card; elsewhere:" }),
      make("code.command", { text: `bodytext page.html --model ${quote(told.file)}`, tabindex: "0" }),
    );
    this.outcome.hidden = false;
    if (!this.watched) return undefined; // it was told before this page was loaded
    announce(`Learned. ${verdict}`);
    toast(`Learned: ${sign(gain)} word F1`);
    return this.onModel();
  }

  // The article's figure: errors of the rules and the networks, wrongly kept and wrongly dropped, of the threshold's.
  #drawErrors({ outcome, file }) {
    const most = Math.max(1, ...outcome.errors.map((one) => one.wrongly_kept + one.wrongly_dropped));
    const fixed = outcome.errors[0].wrongly_kept + outcome.errors[0].wrongly_dropped;
    this.errors.replaceChildren(
      make("p.figure-key", {}, [make("span", {}, [make("i.swatch.kept-wrongly"), "wrongly kept"]), make("span", {}, [make("i.swatch.dropped-wrongly"), "wrongly dropped"])]),
      make("table.errors", {}, [make("caption.unseen", { text: "Errors on lines that were not learned from" }), make("tbody", {}, outcome.errors.map((one) => {
        const total = one.wrongly_kept + one.wrongly_dropped;
        const bar = make("div.error-bar", { "aria-hidden": "true" });
        for (const [name, number] of [["kept", one.wrongly_kept], ["dropped", one.wrongly_dropped]]) {
          if (!number) continue;
          const part = make(`i.${name}-wrongly`);
          part.style.width = `${(100 * number) / most}%`;
          bar.append(part);
        }
        return make("tr", {}, [make("th", { scope: "row", text: one.name }), make("td", {}, bar),
          make("td.number", { text: `${total.toLocaleString()}`, title: `${one.wrongly_kept} wrongly kept, ${one.wrongly_dropped} wrongly dropped` }),
          make("td.number", { text: fixed ? `${Math.round((100 * total) / fixed)}%` : "" })]);
      }))]),
      make("p.faint", { text: `Errors on ${outcome.errors[0].lines.toLocaleString()} lines, and of those of the fixed threshold; every line judged by networks that had not seen its site (or its page, where all are of one). The article reports 20% for its best network.` }),
      make("code.command", { text: `bodytext page.html --method ${quote(`density:model=${file}`)}`, tabindex: "0" }),
    );
    announce("The networks of the density article are trained");
  }

  async #begin(method) {
    this.words.textContent = "starting";
    await this.#ask("POST", "/api/teach", { method });
  }

  async #stop() {
    await this.#ask("DELETE", "/api/teach");
  }

  async #use() {
    await this.#ask("PUT", "/api/teach/model", { model: this.models.value });
    await this.onModel();
  }

  async #ask(method, path, json) {
    try {
      await request(path, { method, json });
    } catch (problem) {
      toast(problem.message);
    }
    await this.refresh();
  }
}

const quote = (word) => (/^[\w./:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
const sign = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
