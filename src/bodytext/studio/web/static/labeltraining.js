// TrainingPanel: train on the labels, show the progress and the gain by site; choose the model; train density's networks.

import { announce, make, request, toast } from "./shell.js";

const POLL_MS = 700; // while a training runs
const FEWEST_PAGES = 2;

export class TrainingPanel {
  constructor(host, onModel) {
    this.onModel = onModel;
    this.shown = "";
    this.about = make("p");
    this.train = make("button.button.primary", { type: "button", id: "train", text: "Train on these labels", onclick: () => this.#start("learned") });
    this.stop = make("button.button", { type: "button", id: "train-stop", text: "Stop", hidden: true, onclick: () => this.#stop() });
    this.bar = make("progress", { id: "train-progress", hidden: true, max: 1, "aria-label": "Progress of the training" });
    this.status = make("p.faint", { role: "status" });
    this.outcome = make("section", { id: "train-outcome", hidden: true, "aria-label": "Outcome of the training" });
    this.models = make("select", { id: "train-model", onchange: () => this.#use() });
    this.density = make("button.button.small", { type: "button", id: "train-density", text: "Train them and count their errors", onclick: () => this.#start("density") });
    this.cost = make("input", { type: "number", id: "density-cost", value: "1", min: "0.1", max: "1000", step: "0.1" });
    this.errors = make("div", { id: "density-errors" });
    host.append(
      make("section", {}, [make("h2", { text: "Train on these labels" }), this.about, make("p.row", {}, [this.train, this.stop]), this.bar, this.status]),
      this.outcome,
      make("section", {}, [make("div.field", {}, [make("label", { for: "train-model", text: "Model in use, here and in the inspector" }), this.models])]),
      make("section", {}, [make("h3", { text: "The networks of the density article" }),
        make("p.faint", { text: "Four small networks that read the share of text in each line, trained on the same labels." }),
        make("div.field", {}, [make("label", { for: "density-cost", text: "Cost of a wrongly kept line; that of a wrongly dropped one is 1" }), this.cost]),
        this.density, this.errors]),
    );
    document.getElementById("tab-train").addEventListener("chosen", () => this.refresh());
  }

  async refresh() {
    clearTimeout(this.timer);
    let state;
    try {
      state = await request(`/api/training${document.getElementById("panel-train").hidden ? "" : "?count"}`);
    } catch (problem) {
      this.status.textContent = problem.message;
      return;
    }
    this.#show(state);
    if (state.state === "running") this.timer = setTimeout(() => this.refresh(), POLL_MS);
  }

  #show(state) {
    const running = state.state === "running";
    this.train.hidden = running;
    this.stop.hidden = this.bar.hidden = !running;
    this.density.disabled = running;
    if (state.pages !== undefined) this.#showCounts(state);
    this.train.disabled = this.few || !state.can_train;
    if (!state.can_train) this.status.textContent = "Training needs torch: pip install 'bodytext[train]', then start bodytext label again.";
    this.#showModels(state);
    if (running) {
      if (state.share === null || state.share === undefined) this.bar.removeAttribute("value");
      else this.bar.value = state.share;
      this.status.textContent = `${state.lines.at(-1) ?? "starting"}${timeLeft(state.seconds_left)}`;
      this.shown = "";
      this.watched = true;
      return;
    }
    if (state.state === this.shown || state.state === "idle") return;
    this.shown = state.state;
    this.status.textContent = { failed: state.error, stopped: "Stopped; nothing has changed.", done: "" }[state.state];
    if (state.state === "done") this.#showOutcome(state);
  }

  #showCounts({ pages, sites, left }) {
    this.few = pages < FEWEST_PAGES;
    const unusable = left.length ? ` ${left.length} more cannot be used: ${left[0].page}: ${left[0].reason}.` : "";
    const advice = this.few ? "Label two or more pages and mark them as done; a dozen of a site are a good start."
      : "The model starts from its present weights and learns from these pages. It takes a minute or so, and you can go on labelling.";
    this.about.textContent = `${pages} ${pages === 1 ? "page is" : "pages are"} done, of ${sites} ${sites === 1 ? "site" : "sites"}. ${advice}${unusable}`;
  }

  #showModels({ models, model }) {
    const names = ["", ...models];
    if (this.models.options.length !== names.length) {
      this.models.replaceChildren(...names.map((name) => make("option", { value: name, text: name || "as shipped" })));
    }
    this.models.value = model;
  }

  #showOutcome(state) {
    if (state.method === "density") return this.#drawErrors(state);
    const { all, sites, claim, worse, enough } = state.outcome;
    const gain = all.after - all.before;
    const figures = `${all.before.toFixed(3)} with the shipped model, ${all.after.toFixed(3)} now`;
    const name = state.file.split(/[\\/]/).pop();
    this.outcome.replaceChildren(
      make("h3", { text: worse ? "It got worse" : "What it gained" }),
      make(`p.gain${worse ? ".worse" : ""}`, { text: sign(gain) }),
      make("p", { text: `${figures}, in word F1; ${claim}.` }),
      all.pages < enough ? make("p.notice", { text: `${all.pages} pages are too few to tell: a single page decides the mean. Label ${enough} or more.` }) : "",
      make("table.meta.gains", {}, [
        make("thead", {}, make("tr", {}, ["site", "pages", "shipped", "now", "gain"].map((text) => make("th", { scope: "col", text })))),
        make("tbody", {}, sites.map((row) => make("tr", {}, [
          make("th", { scope: "row", text: row.site || "no address" }), make("td.number", { text: row.pages }), make("td.number", { text: row.before.toFixed(3) }),
          make("td.number", { text: row.after.toFixed(3) }), make(`td.number.${row.after < row.before ? "worse" : "better"}`, { text: sign(row.after - row.before) }),
        ]))),
      ]),
      worse ? make("p", { text: this.#explainWorse(state.outcome) }) : "",
      worse ? make("p", {}, make("button.button.small", { type: "button", id: "train-anyway", text: "Use it anyway", disabled: state.model === name, onclick: () => this.#useAnyway(name) })) : "",
      make("p.faint", { text: `${worse ? "It" : "The model is in use now, here and in the inspector. It"} is saved with its card. To use it elsewhere:` }),
      make("code.command", { text: `bodytext page.html --model ${quote(state.file)}`, tabindex: "0", role: "group", "aria-label": "Command" }),
    );
    this.outcome.hidden = false;
    if (!this.watched) return undefined; // the training ended before this page was loaded
    announce(`${worse ? "It got worse" : "Trained"}. ${sign(gain)} word F1: ${figures}`);
    toast(worse ? "Trained, but it got worse: the model in use stays" : `Trained: ${sign(gain)} word F1`);
    return worse ? undefined : this.onModel();
  }

  #explainWorse({ all, sites }) {
    const lost = sites.map((row) => [row.site || "no address", row.before - row.after]).sort((a, b) => b[1] - a[1])[0];
    const why = all.after < all.before ? "The mean fell." : `${lost[0]} lost ${lost[1].toFixed(3)}.`;
    return `${why} So the model in use has not changed. Look for labels that contradict each other, or label more pages.`;
  }

  async #useAnyway(name) {
    this.models.value = name;
    await this.#use();
    document.getElementById("train-anyway").disabled = true;
  }

  // The article's figure: wrongly kept and wrongly dropped lines of the rules and the networks, compared with the fixed threshold.
  #drawErrors({ outcome, file }) {
    const most = Math.max(1, ...outcome.errors.map((row) => row.wrongly_kept + row.wrongly_dropped));
    const fixed = outcome.errors[0].wrongly_kept + outcome.errors[0].wrongly_dropped;
    this.errors.replaceChildren(
      make("p.figure-key", {}, [make("span", {}, [make("i.swatch.kept-wrongly"), "wrongly kept"]), make("span", {}, [make("i.swatch.dropped-wrongly"), "wrongly dropped"])]),
      make("table.errors", {}, [make("caption.unseen", { text: "Errors on lines that the networks were not trained on" }), make("tbody", {}, outcome.errors.map((row) => {
        const total = row.wrongly_kept + row.wrongly_dropped;
        const bar = make("div.error-bar", { "aria-hidden": "true" });
        for (const [name, number] of [["kept", row.wrongly_kept], ["dropped", row.wrongly_dropped]]) {
          if (!number) continue;
          const part = make(`i.${name}-wrongly`);
          part.style.width = `${(100 * number) / most}%`;
          bar.append(part);
        }
        return make("tr", {}, [make("th", { scope: "row", text: row.name }), make("td", {}, bar),
          make("td.number", { text: `${total.toLocaleString()}`, title: `${row.wrongly_kept} wrongly kept, ${row.wrongly_dropped} wrongly dropped` }),
          make("td.number", { text: fixed ? `${Math.round((100 * total) / fixed)}%` : "" })]);
      }))]),
      make("p.faint", { text: `Errors on ${outcome.errors[0].lines.toLocaleString()} lines, and as a share of the fixed threshold's. No network had seen the site of a line (or its page, if there is only one site). The article reports 20% for its best network.` }),
      make("code.command", { text: `bodytext page.html --method ${quote(`density:model=${file}`)}`, tabindex: "0", role: "group", "aria-label": "Command" }),
    );
    announce("The networks of the density article are trained");
  }

  async #start(method) {
    this.status.textContent = "starting";
    const cost = method === "density" ? { cost: Number(this.cost.value) } : {};
    await this.#ask("POST", "/api/training", { method, ...cost });
  }

  async #stop() {
    await this.#ask("DELETE", "/api/training");
  }

  async #use() {
    await this.#ask("PUT", "/api/training/model", { model: this.models.value });
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
const timeLeft = (seconds) => {
  if (seconds === null || seconds === undefined) return "";
  return `; at most ${seconds < 90 ? `${Math.ceil(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`} left`;
};
const sign = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
