// PageMap: the whole page on a strip beside its frame. A press calls steer with a share of the page's height.

import { colours } from "./shell.js";

const WIDTH = 56; // pixels, as in style.css
const LEAST_SCALE = 0.06; // so that a short, wide page is not a speck
const THIN = new Set([2, 5]); // states drawn as lines: dropped blocks

export class PageMap {
  #height = 1; // pixels of the page on the strip

  constructor(steer) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "pageview-map";
    this.canvas.setAttribute("aria-hidden", "true"); // the arrow keys do the same
    const press = (event) => steer((event.clientY - this.canvas.getBoundingClientRect().top) / this.#height);
    this.canvas.addEventListener("pointerdown", press);
    this.canvas.addEventListener("pointermove", (event) => event.buttons && press(event));
  }

  // Needs the places of the blocks, their states (pageview.js), the marked ones, and the frame's window.
  draw({ tops, bottoms, lefts, rights, states, marked, window: inner }) {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width) return;
    const { scrollWidth, scrollHeight, clientWidth } = inner.document.documentElement;
    this.#height = Math.max(1, Math.min(height, scrollHeight * Math.max(WIDTH / Math.max(1, clientWidth), LEAST_SCALE)));
    const down = this.#height / Math.max(1, scrollHeight), across = (width - 8) / Math.max(1, scrollWidth);
    const pen = this.#pen(width, height);
    const [none, keep, drop, comment, only, ink, pale] = colours(
      "--map-none", "--keep", "--map-drop", "--comment", "--only", "--ink", "--map-window",
    );
    const fills = [none, keep, drop, comment, only, only];
    let row = -1;
    const drawn = new Set(); // states on this row of pixels: on a long page hundreds of blocks share a row
    for (let block = 0; block < tops.length; block++) {
      const tall = (bottoms[block] - tops[block]) * down;
      if (!(tall > 0)) continue;
      const state = states ? states[block] : 0;
      const top = tops[block] * down;
      if (Math.floor(top) !== row) {
        row = Math.floor(top);
        drawn.clear();
      } else if (drawn.has(state) && tall < 1) continue;
      drawn.add(state);
      const wide = Math.max(1.5, (rights[block] - lefts[block]) * across);
      pen.fillStyle = fills[state];
      if (THIN.has(state)) pen.fillRect(4 + lefts[block] * across, top, Math.max(1.5, wide * 0.45), Math.min(1, Math.max(0.7, tall)));
      else pen.fillRect(4 + lefts[block] * across, top, wide, Math.max(0.7, tall - 0.4));
    }
    const top = inner.scrollY * down, tall = inner.innerHeight * down;
    pen.fillStyle = pale;
    pen.fillRect(0.5, top + 0.5, width - 1, tall);
    pen.globalAlpha = 0.45;
    pen.strokeStyle = ink;
    pen.strokeRect(0.5, top + 0.5, width - 1, tall);
    pen.globalAlpha = 1;
    pen.fillStyle = ink;
    for (const block of marked) pen.fillRect(0, tops[block] * down, 3, Math.max(3, (bottoms[block] - tops[block]) * down));
  }

  #pen(width, height) {
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== width * ratio || this.canvas.height !== height * ratio) {
      this.canvas.width = width * ratio;
      this.canvas.height = height * ratio;
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    return pen;
  }
}
