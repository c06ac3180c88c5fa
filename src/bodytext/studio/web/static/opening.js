// The start screen: a page from a file, from pasted HTML, from an address, or from the pages that were named.

import { capital, make, request } from "./shell.js";

const $ = (id) => document.getElementById(id);
const SHOWN = 400; // names in the list at once

export function startScreen(shelf, problem = "") {
  $("start").hidden = false;
  tell(problem);
  list(shelf);
  const drop = $("drop");
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); send(event.dataTransfer?.files?.[0]); });
  $("file").addEventListener("change", () => send($("file").files[0]));
  $("paste-form").addEventListener("submit", (event) => {
    event.preventDefault();
    open($("paste-form"), () => request("/api/pages?name=pasted%20page", { method: "POST", body: new Blob([$("paste").value], { type: "text/html" }) }));
  });
  $("url-form").addEventListener("submit", (event) => {
    event.preventDefault();
    open($("url-form"), () => request("/api/pages", { method: "POST", json: { url: $("url").value } }));
  });
}

function tell(words) {
  $("start-error").textContent = capital(words);
  $("start-error").hidden = !words;
}

function send(file) {
  if (file) open($("drop"), () => request(`/api/pages?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file }));
}

async function open(place, ask) {
  const buttons = place.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  place.setAttribute("aria-busy", "true");
  tell("");
  try {
    const { key } = await ask();
    location.assign(`/pages/${key}`);
  } catch (problem) {
    tell(problem.message);
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
    place.removeAttribute("aria-busy");
  }
}

function list(shelf) {
  if (!shelf.pages.length) return;
  $("shelf").hidden = false;
  const show = () => {
    const wanted = $("shelf-filter").value.trim().toLowerCase();
    const found = shelf.pages.filter((page) => page.name.toLowerCase().includes(wanted));
    $("shelf-list").replaceChildren(...found.slice(0, SHOWN).map((page) => make("li", {}, make("a", { href: `/pages/${page.key}`, text: page.name }))));
    const hidden = found.length - Math.min(found.length, SHOWN) + (shelf.total - shelf.pages.length);
    $("shelf-note").textContent = !found.length ? "No page has this in its name." : hidden > 0 ? `${hidden.toLocaleString("en")} more; filter to find them.` : "";
    $("shelf-list").hidden = !found.length;
  };
  $("shelf-filter").addEventListener("input", show);
  $("shelf-filter").hidden = shelf.pages.length < 8;
  show();
}
