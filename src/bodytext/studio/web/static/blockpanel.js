// All about a block: its text, every method's score, the reasons for and against, what is counted, where it stands.

import { make, request } from "./shell.js";

const WAIT_MS = 90; // a pointer that passes over blocks asks for none of them
const MOST_KNOWN = 300; // answers that are kept

export class BlockPanel {
  #host; #app; #acts;
  #known = new Map();
  #block = -1;
  #timer = 0;

  constructor(host, app, acts) {
    this.#host = host;
    this.#app = app;
    this.#acts = acts;
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
      const told = await request(`/api/pages/${this.#app.key}/blocks/${block}`);
      if (this.#known.size > MOST_KNOWN) this.#known.clear();
      this.#known.set(block, told);
      if (block === this.#block) this.#draw(told, true);
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
      make("p", { text: "Point at a block of the page to see what speaks for it and against it. Click or tap to hold on to it." }),
      make("p.keys", {}, [
        make("span", {}, [make("kbd", { text: "j" }), " ", make("kbd", { text: "k" }), " next, previous"]),
        make("span", {}, [make("kbd", { text: "+" }), " ", make("kbd", { text: "−" }), " threshold"]),
        make("span", {}, [make("kbd", { text: "Esc" }), " let go"]),
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
        make("span.said", { text: keeps ? "kept" : "dropped" }),
      ];
    });
    return make("div.scores", {}, rows);
  }

  #draw(told, whole) {
    const { page } = this.#app;
    const step = (way, words, sign) => make("button.quiet.icon.small", { type: "button", "aria-label": words, title: words, text: sign, onclick: () => this.#acts.move(way) });
    const head = make("div.block-head", {}, [
      make("h2", { text: `Block ${told.block + 1}` }),
      make("span.chip", { text: told.kind }),
      this.#state(),
      page.seen[told.block] ? null : make("span.chip", { text: "not shown" }),
      make("span.spread"),
      step(-1, "Previous block", "↑"),
      step(1, "Next block", "↓"),
    ]);
    const sections = [
      head,
      make("section", {}, make("div.block-text", { text: told.text, tabindex: "0", "aria-label": "Its text" })),
      make("section", {}, [make("h3", { text: "Scores" }), this.#scores()]),
    ];
    if (whole) sections.push(this.#reasons(told), this.#facts(told));
    else sections.push(make("section", {}, make("p.faint", { text: "…" })));
    sections.push(this.#path(told));
    if (whole) sections.push(this.#features(told));
    const scrolled = this.#host.scrollTop;
    this.#host.replaceChildren(...sections);
    this.#host.scrollTop = scrolled;
  }

  #reasons(told) {
    const all = [...told.for, ...told.against].sort((one, two) => Math.abs(two[1]) - Math.abs(one[1]));
    const most = Math.max(1, ...all.map(([, weight]) => Math.min(8, Math.abs(weight))));
    const lines = all.map(([words, weight]) => {
      const side = weight > 0 ? "for" : "against";
      const fill = make(`i.${side}`);
      fill.style.width = `${(50 * Math.min(most, Math.abs(weight))) / most}%`;
      return make("li", {}, [
        make("span.lean", { "aria-hidden": "true" }, fill),
        make("span", {}, [make("span.unseen", { text: `${side}: ` }), words]),
        make("span.value", { text: Math.abs(weight) >= 99 ? "" : `${weight > 0 ? "+" : "−"}${Math.abs(weight).toFixed(1)}` }),
      ]);
    });
    const nothing = told.note ?? "Nothing speaks clearly for or against it.";
    return make("section", {}, [
      make("h3", { text: "Reasons against and for it" }),
      all.length ? make("ul.reasons", {}, lines) : make("p.faint", { text: nothing }),
    ]);
  }

  #facts(told) {
    const entries = [...told.facts];
    if (told.places.length) entries.push(["stands in", told.places.join(", ")]);
    entries.push(["in the source", `bytes ${told.start.toLocaleString("en")} to ${told.end.toLocaleString("en")}`]);
    return make("section", {}, [
      make("h3", { text: "Counted" }),
      make("dl.facts", {}, entries.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })])),
    ]);
  }

  #path(told) {
    const steps = told.path.flatMap((step, number) => [
      number ? make("i", { text: "›" }) : null,
      make(number === told.path.length - 1 ? "b" : "span", { text: step }),
    ]);
    return make("section", {}, [make("h3", { text: "Path" }), make("p.path", {}, steps)]);
  }

  #features(told) {
    const lines = told.features.map(([name, value]) => make("li", {}, [make("span", { text: name }), String(value)]));
    return make("section", {}, make("details", {}, [
      make("summary", { text: `All that the network reads of it (${lines.length} numbers that are not 0)` }),
      make("ul.features.number", {}, lines),
    ]));
  }
}
