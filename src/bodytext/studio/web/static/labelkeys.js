// The labelling tool's keys: bindKeys(tool) returns a handler for keydown events, fillHelp lists the keys.

import { isTyping, make } from "./shell.js";

const HELP = [
  ["↓ ↑ or j k", "next and previous block"],
  ["c  m  x", "mark as content, comment, neither"],
  ["Space", "change the label, or change it back"],
  ["Shift + ↓ ↑", "choose several blocks"],
  ["g", "choose all blocks of the element around; again for the next larger one"],
  ["e  E", "go to where the label changes next, or changed last"],
  ["Esc", "choose a single block again; leave a field"],
  ["u or Ctrl + Z", "undo"],
  ["r or Ctrl + Y", "redo"],
  ["n", "done, next page"],
  ["s", "skip to the next page; this one comes again later"],
  ["p", "back to the previous page"],
  ["t", "edit the title; Tab goes to the other fields"],
  ["?", "show these keys"],
];

export function fillHelp(list) {
  for (const [keys, words] of HELP) {
    const parts = keys.split(/( or | \+ |\s+)/).map((part) => (/^( or | \+ |\s*)$/.test(part) ? part : make("kbd", { text: part })));
    list.append(make("dt", {}, parts), make("dd", { text: words }));
  }
}

export function bindKeys(tool) {
  const plain = {
    c: () => tool.label(1), 1: () => tool.label(1), m: () => tool.label(2), 2: () => tool.label(2), x: () => tool.label(0), 3: () => tool.label(0),
    " ": () => tool.toggle(), Enter: () => tool.toggle(),
    g: () => tool.widen(), Escape: () => tool.setGroup(null),
    e: () => tool.edge(1), E: () => tool.edge(-1),
    u: () => tool.undo(), r: () => tool.redo(),
    n: () => tool.next(), s: () => tool.skip(), p: () => tool.back(),
    t: () => { document.getElementById("tab-page").click(); document.getElementById("field-title").focus(); },
    "?": () => document.getElementById("help").showModal(),
    j: () => tool.view.move(1), ArrowDown: () => tool.view.move(1), k: () => tool.view.move(-1), ArrowUp: () => tool.view.move(-1),
  };
  const shifted = { ArrowDown: () => tool.extend(1), ArrowUp: () => tool.extend(-1), J: () => tool.extend(1), K: () => tool.extend(-1) };
  const commanded = {
    z: (event) => (event.shiftKey ? tool.redo() : tool.undo()), y: () => tool.redo(),
    s: () => tool.saver?.settle(), Enter: () => tool.next(),
  };

  return (event) => {
    if (document.querySelector("dialog[open]") || document.getElementById("work").hidden) return;
    const target = event.target;
    if (isTyping(event)) {
      if (event.key === "Escape") {
        target.blur();
        tool.view.focus();
      }
      if (!(event.ctrlKey || event.metaKey) || event.key !== "Enter") return;
    }
    const acting = target.ownerDocument === document && target.closest?.("button, a, [role=tab], input, [tabindex='0']");
    if (acting && [" ", "Enter", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"].includes(event.key) && !event.ctrlKey) return;
    const command = event.ctrlKey || event.metaKey;
    if (event.altKey) return;
    const key = command ? event.key.toLowerCase().replace("enter", "Enter") : event.key;
    const call = command ? commanded[key] : (event.shiftKey && shifted[key]) || plain[key];
    if (!call) return;
    event.preventDefault();
    call(event);
  };
}
