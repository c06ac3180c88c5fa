// The extracted result in every format, and what is known of the page: type, confidence, condition, metadata.

import { make, request, toast } from "./shell.js";

const MOST_SHOWN = 300_000; // characters; copying and saving take all
const SUFFIXES = { text: "txt", markdown: "md", tei: "tei.xml" };

export class ResultPanel {
  #host; #about; #app; #tell;
  #format = "text";
  #side = "method"; // whose answer, where two are compared
  #asked = 0;
  #text = "";
  #failed = false;
  #drawnFor = null;
  #count = make("span.faint.number");
  #shown = make("div.result-shown");

  constructor(host, about, app, tell) {
    this.#host = host;
    this.#about = about;
    this.#app = app;
    this.#tell = tell; // called with what is known of an answer
  }

  shown() {
    if (this.#failed) this.load();
  }

  // Asked also while the panel is hidden: what the method says of the page as a whole stands in the bar.
  async load() {
    const asked = ++this.#asked;
    this.#failed = false;
    if (!this.#app.other) this.#side = "method";
    const words = new URLSearchParams({ method: this.#app[this.#side], threshold: this.#app.threshold, format: this.#format });
    try {
      const { text, about } = await request(`/api/pages/${this.#app.key}/result?${words}`);
      if (asked !== this.#asked) return;
      this.#text = text;
      if (this.#side === "method") this.#tell(about);
      this.#drawResult(about);
      this.#drawAbout(about);
    } catch (problem) {
      if (asked !== this.#asked) return;
      this.#failed = true;
      this.#drawnFor = null;
      for (const host of [this.#host, this.#about]) host.replaceChildren(make("p.notice.bad", { text: problem.message }));
    }
  }

  #choice(name, entries, chosen, act) {
    return make("div.segments.formats", { role: "radiogroup", "aria-label": name }, entries.map(([value, words]) => {
      const input = make("input", { type: "radio", name, value, onchange: () => act(value) });
      input.checked = value === chosen;
      return make("label", {}, [input, make("span", { text: words })]);
    }));
  }

  // What can be clicked stays where it is while answers come: an element that is replaced between press and release hears no click.
  #drawTools() {
    const { method, other, shelf } = this.#app;
    if (this.#drawnFor === `${method} ${other}`) return;
    this.#drawnFor = `${method} ${other}`;
    const formats = this.#choice("Format", shelf.formats.map((name) => [name, name]), this.#format, (value) => { this.#format = value; this.load(); });
    const sides = other ? this.#choice("Whose result", [["method", method], ["other", other]], this.#side, (value) => { this.#side = value; this.load(); }) : null;
    const buttons = [
      make("button.button.small", { type: "button", text: "Copy", onclick: () => this.#copy() }),
      make("button.button.small", { type: "button", text: "Save", onclick: () => this.#save() }),
    ];
    this.#host.replaceChildren(...[sides, formats, make("div.result-head", {}, [this.#count, make("span.spread"), ...buttons]), this.#shown].filter(Boolean));
  }

  #drawResult(about) {
    this.#drawTools();
    const cut = this.#text.length > MOST_SHOWN;
    const text = make(`pre.result-text${this.#format === "text" ? ".prose" : ""}`, { tabindex: "0", "aria-label": `The result as ${this.#format}`, text: cut ? this.#text.slice(0, MOST_SHOWN) : this.#text });
    this.#count.textContent = `${about.words.toLocaleString("en")} words in ${about.paragraphs.toLocaleString("en")} ${about.paragraphs === 1 ? "paragraph" : "paragraphs"}`;
    this.#shown.replaceChildren(...[
      ...this.#notices(about),
      this.#text ? text : null,
      this.#text || about.reason ? null : make("div.empty", {}, make("p", { text: "Nothing is kept at this threshold. Lower it to keep more." })),
      cut ? make("p.faint", { text: `The first ${MOST_SHOWN.toLocaleString("en")} characters; copying and saving take all ${this.#text.length.toLocaleString("en")}.` }) : null,
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
      toast("Selected: your browser wants you to copy it yourself");
    }
  }

  #save() {
    const name = (this.#app.page.name.split("/").pop() || "page").replace(/\.x?html?(\.gz)?$/, "");
    const link = make("a", { href: URL.createObjectURL(new Blob([this.#text], { type: "text/plain" })), download: `${name}.${SUFFIXES[this.#format] ?? this.#format}` });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  #drawAbout(about) {
    const card = (name, value, note) => make("div", {}, [make("dt", { text: name }), make("dd", {}, [value, make("small", { text: note })])]);
    const sure = about.confidence === null ? "—" : about.confidence.toFixed(2);
    const cards = make("dl.verdict", {}, [
      card("Page type", about.page_type || "—", about.page_type ? "as the network sees it" : "this method does not tell"),
      card("Confidence", sure, about.confidence === null ? "not told of this page" : "the F1 to be expected"),
      card("Comments", String(about.comments), "found as posts, apart from the text"),
      card("Media", String(about.media), "images, videos, embeds in the text"),
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
      make("section", {}, [make("h3", { text: "What the page says of itself" }), rows.length ? make("table.meta", {}, make("tbody", {}, rows)) : make("p.faint", { text: "Nothing was found." })]),
      make("section", {}, [make("h3", { text: "Source" }), make("dl.facts", {}, source.filter(([, value]) => value).flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]))]),
    );
  }
}
