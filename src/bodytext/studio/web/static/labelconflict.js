// chooseVersion(mine, theirs, texts): shows two versions of a page's labels; resolves to true to keep mine.

import { make } from "./shell.js";
import { FIELDS, NAMES, differingBlocks, sameField } from "./labelsheet.js";

const MOST_ROWS = 200;
const FIELD_NAMES = { title: "title", authors: "authors", date: "date", page_type: "page type", url: "address" };

export function chooseVersion(mine, theirs, texts) {
  const dialog = document.getElementById("conflict");
  const blocks = differingBlocks(mine, theirs);
  const rows = FIELDS.filter((name) => !sameField(mine.fields[name], theirs.fields[name]))
    .map((name) => row(FIELD_NAMES[name], show(mine.fields[name]), show(theirs.fields[name])));
  if (mine.done !== theirs.done) rows.push(row("the page is", mine.done ? "done" : "not done", theirs.done ? "done" : "not done"));
  const fields = rows.length;
  rows.push(...blocks.slice(0, MOST_ROWS).map((block) => row(texts[block], NAMES[mine.labels[block]], NAMES[theirs.labels[block]])));
  if (blocks.length > MOST_ROWS) rows.push(row(`and ${blocks.length - MOST_ROWS} more blocks`, "", ""));
  document.getElementById("conflict-rows").replaceChildren(...rows);
  const when = theirs.time ? `, at ${new Date(theirs.time).toLocaleString()}` : "";
  const differing = [[blocks.length, "block"], [fields, "field"]].filter(([number]) => number).map(([number, word]) => `${number} ${word}${number === 1 ? "" : "s"}`);
  document.getElementById("conflict-words").textContent =
    `Another window or program has saved labels of this page since you opened it${when}. The versions differ in ${differing.join(" and ")}.`;
  dialog.showModal();
  return new Promise((resolve) => {
    const choose = (keepsMine) => {
      dialog.removeEventListener("cancel", refuse);
      dialog.close();
      resolve(keepsMine);
    };
    const refuse = (event) => event.preventDefault(); // a version must be chosen: nothing is saved until then
    dialog.addEventListener("cancel", refuse);
    document.getElementById("conflict-mine").onclick = () => choose(true);
    document.getElementById("conflict-theirs").onclick = () => choose(false);
  });
}

const show = (value) => (Array.isArray(value) ? value.join(", ") : value) || "nothing";
const row = (what, here, there) => make("tr", {}, [make("th.what", { scope: "row", text: what }), make("td", { text: here }), make("td", { text: there })]);
