// All about a block: text, every method's score, the reasons as a sum, counts, surroundings.

import { make, request } from "./shell.js";

const WAIT_MS = 90; // so that a pointer that only passes over blocks sends no requests
const MOST_KNOWN = 300; // answers kept

export class BlockPanel {
  #host; #app; #actions;
  #known = new Map();
  #block = -1;
  #timer = 0;

  constructor(host, app, actions) {
    this.#host = host;
    this.#app = app;
    this.#actions = actions;
    this.#empty();
  }

  hover(block) {
    clearTimeout(this.#timer);
    const next = block >= 0 ? block : this.#app.block;
    this.#timer = setTimeout(() => this.#show(next), WAIT_MS);
  }

  hold(block) {
    clearTimeout(this.#timer);
    this.#show(block);
  }

  refresh() {
    const old = this.#host.querySelector(".scores");
    if (!old || this.#block < 0) return;
    old.replaceWith(this.#scores());
    this.#host.querySelector(".block-head .chip.state").replaceWith(this.#state());
  }

  async #show(block) {
    if (block === this.#block) return;
    this.#block = block;
    if (block < 0) return this.#empty();
    const known = this.#known.get(block);
    this.#draw(known ?? this.#fromColumns(block), Boolean(known));
    if (known) return;
    try {
      const details = await request(`/api/pages/${this.#app.key}/blocks/${block}`);
      if (this.#known.size > MOST_KNOWN) this.#known.clear();
      this.#known.set(block, details);
      if (block === this.#block) this.#draw(details, true);
    } catch (problem) {
      if (block === this.#block) this.#host.append(make("p.notice.bad", { text: problem.message }));
    }
  }

  #fromColumns(block) {
    const { texts, kinds, kind, path } = this.#app.page;
    return { block, text: texts[block], kind: kinds[kind[block]], path: path[block].split(" > ") };
  }

  #empty() {
    this.#block = -1;
    const icon = '<svg viewBox="0 0 48 48" aria-hidden="true"><path d="M8 10h32M8 18h32M8 26h12"/><path d="M24 24l16 7-7 3-3 7z"/></svg>';
    const box = make("div.empty");
    box.innerHTML = icon;
    box.append(
      make("p", { text: "Point at a block of the page to see the reasons for and against it. Click or tap to keep it selected." }),
      make("p.keys", {}, [
        make("span", {}, [make("kbd", { text: "j" }), " ", make("kbd", { text: "k" }), " next, previous"]),
        make("span", {}, [make("kbd", { text: "+" }), " ", make("kbd", { text: "−" }), " threshold"]),
        make("span", {}, [make("kbd", { text: "Esc" }), " deselect"]),
      ]),
    );
    this.#host.replaceChildren(box);
  }

  #state() {
    const keeps = this.#app.kept?.[this.#block];
    return make(`span.chip.state.${keeps ? "keep" : "drop"}`, { text: keeps ? "kept" : "dropped" });
  }

  #scores() {
    const { page, method, other, threshold } = this.#app;
    const rows = Object.entries(page.scores).flatMap(([name, scores]) => {
      const score = scores[this.#block];
      const keeps = score >= Math.max(threshold, 1.2e-38);
      const fill = make(keeps ? "i" : "i.drop");
      fill.style.width = `${100 * score}%`;
      const tick = make("u");
      tick.style.left = `calc(${100 * threshold}% - 1px)`;
      const chosen = name === method || name === other;
      return [
        make(`span.name${chosen ? ".chosen" : ""}`, { text: name }),
        make("span.track", { "aria-hidden": "true" }, [fill, tick]),
        make("span.value", { text: score.toFixed(2) }),
        make("span.decision", { text: keeps ? "kept" : "dropped" }),
      ];
    });
    return make("div.scores", {}, rows);
  }

  #draw(details, whole) {
    const { page } = this.#app;
    const step = (way, label, sign) => make("button.quiet.icon.small", { type: "button", "aria-label": label, title: label, text: sign, onclick: () => this.#actions.move(way) });
    const head = make("div.block-head", {}, [
      make("h2", { text: `Block ${details.block + 1}` }),
      make("span.chip", { text: details.kind }),
      this.#state(),
      page.seen[details.block] ? null : make("span.chip", { text: "not shown" }),
      make("span.spread"),
      step(-1, "Previous block", "↑"),
      step(1, "Next block", "↓"),
    ]);
    const sections = [
      head,
      make("section.block-said", {}, make("div.block-text", { text: details.text, tabindex: "0", role: "group", "aria-label": "Text of the block" })),
      whole ? this.#reasons(details) : make("section", {}, make("p.faint", { text: "…" })),
      make("section", {}, [make("h3", { text: "Scores" }), this.#scores()]),
    ];
    if (whole) sections.push(this.#facts(details));
    sections.push(this.#path(details));
    if (whole) sections.push(this.#features(details));
    const scrolled = this.#host.scrollTop;
    this.#host.replaceChildren(...sections);
    this.#host.scrollTop = scrolled;
  }

  // The reasons as a sum that can be checked: start + reasons + everything else + decision = score.
  #reasons({ reasons, sum, copy, note }) {
    const heading = make("h3", { text: "Why this score" });
    if (!sum) return make("section", {}, [heading, make("p.faint", { text: note })]);
    const most = Math.max(0.01, ...reasons.map(([, weight]) => Math.abs(weight)));
    const line = (words, weight, name = "") => {
      const side = weight > 0 ? "for" : "against";
      const fill = make(`i.${side}`);
      fill.style.width = `${(50 * Math.min(most, Math.abs(weight))) / most}%`;
      return make(`li${name && `.${name}`}`, {}, [
        make("span.lean", { "aria-hidden": "true" }, name ? "" : fill),
        make("span", {}, [name ? "" : make("span.unseen", { text: `${side}: ` }), words]),
        make("span.value", { text: signed(weight) }),
      ]);
    };
    return make("section", {}, [
      heading,
      make("ul.reasons", {}, [
        line("start: a block of which nothing is known", sum.start, "part"),
        ...reasons.map(([words, weight]) => line(words, weight)),
        line("everything else, and what these do together", sum.else, "part"),
        line(copy ? `the page's cut: ${copy}` : "the page's cut, and what belongs together", sum.decision, "part"),
        line(`= a score of ${sum.score.toFixed(2)}`, sum.total, "total"),
      ]),
      make("p.faint", { text: "In logits: 0 is a score of 0.50, +2 one of 0.88, −2 one of 0.12. A reason is an ablation: it is what the score loses if the network does not see it." }),
    ]);
  }

  #facts(details) {
    const entries = [...details.facts];
    if (details.places.length) entries.push(["is in", details.places.join(", ")]);
    entries.push(["in the source", `bytes ${details.start.toLocaleString("en")} to ${details.end.toLocaleString("en")}`]);
    return make("section", {}, [
      make("h3", { text: "Counts" }),
      make("dl.facts", {}, entries.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })])),
    ]);
  }

  #path(details) {
    const steps = details.path.flatMap((step, number) => [
      number ? make("i", { text: "›" }) : null,
      make(number === details.path.length - 1 ? "b" : "span", { text: step }),
    ]);
    return make("section", {}, [make("h3", { text: "Path" }), make("p.path", {}, steps)]);
  }

  #features(details) {
    const lines = details.features.map(([name, value]) => make("li", {}, [make("span", { text: name }), String(value)]));
    return make("section", {}, make("details", {}, [
      make("summary", { text: `Features that the network reads (${lines.length} that are not 0)` }),
      make("ul.features.number", {}, lines),
    ]));
  }
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
