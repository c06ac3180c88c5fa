// Functions that the modules of all parts share.
//
//   request(path, {method, body, json})   the JSON answer; sends the token; throws the server's message as an error
//   announce(message)                     for screen readers
//   make("p.note", {text, ...}, children) an element: tag.class.class, attributes, children
//   colours("--keep", ...)               the colours of CSS tokens, as a canvas needs them
//   debounce(f, ms)
//   toast(message)                        a short message on the screen and for screen readers
//   bindTabs()                            connects tabs with their panels; a chosen tab gets the event "chosen"
//   isTyping(event)                       whether a key is meant for a field, not as a command
//   capital(text)                         with a capital letter, unless it begins with a file name or an address

const TOKEN = document.querySelector('meta[name="bodytext-token"]')?.content ?? "";

export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function request(path, { method = "GET", body, json, headers = {}, signal } = {}) {
  const sent = { ...headers };
  if (method !== "GET") sent["x-bodytext-token"] = TOKEN;
  if (json !== undefined) {
    sent["content-type"] = "application/json";
    body = JSON.stringify(json);
  }
  let response;
  try {
    response = await fetch(path, { method, body, headers: sent, signal });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new RequestError(0, "the server does not answer: is bodytext still running?");
  }
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const answer = isJson ? await response.json() : await response.text();
  if (!response.ok) throw new RequestError(response.status, answer?.error ?? `the server answered ${response.status}`);
  return answer;
}

export function announce(message) {
  const place = document.getElementById("announcer");
  if (place) place.textContent = message;
}

let fading = 0;

export function toast(message) {
  announce(message);
  let place = document.querySelector(".toast");
  if (!place) {
    place = make("div.toast", { "aria-hidden": "true" });
    document.body.append(place);
  }
  place.textContent = message;
  place.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => place.classList.remove("shown"), 2400);
}

export function make(name, attributes = {}, children = []) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") element.textContent = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...[children].flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function debounce(call, milliseconds) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
}

export function bindTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
    chosen.dispatchEvent(new CustomEvent("chosen", { bubbles: true }));
  };
  for (const [number, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: number + 1, ArrowLeft: number - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const next = tabs[(to + tabs.length) % tabs.length];
      next.focus();
      choose(next);
    });
  }
}

export function capital(text) {
  return /^\S*[./]/.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function isTyping(event) {
  const field = event.target.closest?.("input:not([type=radio], [type=checkbox], [type=range]), textarea, select");
  return Boolean(field) && field.ownerDocument === document; // fields in a page's frame are disabled
}

let probe = null;
let known = new Map(); // computed styles are slow, and plots need many

document.addEventListener("themechange", () => { known = new Map(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { known = new Map(); });

export function colours(...names) {
  return names.map((name) => {
    if (!known.has(name)) known.set(name, colour(name));
    return known.get(name);
  });
}

function colour(name) {
  if (!probe) {
    probe = make("i", { hidden: true });
    document.body.append(probe);
  }
  probe.style.color = `var(${name})`; // a custom property is returned as written, a colour is computed
  return getComputedStyle(probe).color;
}
