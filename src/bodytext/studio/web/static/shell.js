// What the modules of all parts share.
//
//   request(path, {method, body, json})   -> the JSON answer; the token goes with it; an error says what the server said
//   announce(words)                       a screen reader says it
//   make("p.note", {text, ...}, children) an element: tag.class.class, properties and attributes, children
//   colours("--keep", ...)               the tokens' colours as a canvas takes them
//   debounce(f, ms)
//   toast(words)                          a short message on the screen and to screen readers
//   bindTabs()                            the page's tabs show their panels; a tab that is chosen hears "chosen"
//   isTyping(event)                       whether a key is meant for a field, and so is no command
//   capital(words)                        with a capital, unless they begin with the name of a file or an address

const TOKEN = document.querySelector('meta[name="bodytext-token"]')?.content ?? "";

export class RequestError extends Error {
  constructor(status, words) {
    super(words);
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

export function announce(words) {
  const place = document.getElementById("announcer");
  if (place) place.textContent = words;
}

let fading = 0;

export function toast(words) {
  announce(words);
  let place = document.querySelector(".toast");
  if (!place) {
    place = make("div.toast", { "aria-hidden": "true" });
    document.body.append(place);
  }
  place.textContent = words;
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
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
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

export function capital(words) {
  return /^\S*[./]/.test(words) ? words : words.slice(0, 1).toUpperCase() + words.slice(1);
}

export function isTyping(event) {
  const field = event.target.closest?.("input:not([type=radio], [type=checkbox], [type=range]), textarea, select");
  return Boolean(field) && field.ownerDocument === document; // a field in a page's frame takes no keys
}

let probe = null;
let known = new Map(); // a computed style is dear, and plots ask for many

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
  probe.style.color = `var(${name})`; // a custom property reads as it was written; a colour is worked out
  return getComputedStyle(probe).color;
}
