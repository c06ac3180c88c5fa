// The extracted result in every format, and what is known about the page: type, confidence, problems, metadata.

import { make, request, toast } from "./shell.js";

const MOST_SHOWN = 300_000; // characters; Copy and Save take all

export class ResultPanel {
  #host; #about; #app; #onAnswer;
  #format = "text";
  #side = "method"; // or "other", if two methods are compared
  #requests = 0;
  #text = "";
  #failed = false;
  #drawnFor = null;
  #count = make("span.faint.number");
  #shown = make("div.result-shown");

  constructor(host, about, app, onAnswer) {
    this.#host = host;
    this.#about = about;
    this.#app = app;
    this.#onAnswer = onAnswer; // called with what is known about a result
  }

  shown() {
    if (this.#failed) this.load();
  }

  // Also while the panel is hidden: the bar shows what the method says about the page as a whole.
  async load() {
    const number = ++this.#requests;
    this.#failed = false;
    if (!this.#app.other) this.#side = "method";
    const query = new URLSearchParams({ method: this.#app[this.#side], threshold: this.#app.threshold, format: this.#format });
    try {
      const { text, about } = await request(`/api/pages/${this.#app.key}/result?${query}`);
      if (number !== this.#requests) return;
      this.#text = text;
      if (this.#side === "method") this.#onAnswer(about);
      this.#drawResult(about);
      this.#drawAbout(about);
    } catch (problem) {
      if (number !== this.#requests) return;
      this.#failed = true;
      this.#drawnFor = null;
      for (const host of [this.#host, this.#about]) host.replaceChildren(make("p.notice.bad", { text: problem.message }));
    }
  }

  #choice(name, entries, chosen, act) {
    return make("div.segments.formats", { role: "radiogroup", "aria-label": name }, entries.map(([value, label, title]) => {
      const input = make("input", { type: "radio", name, value, onchange: () => act(value) });
      input.checked = value === chosen;
      return make("label", { title }, [input, make("span", { text: label })]);
    }));
  }

  // The controls are not replaced when an answer arrives: an element that is replaced between press and release gets no click.
  #drawTools() {
    const { method, other, shelf } = this.#app;
    if (this.#drawnFor === `${method} ${other}`) return;
    this.#drawnFor = `${method} ${other}`;
    const formats = this.#choice("Format", Object.entries(shelf.formats).map(([name, { description }]) => [name, name, description]), this.#format, (value) => { this.#format = value; this.load(); });
    const sides = other ? this.#choice("Result of", [["method", method], ["other", other]], this.#side, (value) => { this.#side = value; this.load(); }) : null;
    const buttons = [
      make("button.button.small", { type: "button", text: "Copy", onclick: () => this.#copy() }),
      make("button.button.small", { type: "button", text: "Save", onclick: () => this.#save() }),
    ];
    this.#host.replaceChildren(...[sides, formats, make("div.result-head", {}, [this.#count, make("span.spread"), ...buttons]), this.#shown].filter(Boolean));
  }

  #drawResult(about) {
    this.#drawTools();
    const cut = this.#text.length > MOST_SHOWN;
    const text = make(`pre.result-text${this.#format === "text" ? ".prose" : ""}`, { tabindex: "0", role: "group", "aria-label": `The result as ${this.#format}`, text: cut ? this.#text.slice(0, MOST_SHOWN) : this.#text });
    this.#count.textContent = `${about.words.toLocaleString("en")} words in ${about.paragraphs.toLocaleString("en")} ${about.paragraphs === 1 ? "paragraph" : "paragraphs"}`;
    this.#shown.replaceChildren(...[
      ...this.#notices(about),
      this.#text ? text : null,
      this.#text || about.reason ? null : make("div.empty", {}, make("p", { text: "No block reaches this threshold. Lower it to keep more." })),
      cut ? make("p.faint", { text: `The first ${MOST_SHOWN.toLocaleString("en")} characters; Copy and Save take all ${this.#text.length.toLocaleString("en")}.` }) : null,
    ].filter(Boolean));
  }

  #notices(about) {
    const notices = [];
    if (about.reason) notices.push(make("p.notice.bad", { text: `${about.reason[0].toUpperCase()}${about.reason.slice(1)}.` }));
    if (about.origin) notices.push(make("p.notice", { text: `The page does not show this text: it was found in ${about.origin}, so no block of the page is marked for it.` }));
    return notices;
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#text);
      toast(`Copied as ${this.#format}`);
    } catch {
      getSelection().selectAllChildren(this.#host.querySelector(".result-text"));
      toast("Your browser does not let us copy: the text is selected, copy it yourself");
    }
  }

  #save() {
    const name = (this.#app.page.name.split("/").pop() || "page").replace(/\.x?html?(\.gz)?$/, "");
    const link = make("a", { href: URL.createObjectURL(new Blob([this.#text], { type: "text/plain" })), download: `${name}${this.#app.shelf.formats[this.#format].suffix}` });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  #drawAbout(about) {
    const card = (name, value, note) => make("div", {}, [make("dt", { text: name }), make("dd", {}, [value, make("small", { text: note })])]);
    const sure = about.confidence === null ? "—" : about.confidence.toFixed(2);
    const cards = make("dl.verdict", {}, [
      card("Page type", about.page_type || "—", about.page_type ? "according to the network" : "not given by this method"),
      card("Confidence", sure, about.confidence === null ? "not given for this page" : "the expected F1"),
      card("Comments", String(about.comments), "found as posts, separate from the text"),
      card("Media", String(about.media), "images, videos and embeds in the text"),
    ]);
    const rows = about.metadata.map(({ field, value, source, confidence }) => make("tr", {}, [
      make("th", { scope: "row", text: field }),
      make("td", {}, [Array.isArray(value) ? value.join(field === "breadcrumb" ? " › " : ", ") : String(value), source ? make("small", { text: `${source}, ${Math.round(100 * confidence)} % sure` }) : null]),
    ]));
    const page = this.#app.page;
    const source = [["name", page.name], ["address", page.url], ["encoding", page.encoding], ["size", `${page.bytes.toLocaleString("en")} bytes, ${page.count.toLocaleString("en")} blocks`]];
    this.#about.replaceChildren(
      ...this.#notices(about),
      cards,
      make("section", {}, [make("h2.minor", { text: "Metadata" }), rows.length ? make("table.meta", { "aria-label": "Metadata" }, make("tbody", {}, rows)) : make("p.faint", { text: "None found." })]),
      make("section", {}, [make("h2.minor", { text: "Source" }), make("dl.facts", {}, source.filter(([, value]) => value).flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]))]),
    );
  }
}
