// The start screen: open a page from a file, pasted HTML, an address, or the list of pages.

import { capital, make, request } from "./shell.js";

const $ = (id) => document.getElementById(id);
const SHOWN = 400; // names in the list at once

export function startScreen(shelf, problem = "") {
  $("start").hidden = false;
  showError(problem);
  showList(shelf);
  const drop = $("drop");
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); sendFile(event.dataTransfer?.files?.[0]); });
  $("file").addEventListener("change", () => sendFile($("file").files[0]));
  $("paste-form").addEventListener("submit", (event) => {
    event.preventDefault();
    open($("paste-form"), () => request("/api/pages?name=pasted%20page", { method: "POST", body: new Blob([$("paste").value], { type: "text/html" }) }));
  });
  $("url-form").addEventListener("submit", (event) => {
    event.preventDefault();
    open($("url-form"), () => request("/api/pages", { method: "POST", json: { url: $("url").value } }));
  });
}

function showError(message) {
  $("start-error").textContent = capital(message);
  $("start-error").hidden = !message;
}

function sendFile(file) {
  if (file) open($("drop"), () => request(`/api/pages?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file }));
}

async function open(place, send) {
  const buttons = place.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  place.setAttribute("aria-busy", "true");
  showError("");
  try {
    const { key } = await send();
    location.assign(`/pages/${key}`);
  } catch (problem) {
    showError(problem.message);
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
    place.removeAttribute("aria-busy");
  }
}

function showList(shelf) {
  if (!shelf.pages.length) return;
  $("shelf").hidden = false;
  const show = () => {
    const wanted = $("shelf-filter").value.trim().toLowerCase();
    const matches = shelf.pages.filter((page) => page.name.toLowerCase().includes(wanted));
    $("shelf-list").replaceChildren(...matches.slice(0, SHOWN).map((page) => make("li", {}, make("a", { href: `/pages/${page.key}`, text: page.name }))));
    const hidden = matches.length - Math.min(matches.length, SHOWN) + (shelf.total - shelf.pages.length);
    const more = hidden > 0 ? `${hidden.toLocaleString("en")} more: filter by name to find them.` : "";
    $("shelf-note").textContent = matches.length ? more : "No page has this in its name.";
    $("shelf-list").hidden = !matches.length;
  };
  $("shelf-filter").addEventListener("input", show);
  $("shelf-filter").hidden = shelf.pages.length < 8;
  show();
}
