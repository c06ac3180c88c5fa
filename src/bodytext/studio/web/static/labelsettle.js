// SettlePanel: the blocks of a page that another annotator labelled otherwise, to decide one by one.
//
//   const panel = new SettlePanel(host, {onChoose(block), onTake(blocks, labels)})
//   panel.load(key)                  // asks for the labels of others; the server gives them once one's own are done
//   panel.show(page, sheet)          // after every change

import { make, request } from "./shell.js";
import { NAMES } from "./labelsheet.js";

const MOST_ROWS = 100;

export class SettlePanel {
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
    this.others = [];
  }

  async load(key) {
    this.key = key;
    this.others = [];
    const others = await request(`/api/label/pages/${key}/others`).catch(() => []);
    if (this.key === key) this.others = others; // another page may be open by now
  }

  show(page, sheet) {
    const sections = this.others.map((other) => this.#section(other, page, sheet));
    this.host.replaceChildren(...sections);
    this.host.hidden = !sections.length;
  }

  #section({ annotator, labels }, page, sheet) {
    const blocks = labels.flatMap((label, block) => (label !== sheet.labels[block] && page.seen[block] ? [block] : []));
    const count = blocks.length === 1 ? "1 block" : `${blocks.length.toLocaleString()} blocks`;
    const heading = make("h2", { text: blocks.length ? `${annotator} differs in ${count}` : `${annotator} agrees` });
    if (!blocks.length) return make("div", {}, heading);
    const rows = blocks.slice(0, MOST_ROWS).map((block) => make("li", {}, [
      make("button.quiet.settle-text", { type: "button", text: page.texts[block], onclick: () => this.actions.onChoose(block) }),
      make("span.faint", { text: `you: ${NAMES[sheet.labels[block]]}, ${annotator}: ${NAMES[labels[block]]}` }),
      make("button.button.small", { type: "button", text: `Take ${annotator}'s`, "aria-label": `Take ${annotator}'s label of: ${page.texts[block].slice(0, 80)}`, onclick: () => this.actions.onTake([block], labels) }),
    ]));
    return make("div", {}, [
      heading,
      make("p.faint", { text: "Choose a line to see it in the page. What you leave stays as you labelled it. Training uses the labels that were saved last." }),
      make("ul.settle-list", { "aria-label": heading.textContent }, rows),
      make("p", {}, make("button.button.small", { type: "button", text: `Take all of ${annotator}'s`, onclick: () => this.actions.onTake(blocks, labels) })),
    ]);
  }
}
