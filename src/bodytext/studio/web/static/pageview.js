// PageView: a page in a sandboxed frame, with its blocks coloured by state; used by the inspector and by labelling.
//
//   const view = new PageView(host, {        // host: an empty element that the view fills
//     label: "The page",                     // for screen readers
//     drag: false,                           // true to choose a range of blocks by dragging, instead of selecting text
//     onHover(block),                        // the block under the pointer, or -1
//     onSelect(block, event),                // clicked, or reached by keyboard
//     onRange(first, last, event),           // dragged over, first <= last; only with drag
//     onKey(event),                          // a key in the frame that the view does not use itself
//     onScroll(),                            // the frame was scrolled
//   });
//   await view.show("/pages/KEY/frame")   // resolves when the whole page is loaded; colours appear while it loads
//   view.paint(states, levels)    // Uint8Arrays of numbers in STATES and of strengths from 0 to 9 (default 9)
//   view.hover(block)             // mark as hovered; -1 for none. Does not call onHover
//   view.select(block, {scroll})  // mark as chosen; -1 for none. Does not call onSelect
//   view.group(first, stop)       // mark the blocks first..stop-1; group(0, 0) removes the marks
//   view.move(step)               // select the next (1) or previous (-1) visible block, and call onSelect
//   view.reveal(true)             // show hidden blocks        view.dim(true)   fade dropped blocks
//   view.current, view.count (the number of states painted), view.isShown(block), view.scrollShare (get, set: 0 to 1), view.destroy()
//
// Keys in the frame: Down and j, Up and k, Home, End go from block to block; Enter selects again.
//
// States differ by pattern, bar and outline, never by hue alone (frame.css has their looks):
//   none      as its author made it       keep   solid bar and tint          drop    hatched
//   comment   dotted underline and bar    only   kept only here: framed      lost    kept only elsewhere: dashed frame
//
// Painting is fast on pages of tens of thousands of blocks: visible blocks change at once, the rest when the browser is
// idle, and only blocks whose look differs are touched.

import { PageMap } from "./pagemap.js";

export const STATES = ["none", "keep", "drop", "comment", "only", "lost"];

const SLICE_MS = 8; // of painting blocks that are not visible, before the browser gets its turn
const POLL_MS = 100; // while a page loads; doubled after each look
const FIRST = 400; // blocks painted while a page loads
const MARGIN = 200; // pixels above and below the window that are painted at once

const idle = window.requestIdleCallback?.bind(window) ?? ((call) => setTimeout(call, 1));

export class PageView {
  #host; #options; #frame; #glass; #map; #box;
  #elements = [];
  #looks = [];
  #tops = new Float32Array(0);
  #bottoms = new Float32Array(0);
  #lefts = new Float32Array(0);
  #rights = new Float32Array(0);
  #states = null;
  #levels = null;
  #round = 0;
  #loading = 0;
  #hovered = -1;
  #grouped = [0, 0];
  #pressed = -1;
  #listening = null;
  #left = null; // the page that is there until the next one arrives: it is not painted any more
  #observer;
  #drawing = false;
  count = 0;
  current = -1;

  constructor(host, options = {}) {
    this.#host = host;
    this.#options = options;
    host.classList.add("pageview");
    this.#box = document.createElement("div");
    this.#box.className = "pageview-box";
    this.#frame = document.createElement("iframe");
    this.#frame.setAttribute("sandbox", "allow-same-origin");
    this.#frame.setAttribute("referrerpolicy", "no-referrer");
    this.#frame.title = options.label ?? "The page with coloured blocks. Arrow keys go from block to block";
    this.#map = new PageMap((share) => this.#steer(share));
    this.#glass = this.#makeGlass();
    this.#box.append(this.#frame, this.#glass);
    host.replaceChildren(this.#box, this.#map.canvas);
    this.#observer = new ResizeObserver(() => this.#remeasure());
    this.#observer.observe(this.#box);
    document.addEventListener("themechange", () => this.#drawSoon());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#drawSoon());
  }

  get #document() {
    const inner = this.#frame.contentDocument;
    return inner !== this.#left && inner?.querySelector("style[data-bt-own]") ? inner : null;
  }

  get #window() {
    return this.#frame.contentWindow;
  }

  show(address) {
    this.current = this.#hovered = -1;
    this.#grouped = [0, 0];
    this.#forget();
    this.#left = this.#frame.contentDocument;
    const loading = ++this.#loading;
    this.#host.classList.add("loading");
    return new Promise((resolve) => {
      let wait = POLL_MS;
      const poll = () => {
        if (loading !== this.#loading || !this.#isLoading) return;
        if (!this.#document) {
          requestAnimationFrame(poll); // as soon as something is visible, it can be clicked
          return;
        }
        this.#take();
        setTimeout(poll, wait);
        wait *= 2;
      };
      requestAnimationFrame(poll);
      const done = () => {
        if (loading !== this.#loading) return;
        this.#host.classList.remove("loading");
        this.#take();
        resolve();
      };
      this.#frame.addEventListener("load", done, { once: true });
      this.#frame.setAttribute("src", address);
    });
  }

  destroy() {
    this.#loading++;
    this.#observer.disconnect();
    this.#host.replaceChildren();
  }

  #forget() {
    this.#elements = [];
    this.#looks = [];
    this.#tops = this.#bottoms = this.#lefts = this.#rights = new Float32Array(0);
    this.#round++;
  }

  // Takes what has arrived of the page: its elements by block, their places, and our listeners in it.
  #take() {
    const inner = this.#document;
    if (!inner) return;
    if (this.#listening !== inner) this.#listen(inner);
    const elements = [];
    for (const element of inner.querySelectorAll("[data-bt-b]")) {
      const block = Number(element.getAttribute("data-bt-b"));
      const known = elements[block];
      if (known === undefined) elements[block] = element;
      else if (Array.isArray(known)) known.push(element);
      else elements[block] = [known, element];
    }
    for (let block = 0; block < elements.length; block++) {
      const before = this.#elements[block];
      if (before !== elements[block] && !(Array.isArray(before) && before.length === elements[block]?.length)) {
        this.#looks[block] = ""; // more of it has arrived: set its look again
      }
    }
    this.#elements = elements;
    if (this.#isLoading) return this.#paintFirst(); // measuring would lay out the page again and again
    this.#measure();
    this.#paint();
    return undefined;
  }

  get #isLoading() {
    return this.#host.classList.contains("loading");
  }

  #paintFirst() {
    if (!this.#states) return;
    for (let block = 0; block < Math.min(FIRST, this.count); block++) this.#dress(block);
  }

  *#each(block) {
    const elements = this.#elements[block];
    if (Array.isArray(elements)) yield* elements;
    else if (elements) yield elements;
  }

  isShown(block) {
    return this.#bottoms[block] > this.#tops[block]; // false while it has not arrived
  }

  // ---- places of blocks ----

  #measure() {
    if (!this.#document || this.#isLoading) return;
    const count = this.#elements.length;
    const [tops, bottoms, lefts, rights] = [0, 0, 0, 0].map(() => new Float32Array(count));
    const { scrollX, scrollY } = this.#window;
    for (let block = 0; block < count; block++) {
      const elements = this.#elements[block];
      if (!elements) continue;
      let top = Infinity, bottom = -Infinity, left = Infinity, right = -Infinity;
      for (const element of Array.isArray(elements) ? elements : [elements]) {
        const box = element.getBoundingClientRect();
        if (!box.width && !box.height) continue;
        top = Math.min(top, box.top); bottom = Math.max(bottom, box.bottom);
        left = Math.min(left, box.left); right = Math.max(right, box.right);
      }
      if (top === Infinity) continue;
      tops[block] = top + scrollY; bottoms[block] = bottom + scrollY;
      lefts[block] = left + scrollX; rights[block] = right + scrollX;
    }
    [this.#tops, this.#bottoms, this.#lefts, this.#rights] = [tops, bottoms, lefts, rights];
    this.#drawSoon();
  }

  #timer = 0;

  #remeasure() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#measure(), 150);
  }

  #inWindow() {
    const { scrollY, innerHeight } = this.#window;
    const from = scrollY - MARGIN, to = scrollY + innerHeight + MARGIN;
    const blocks = [];
    for (let block = 0; block < this.#tops.length; block++) {
      if (this.#bottoms[block] >= from && this.#tops[block] <= to && this.#elements[block]) blocks.push(block);
    }
    return blocks;
  }

  // ---- colours ----

  paint(states, levels = null) {
    this.#states = states;
    this.#levels = levels;
    this.count = states.length;
    if (this.#isLoading) this.#take();
    else this.#paint();
  }

  #paint() {
    if (!this.#states || !this.#document) return;
    const round = ++this.#round;
    for (const block of this.#inWindow()) this.#dress(block);
    this.#drawSoon();
    let next = 0;
    const slice = () => {
      if (round !== this.#round) return;
      const stop = performance.now() + SLICE_MS;
      while (next < this.count) {
        this.#dress(next++);
        if (next % 64 === 0 && performance.now() > stop) break;
      }
      if (next < this.count) idle(slice);
    };
    idle(slice);
  }

  #dress(block) {
    const look = `${STATES[this.#states[block]]} ${this.#levels ? this.#levels[block] : 9}`;
    if (this.#looks[block] === look || !this.#elements[block]) return;
    this.#looks[block] = look;
    for (const element of this.#each(block)) element.setAttribute("data-bt-s", look);
  }

  #toggle(block, name, on) {
    for (const element of this.#each(block)) element.toggleAttribute(name, on);
  }

  hover(block) {
    if (block === this.#hovered) return;
    this.#toggle(this.#hovered, "data-bt-hover", false);
    this.#hovered = block;
    this.#toggle(block, "data-bt-hover", true);
    this.#drawSoon();
  }

  select(block, { scroll = true } = {}) {
    this.#toggle(this.current, "data-bt-here", false);
    this.current = block;
    this.#toggle(block, "data-bt-here", true);
    if (scroll) this.scrollTo(block);
    this.#drawSoon();
  }

  group(first, stop) {
    for (let block = this.#grouped[0]; block < this.#grouped[1]; block++) this.#toggle(block, "data-bt-group", false);
    this.#grouped = [first, stop];
    for (let block = first; block < stop; block++) this.#toggle(block, "data-bt-group", true);
  }

  reveal(on) {
    this.#document?.documentElement.toggleAttribute("data-bt-reveal", on);
    this.#measure();
  }

  dim(on) {
    this.#document?.documentElement.toggleAttribute("data-bt-dim", on);
  }

  scrollTo(block) {
    if (!this.#document || block < 0 || !this.isShown(block)) return;
    const { scrollY, innerHeight } = this.#window;
    const top = this.#tops[block], bottom = this.#bottoms[block];
    if (top >= scrollY + 40 && bottom <= scrollY + innerHeight - 40) return;
    this.#window.scrollTo({ top: Math.max(0, top - innerHeight / 4), behavior: "instant" });
  }

  // Brings a place in the page, from 0 to 1, to the middle of the window.
  #steer(share) {
    const inner = this.#document?.documentElement;
    if (!inner) return;
    this.#window.scrollTo({ top: share * inner.scrollHeight - this.#window.innerHeight / 2, behavior: "instant" });
    this.#scrolled();
  }

  get scrollShare() {
    const inner = this.#document?.documentElement;
    return inner ? this.#window.scrollY / Math.max(1, inner.scrollHeight - this.#window.innerHeight) : 0;
  }

  set scrollShare(share) {
    const inner = this.#document?.documentElement;
    if (inner) this.#window.scrollTo({ top: share * (inner.scrollHeight - this.#window.innerHeight), behavior: "instant" });
  }

  // ---- pointer and keys ----

  // WebKit calls no listeners in a frame without scripts, not even ours (its bug 218086). There, a transparent layer over
  // the frame listens instead.
  #listen(inner) {
    this.#listening = inner;
    let works = false;
    inner.addEventListener("bt-listens", () => { works = true; }, { once: true });
    inner.dispatchEvent(new Event("bt-listens"));
    this.#glass.hidden = works;
    this.#frame.tabIndex = works ? 0 : -1;
    if (works) {
      this.#listenTo(inner);
      inner.documentElement.addEventListener("pointerleave", () => this.#leave());
      inner.addEventListener("scroll", () => this.#scrolled());
      this.#showFocus(inner);
    }
    this.#observer.observe(inner.documentElement);
  }

  // Frames the page while the keyboard acts on it. The style cannot: iframe:focus does not hold then.
  #showFocus(inner) {
    let pointed = false;
    const show = (on) => this.#box.classList.toggle("focused", on);
    inner.addEventListener("pointerdown", () => { pointed = true; show(false); });
    inner.addEventListener("keydown", () => show(true));
    inner.defaultView.addEventListener("focus", () => show(!pointed));
    inner.defaultView.addEventListener("blur", () => { pointed = false; show(false); });
  }

  #makeGlass() {
    const glass = document.createElement("div");
    glass.className = "pageview-glass";
    glass.hidden = true;
    glass.tabIndex = 0;
    glass.setAttribute("role", "application");
    glass.setAttribute("aria-label", this.#frame.title);
    this.#listenTo(glass);
    glass.addEventListener("pointerleave", () => this.#leave());
    const scroll = (x, y) => {
      this.#window.scrollBy({ left: x, top: y, behavior: "instant" });
      this.#scrolled();
    };
    glass.addEventListener("wheel", (event) => {
      event.preventDefault();
      const unit = [1, 20, this.#window.innerHeight][event.deltaMode];
      scroll(event.deltaX * unit, event.deltaY * unit);
    }, { passive: false });
    glass.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") scroll(-event.movementX, -event.movementY);
    });
    glass.addEventListener("keydown", (event) => {
      const pages = { PageDown: 0.9, PageUp: -0.9, " ": event.shiftKey ? -0.9 : 0.9 }[event.key];
      if (pages && !event.defaultPrevented) scroll(0, pages * this.#window.innerHeight);
    });
    return glass;
  }

  #blockOf(event) {
    const onGlass = event.currentTarget === this.#glass;
    const target = onGlass ? this.#document?.elementFromPoint(event.offsetX, event.offsetY) : event.target;
    const element = target?.closest?.("[data-bt-b]");
    return element ? Number(element.getAttribute("data-bt-b")) : -1;
  }

  #listenTo(place) {
    place.addEventListener("pointermove", (event) => {
      const block = this.#blockOf(event);
      if (this.#pressed >= 0 && !(event.buttons & 1)) { // released outside the frame
        this.#pressed = -1;
        this.group(0, 0);
      }
      if (this.#pressed >= 0 && block >= 0) this.group(Math.min(this.#pressed, block), Math.max(this.#pressed, block) + 1);
      if (block === this.#hovered) return;
      this.hover(block);
      this.#options.onHover?.(block);
    });
    place.addEventListener("pointerdown", (event) => {
      if (this.#options.drag && event.button === 0 && event.pointerType !== "touch") this.#pressed = this.#blockOf(event);
    });
    place.addEventListener("mousedown", (event) => {
      if (this.#options.drag) event.preventDefault(); // selects no text; the frame must still get the keys:
      this.focus();
    });
    place.addEventListener("pointerup", (event) => {
      const from = this.#pressed, to = this.#blockOf(event);
      this.#pressed = -1;
      if (from < 0) return;
      this.group(0, 0);
      if (to >= 0 && to !== from) this.#options.onRange?.(Math.min(from, to), Math.max(from, to), event);
      else if (to >= 0) this.#choose(to, event);
    });
    place.addEventListener("click", (event) => {
      event.preventDefault();
      if (this.#options.drag && event.pointerType !== "touch") return;
      const block = this.#blockOf(event);
      if (block >= 0) this.#choose(block, event);
    });
    place.addEventListener("keydown", (event) => {
      event.stopPropagation(); // the layer is in the app's page, whose own keys would act too
      this.#press(event);
    });
  }

  #leave() {
    this.hover(-1);
    this.#options.onHover?.(-1);
  }

  #scrolled() {
    this.#drawSoon();
    if (this.#states && !this.#isLoading) for (const block of this.#inWindow()) this.#dress(block);
    this.#options.onScroll?.();
  }

  #choose(block, event) {
    this.select(block, { scroll: false });
    this.#options.onSelect?.(block, event);
  }

  #press(event) {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    if (plain && step && !event.shiftKey) {
      event.preventDefault();
      this.move(step, event);
    } else if (plain && (event.key === "Home" || event.key === "End")) {
      event.preventDefault();
      if (event.key === "Home") this.#go(0, 1, event);
      else this.#go(this.count - 1, -1, event);
    } else if (plain && event.key === "Enter" && this.current >= 0 && !this.#options.onKey) {
      this.#options.onSelect?.(this.current, event);
    } else {
      this.#options.onKey?.(event);
    }
  }

  move(step, event = null) {
    this.#go(this.current < 0 && step > 0 ? this.#firstInWindow() : this.current + step, step, event);
  }

  // Selects the first visible block from `block` on in a direction.
  #go(block, step, event) {
    while (block >= 0 && block < this.count && !this.isShown(block)) block += step;
    if (block < 0 || block >= this.count) return;
    this.select(block);
    this.#options.onSelect?.(block, event);
  }

  #firstInWindow() {
    const top = this.#document ? this.#window.scrollY : 0;
    for (let block = 0; block < this.count; block++) if (this.isShown(block) && this.#tops[block] >= top) return block;
    return 0;
  }

  focus() {
    if (this.#glass.hidden) this.#frame.focus();
    else this.#glass.focus({ preventScroll: true });
  }

  // ---- the map beside the frame ----

  #drawSoon() {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      if (!this.#document || this.#isLoading) return;
      const [tops, bottoms, lefts, rights] = [this.#tops, this.#bottoms, this.#lefts, this.#rights];
      const marked = [this.#hovered, this.current].filter((block) => block >= 0 && this.isShown(block));
      this.#map.draw({ tops, bottoms, lefts, rights, states: this.#states, marked, window: this.#window });
    });
  }
}
