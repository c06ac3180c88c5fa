// Live figures of the published methods. Pointing at a figure highlights the block in the page, and the reverse.

import { PAD, Plot, STRIP, evenTicks, fillOf, hatch, powerTicks, short } from "./plot.js";
import { colours, make, request } from "./shell.js";

export class FiguresPanel {
  #host; #app; #actions;
  #numbers = null;
  #plots = [];
  #asking = null;
  #descent = [];

  constructor(host, app, actions) {
    this.#host = host;
    this.#app = app;
    this.#actions = actions;
    const again = () => this.refresh();
    document.addEventListener("themechange", again);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  }

  async shown() {
    if (this.#numbers) return this.refresh();
    if (this.#asking) return undefined;
    this.#host.replaceChildren(make("p.faint", { text: "Measuring …" }));
    this.#asking = request(`/api/pages/${this.#app.key}/figures`);
    try {
      this.#numbers = await this.#asking;
      this.#build();
    } catch (problem) {
      this.#host.replaceChildren(make("p.notice.bad", { text: problem.message }));
    }
    this.#asking = null;
    return undefined;
  }

  refresh() {
    if (!this.#numbers || this.#host.hidden) return;
    for (const plot of this.#plots) plot.paint();
  }

  // The hovered or chosen block has changed.
  mark() {
    if (!this.#numbers || this.#host.hidden) return;
    this.refresh();
    const at = this.#here();
    for (const [button, step] of this.#descent) button.classList.toggle("holds", at >= step.first && at < step.stop);
    for (const [readout, describe] of this.#readouts) readout.textContent = at >= 0 ? describe(at) : "";
  }

  #readouts = [];

  #here() {
    return this.#app.hovered >= 0 ? this.#app.hovered : this.#app.block;
  }

  #step(way) {
    const count = this.#app.page.count;
    if (count) this.#actions.choose(Math.max(0, Math.min(count - 1, this.#app.block + way)));
  }

  #figure(title, caption, key = []) {
    const figure = make("section.figure", { "aria-label": title }, [make("h2.minor", { text: title }), make("p", { text: caption }), key.length ? make("div.figure-key", {}, key) : null]);
    this.#host.append(figure);
    return figure;
  }

  #readout(figure, describe) {
    const place = make("p.readout");
    figure.append(place);
    this.#readouts.push([place, describe]);
  }

  #build() {
    this.#host.replaceChildren();
    if (!this.#app.page.count) {
      this.#host.append(make("div.empty", {}, make("p", { text: "There are no figures: the page has no blocks." })));
      return;
    }
    this.#lines();
    this.#plateau();
    this.#descend();
    this.#kinds();
    this.refresh();
    this.mark();
  }

  // ---- shared drawing ----

  #axes(pen, width, height, { ticks, up, along }) {
    const [line, faint] = colours("--line", "--faint");
    const bottom = height - PAD.bottom, right = width - PAD.right;
    pen.strokeStyle = line;
    pen.fillStyle = faint;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const [share, label] of ticks) {
      const y = Math.round(bottom - share * (bottom - PAD.top)) + 0.5;
      pen.beginPath(); pen.moveTo(PAD.left, y); pen.lineTo(right, y); pen.stroke();
      pen.fillText(label, PAD.left - 5, y);
    }
    pen.textBaseline = "alphabetic";
    pen.fillText(`${along} →`, right, height - 3);
    pen.textAlign = "left";
    pen.fillText(`↑ ${up}`, PAD.left, height - 3);
  }

  // The key to the strip under a plot.
  #keptKey() {
    const canvas = make("canvas", { width: "36", height: "22" });
    const pen = canvas.getContext("2d");
    [pen.fillStyle] = colours("--keep");
    pen.fillRect(0, 12, 36, 8);
    return make("span", {}, [canvas, "under the plot: kept"]);
  }

  #strip(pen, height, x, from, to) {
    const { kept, page } = this.#app;
    const [keep] = colours("--keep");
    pen.fillStyle = keep;
    let start = -1; // of a stretch of kept blocks
    for (let block = 0; block <= page.count; block++) {
      const keeps = block < page.count && kept[block];
      if (keeps && start < 0) start = block;
      if (!keeps && start >= 0) {
        const left = x(from(start));
        pen.fillRect(left, height - PAD.bottom + 2, Math.max(1, x(to(block - 1)) - left), STRIP - 2);
        start = -1;
      }
    }
  }

  #cursor(pen, height, x, at) {
    for (const [block, wide] of [[this.#app.block, 2], [at, 1]]) {
      if (block < 0) continue;
      const [ink] = colours("--ink");
      pen.fillStyle = ink;
      pen.fillRect(x(block) - wide / 2, PAD.top - 4, wide, height - PAD.bottom - PAD.top + 8);
    }
  }

  // ---- density and bytes of each line ----

  #lines() {
    const { html, text, density, threshold } = this.#numbers.lines;
    const count = this.#app.page.count;
    const key = (sample, label) => make("span", {}, [sample, label]);
    const swatch = (draw) => {
      const canvas = make("canvas", { width: "36", height: "22" });
      draw(canvas.getContext("2d"));
      return canvas;
    };
    const [keep, drop] = colours("--keep", "--drop");
    const sample = (colour, dash) => swatch((pen) => { pen.strokeStyle = colour; pen.lineWidth = 4; pen.setLineDash(dash); pen.beginPath(); pen.moveTo(0, 11); pen.lineTo(36, 11); pen.stroke(); });
    const figure = this.#figure("Density and bytes of each line", "A line is a block. It is dense if most of its HTML is text (method density).",
      [key(sample(keep, []), "text bytes"), key(sample(drop, [6, 4]), "HTML bytes"), this.#keptKey()]);
    const common = {
      find: (x, _, width) => Math.max(0, Math.min(count - 1, Math.floor((x - PAD.left) / (width - PAD.left - PAD.right) * count))),
      point: (block) => this.#actions.hover(block ?? -1),
      choose: (block) => this.#actions.choose(block),
      step: (way) => this.#step(way),
    };
    const across = (width) => (block) => PAD.left + ((block + 0.5) / count) * (width - PAD.left - PAD.right);
    const peaks = (values, width) => { // the highest of the blocks that share a pixel
      const columns = Math.min(count, Math.max(1, Math.floor(width - PAD.left - PAD.right)));
      const highest = new Float64Array(columns);
      for (let block = 0; block < count; block++) {
        const column = Math.floor((block * columns) / count);
        highest[column] = Math.max(highest[column], values[block]);
      }
      return highest;
    };
    const most = Math.log10(1 + html.reduce((most, bytes) => Math.max(most, bytes), 10));
    this.#plots.push(new Plot(figure, {
      ...common, height: 124, label: "Bytes of text and of HTML of each line, logarithmic",
      base: (pen, width, height) => {
        this.#axes(pen, width, height, { ticks: powerTicks(most), up: "bytes, logarithmic", along: "lines" });
        const bottom = height - PAD.bottom, tall = bottom - PAD.top;
        const curve = (values, colour, dash) => {
          const heights = peaks(values, width);
          const x = (column) => PAD.left + ((column + 0.5) / heights.length) * (width - PAD.left - PAD.right);
          pen.strokeStyle = colour; pen.lineWidth = 1.4; pen.setLineDash(dash); pen.beginPath();
          heights.forEach((value, column) => pen.lineTo(x(column), bottom - (Math.log10(1 + value) / most) * tall));
          pen.stroke(); pen.setLineDash([]);
        };
        const [solid, dashed] = colours("--keep", "--drop");
        curve(html, dashed, [3, 2]);
        curve(text, solid, []);
      },
      draw: (pen, width, height) => this.#cursor(pen, height, across(width), this.#here()),
    }));
    this.#plots.push(new Plot(figure, {
      ...common, height: 114, label: `Density of each line, with the threshold of ${threshold}`,
      base: (pen, width, height) => {
        this.#axes(pen, width, height, { ticks: evenTicks(1, (value) => value.toFixed(1)), up: "density", along: "lines" });
        const bottom = height - PAD.bottom, tall = bottom - PAD.top;
        const heights = peaks(density, width);
        const wide = (width - PAD.left - PAD.right) / heights.length;
        const [solid, pale, ink] = colours("--keep", "--map-drop", "--ink");
        heights.forEach((value, column) => {
          pen.fillStyle = value > threshold ? solid : pale;
          pen.fillRect(PAD.left + column * wide, bottom - value * tall, Math.max(0.8, wide - (wide > 3 ? 1 : 0)), value * tall);
        });
        pen.strokeStyle = ink; pen.setLineDash([4, 3]); pen.lineWidth = 1; pen.beginPath();
        pen.moveTo(PAD.left, bottom - threshold * tall); pen.lineTo(width - PAD.right, bottom - threshold * tall); pen.stroke(); pen.setLineDash([]);
      },
      draw: (pen, width, height) => {
        const x = (block) => PAD.left + (block / count) * (width - PAD.left - PAD.right);
        this.#strip(pen, height, x, (block) => block, (block) => block + 1);
        this.#cursor(pen, height, across(width), this.#here());
      },
    }));
    this.#readout(figure, (block) => `line ${block + 1}: ${text[block].toLocaleString("en")} bytes of text in ${html[block].toLocaleString("en")} of HTML, density ${density[block].toFixed(2)}`);
  }

  // ---- tags so far, and the plateau ----

  #plateau() {
    const { begin, end, tags, tags_after: after, tokens, all_tags: all, chosen } = this.#numbers.plateau;
    const figure = this.#figure("Tags so far, and the plateau", "Each tag is a step up, each word a step to the right, so text is flat. The stretch with the most words and the fewest tags is chosen (method finn).", [this.#keptKey()]);
    const x = (width) => (token) => PAD.left + (token / Math.max(1, tokens)) * (width - PAD.left - PAD.right);
    this.#plots.push(new Plot(figure, {
      height: 176, label: `Tags so far by token; the plateau goes from token ${chosen[0]} to ${chosen[1]} of ${tokens}`,
      find: (at, _, width) => {
        const token = ((at - PAD.left) / (width - PAD.left - PAD.right)) * tokens;
        let low = 0, high = begin.length - 1;
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          if (begin[middle] <= token) low = middle; else high = middle - 1;
        }
        return low;
      },
      point: (block) => this.#actions.hover(block ?? -1),
      choose: (block) => this.#actions.choose(block),
      step: (way) => this.#step(way),
      base: (pen, width, height) => {
        this.#axes(pen, width, height, { ticks: evenTicks(all, short), up: "tags so far", along: "words and tags" });
        const bottom = height - PAD.bottom, tall = bottom - PAD.top;
        const across = x(width), up = (value) => bottom - (value / Math.max(1, all)) * tall;
        const [only, keep, ink] = colours("--only", "--keep", "--ink");
        pen.globalAlpha = 0.4;
        pen.fillStyle = hatch(pen, only, "stripes");
        pen.fillRect(across(chosen[0]), PAD.top, across(chosen[1]) - across(chosen[0]), tall);
        pen.globalAlpha = 1;
        pen.strokeStyle = only; pen.lineWidth = 1.5;
        for (const edge of chosen) { pen.beginPath(); pen.moveTo(across(edge), PAD.top); pen.lineTo(across(edge), bottom); pen.stroke(); }
        pen.strokeStyle = keep; pen.lineWidth = 2; pen.beginPath(); pen.moveTo(across(0), up(0));
        for (let block = 0; block < begin.length; block++) { pen.lineTo(across(begin[block]), up(tags[block])); pen.lineTo(across(end[block]), up(after[block])); }
        pen.lineTo(across(tokens), up(all)); pen.stroke();
        pen.fillStyle = ink; pen.textAlign = "left";
        pen.fillText("plateau", Math.min(across(chosen[0]) + 5, width - 60), PAD.top + 10);
      },
      draw: (pen, width, height) => {
        const across = x(width);
        this.#strip(pen, height, across, (block) => begin[block], (block) => end[block]);
        this.#cursor(pen, height, (block) => across((begin[block] + end[block]) / 2), this.#here());
      },
    }));
    this.#readout(figure, (block) => `block ${block + 1}: tokens ${begin[block].toLocaleString("en")} to ${end[block].toLocaleString("en")}, ${tags[block].toLocaleString("en")} tags before it${begin[block] >= chosen[0] && end[block] <= chosen[1] ? ", on the plateau" : ""}`);
  }

  // ---- the descent ----

  #descend() {
    const { steps, stop, chosen } = this.#numbers.descent;
    const figure = this.#figure("The descent", `From the body down to the child with the longest text, until K, which measures how unevenly the text is spread, falls below ${stop} (method spread).`);
    const list = make("ol.descent");
    this.#descent = steps.map((step, number) => {
      const fill = make(step.spread < stop ? "i" : "i.drop");
      fill.style.width = `${Math.min(100, 2 * step.spread)}%`;
      const tick = make("u");
      tick.style.left = `${2 * stop}%`;
      const branches = step.children > 1;
      const summary = branches ? `K ${step.spread.toFixed(1)}, ${step.children} children` : "one child";
      const button = make(`button${number === chosen ? ".chosen" : ""}`, {
        type: "button", title: number === chosen ? "The body text is here" : undefined,
        onpointerenter: () => this.#actions.group(step.first, step.stop), onpointerleave: () => this.#actions.group(0, 0),
        onfocus: () => this.#actions.group(step.first, step.stop), onblur: () => this.#actions.group(0, 0),
        onclick: () => this.#actions.group(step.first, step.stop, true),
      }, [
        make("span.name", { text: `${"\u2002".repeat(Math.min(number, 8))}${step.name}` }),
        branches ? make("span.track", { "aria-hidden": "true" }, [fill, tick]) : make("span"),
        make("span.value", { text: number === chosen ? `${summary} ✓` : summary }),
      ]);
      list.append(make("li", {}, button));
      return [button, step];
    });
    figure.append(list);
    if (!steps.length) figure.append(make("p.faint", { text: "There is no text." }));
  }

  // ---- CUTER's kinds ----

  #kinds() {
    const { kinds, nodes, counts, limit } = this.#numbers.kinds;
    const count = this.#app.page.count;
    const present = kinds.filter((_, number) => counts[number]);
    const key = present.map((kind) => {
      const canvas = make("canvas", { width: "36", height: "22" });
      const pen = canvas.getContext("2d");
      pen.fillStyle = fillOf(pen, kind);
      pen.fillRect(0, 0, 36, 22);
      return make("span", {}, [canvas, `${kind} ${counts[kinds.indexOf(kind)].toLocaleString("en")}`]);
    });
    const figure = this.#figure("Kinds of nodes", `Nested elements, from the page at the top to its smallest parts at the bottom. A node with ${Math.round(100 * limit)} % or more of its text in links is navigation, or an advertisement if the links lead to other sites (method cuter).`, key);
    const levels = nodes.reduce((most, [level]) => Math.max(most, level), 0) + 1;
    const row = Math.max(9, Math.min(18, Math.floor(230 / levels)));
    const height = levels * row + 6;
    const x = (width) => (block) => (block / count) * width;
    let pointed = null;
    const plot = new Plot(figure, {
      height, label: `Kinds of nodes: ${present.map((kind) => `${counts[kinds.indexOf(kind)]} ${kind}`).join(", ")}`,
      find: (at, y, width) => {
        const level = Math.floor(y / row), block = (at / width) * count;
        for (let number = nodes.length - 1; number >= 0; number--) {
          const [own, first, stop] = nodes[number];
          if (own <= level && first <= block && block < stop) return number;
        }
        return -1;
      },
      point: (number) => {
        if (number === pointed) return;
        pointed = number === null || number < 0 ? null : number;
        if (pointed === null) { this.#actions.group(0, 0); this.#actions.hover(-1); readout.textContent = ""; plot.paint(); return; }
        const [, first, stop, kind, name] = nodes[pointed];
        this.#actions.group(first, stop);
        readout.textContent = `${name}: ${kinds[kind]}, ${stop - first === 1 ? `block ${first + 1}` : `blocks ${first + 1} to ${stop}`}`;
        plot.paint();
      },
      choose: (number) => { if (number >= 0) this.#actions.choose(nodes[number][1]); },
      step: (way) => this.#step(way),
      base: (pen, width) => {
        const across = x(width);
        const [card] = colours("--card");
        const fills = kinds.map((kind) => fillOf(pen, kind));
        for (const [level, first, stop, kind] of nodes) {
          const left = across(first), wide = Math.max(0.7, across(stop) - left);
          pen.fillStyle = card; pen.fillRect(left, level * row, wide, row);
          pen.globalAlpha = kinds[kind] === "text" ? 0.22 + 0.5 * (level / levels) : 1;
          pen.fillStyle = fills[kind]; pen.fillRect(left, level * row, Math.max(0.7, wide - (wide > 3 ? 1 : 0)), row - 1);
          pen.globalAlpha = 1;
        }
      },
      draw: (pen, width) => {
        const across = x(width);
        const [ink] = colours("--ink");
        if (pointed !== null) {
          const [level, first, stop] = nodes[pointed];
          pen.strokeStyle = ink; pen.lineWidth = 2; pen.strokeRect(across(first) + 1, level * row + 1, Math.max(2, across(stop) - across(first) - 2), row - 3);
        }
        const at = this.#here();
        if (at >= 0) {
          pen.fillStyle = ink;
          pen.fillRect(across(at + 0.5) - 0.75, 0, 1.5, height);
        }
      },
    });
    this.#plots.push(plot);
    const readout = make("p.readout");
    figure.append(readout);
  }
}
