// Plot: a figure on a canvas, with pointer and keys; and fills that differ by pattern as well as by colour.

import { colours, make } from "./shell.js";

export const PAD = { left: 34, right: 8, top: 8, bottom: 24 }; // the bottom holds the strip and the names of the axes
export const STRIP = 6; // pixels of the strip of kept blocks under a plot

// ---- a plot on a canvas: sizes, pointer, keys ----

export class Plot {
  constructor(host, { height, label, base, draw, find, point, choose, step }) {
    Object.assign(this, { height, base, draw, find, point, choose, step });
    this.canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": label });
    this.canvas.style.height = `${height}px`;
    host.append(this.canvas);
    this.canvas.addEventListener("pointermove", (event) => this.point(this.find(...this.#at(event)), event));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.canvas.addEventListener("click", (event) => this.choose(this.find(...this.#at(event))));
    this.canvas.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      this.step(way);
    });
    new ResizeObserver(() => this.paint()).observe(this.canvas);
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top, box.width];
  }

  // `base` draws what stays the same, once for a width and a theme; `draw` draws on top of it every time.
  paint() {
    const width = this.canvas.clientWidth;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    const [ink] = colours("--ink");
    if (this.made !== `${width} ${ratio} ${ink}`) {
      this.made = `${width} ${ratio} ${ink}`;
      this.canvas.width = width * ratio;
      this.canvas.height = this.height * ratio;
      this.under = document.createElement("canvas");
      this.under.width = this.canvas.width;
      this.under.height = this.canvas.height;
      this.base(this.#pen(this.under, ratio), width, this.height);
    }
    const pen = this.#pen(this.canvas, ratio);
    pen.clearRect(0, 0, width, this.height);
    pen.drawImage(this.under, 0, 0, width, this.height);
    this.draw(pen, width, this.height);
  }

  #pen(canvas, ratio) {
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11px system-ui, sans-serif";
    return pen;
  }
}

// Fills that differ by pattern as well as by colour.
export function hatch(pen, colour, kind) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const tilePen = tile.getContext("2d");
  tilePen.strokeStyle = tilePen.fillStyle = colour;
  tilePen.lineWidth = 1.6;
  tilePen.globalAlpha = 0.25;
  tilePen.fillRect(0, 0, 8, 8);
  tilePen.globalAlpha = 1;
  const line = (...points) => { tilePen.beginPath(); tilePen.moveTo(points[0], points[1]); tilePen.lineTo(points[2], points[3]); tilePen.stroke(); };
  if (kind === "stripes" || kind === "cross") { line(-2, 6, 6, -2); line(2, 10, 10, 2); }
  if (kind === "cross") { line(-2, 2, 6, 10); line(2, -2, 10, 6); }
  if (kind === "dots") { tilePen.beginPath(); tilePen.arc(4, 4, 1.7, 0, 7); tilePen.fill(); }
  return pen.createPattern(tile, "repeat");
}

const KIND_LOOKS = {
  text: ["--keep", "solid"], navigation: ["--drop", "stripes"], advertisement: ["--only", "cross"],
  multimedia: ["--comment", "dots"], empty: ["--faint", "none"],
};

export function fillOf(pen, kind) {
  const [token, pattern] = KIND_LOOKS[kind];
  const [colour] = colours(token);
  return pattern === "solid" ? colour : hatch(pen, colour, pattern);
}

// The lines of an axis: the height of each, as a share, and its label.
export const evenTicks = (most, format) => [0, 0.5, 1].map((share) => [share, format(share * most)]);

// The same for a height of log10(1 + value): 0 and powers of ten, no more than can be read.
export function powerTicks(most) {
  const top = Math.floor(most), every = top > 4 ? 2 : 1;
  const powers = Array.from({ length: Math.floor(top / every) }, (_, number) => 10 ** ((number + 1) * every));
  return [[0, "0"], ...powers.map((value) => [Math.log10(1 + value) / most, short(value)]).filter(([share]) => share <= 1)];
}

// A number in few characters.
export function short(value) {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1).replace(".0", "")}M`;
  if (value >= 1e4) return `${Math.round(value / 1e3)}k`;
  if (value >= 1e3) return `${(value / 1e3).toFixed(1).replace(".0", "")}k`;
  return String(Math.round(value));
}
