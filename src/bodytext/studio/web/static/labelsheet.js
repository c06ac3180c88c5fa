// Sheet: the labels of one page while they are edited. Label numbers: 0 neither, 1 content, 2 comment.
//
//   const sheet = new Sheet(page)               // the answer of GET /api/label/pages/KEY
//   sheet.paint(first, stop, label)             // one change for all these blocks; false if nothing changes
//   sheet.toggle(first, stop, label)            // the same, but removes the label if all blocks have it
//   sheet.paintEach(blocks, labels)             // one change that gives each of these blocks its own label
//   sheet.setFields({title: ...}), sheet.setDone(true), sheet.become({labels, fields, done}, summary)
//   sheet.undo(), sheet.redo()                  // the change that was undone or redone, or null
//   sheet.state()                               // {labels, fields, done}: copies
//   sheet.history(), sheet.recall(history)      // the changes as text; recall takes them back if they led to this state
//   sheet.ranges()                              // [[start, end, "content"], ...] as they are sent and stored

export const NAMES = ["neither", "content", "comment"];
export const FIELDS = ["title", "authors", "date", "page_type", "url"];

const MOST_CHANGES = 1000; // that can be undone
const MOST_REMEMBERED = 100; // after a reload

export class Sheet {
  constructor(page) {
    this.start = page.start;
    this.end = page.end;
    this.words = page.words;
    this.containers = page.containers;
    this.container = page.container;
    this.labels = Uint8Array.from(page.labels);
    this.fields = copyFields(page.fields);
    this.done = page.done;
    this.undone = [];
    this.changes = [];
  }

  get count() {
    return this.labels.length;
  }

  state() {
    return { labels: Uint8Array.from(this.labels), fields: copyFields(this.fields), done: this.done };
  }

  paint(first, stop, label) {
    const blocks = [];
    for (let block = first; block < stop; block++) {
      if (this.labels[block] !== label) blocks.push([block, this.labels[block], label]);
    }
    const summary = blocks.length === 1 ? `block ${blocks[0][0] + 1}: ${NAMES[label]}` : `${blocks.length} blocks: ${NAMES[label]}`;
    return this.#make({ blocks, summary });
  }

  toggle(first, stop, label) {
    let all = true;
    for (let block = first; block < stop; block++) all &&= this.labels[block] === label;
    return this.paint(first, stop, all ? 0 : label);
  }

  setFields(values) {
    const fields = {};
    for (const name of FIELDS) {
      if (name in values && !sameField(values[name], this.fields[name])) fields[name] = [this.fields[name], values[name]];
    }
    return this.#make({ fields, summary: Object.keys(fields).join(", ").replace("page_type", "page type") });
  }

  setDone(done) {
    return done !== this.done && this.#make({ done: [this.done, done], summary: done ? "done" : "not done" });
  }

  become(state, summary) {
    const blocks = [];
    for (let block = 0; block < this.count; block++) {
      if (this.labels[block] !== state.labels[block]) blocks.push([block, this.labels[block], state.labels[block]]);
    }
    const fields = {};
    for (const name of FIELDS) {
      if (!sameField(state.fields[name], this.fields[name])) fields[name] = [this.fields[name], state.fields[name]];
    }
    const done = state.done === this.done ? undefined : [this.done, state.done];
    return this.#make({ blocks, fields, done, summary });
  }

  #make({ blocks = [], fields = {}, done, summary }) {
    if (!blocks.length && !Object.keys(fields).length && !done) return false;
    const change = { blocks, fields, done, summary };
    this.#apply(change, 1);
    this.changes.push(change);
    if (this.changes.length > MOST_CHANGES) this.changes.shift();
    this.undone.length = 0;
    return true;
  }

  #apply(change, side) {
    for (const [block, before, after] of change.blocks) this.labels[block] = side ? after : before;
    for (const [name, values] of Object.entries(change.fields)) this.fields[name] = values[side];
    if (change.done) this.done = change.done[side];
  }

  undo() {
    const change = this.changes.pop();
    if (!change) return null;
    this.#apply(change, 0);
    this.undone.push(change);
    return change;
  }

  redo() {
    const change = this.undone.pop();
    if (!change) return null;
    this.#apply(change, 1);
    this.changes.push(change);
    return change;
  }

  history() {
    return JSON.stringify({ state: this.#digest(), changes: this.changes.slice(-MOST_REMEMBERED), undone: this.undone.slice(-MOST_REMEMBERED) });
  }

  recall(history) {
    let known = null;
    try { known = JSON.parse(history); } catch { /* it was cut off */ }
    if (known?.state !== this.#digest()) return false; // the page was changed elsewhere since
    this.changes = known.changes;
    this.undone = known.undone;
    return true;
  }

  // The state in few characters, to see whether it is the same.
  #digest() {
    let digest = 0;
    const text = `${this.labels.join("")} ${JSON.stringify(this.fields)} ${this.done}`;
    for (let at = 0; at < text.length; at++) digest = (Math.imul(digest, 31) + text.charCodeAt(at)) | 0;
    return `${this.count} ${digest}`;
  }

  paintEach(blocks, labels) {
    const changed = blocks.filter((block) => this.labels[block] !== labels[block]).map((block) => [block, this.labels[block], labels[block]]);
    return this.#make({ blocks: changed, summary: `${changed.length} ${changed.length === 1 ? "block" : "blocks"} as another annotator` });
  }

  ranges() {
    const ranges = [];
    for (let block = 0; block < this.count; block++) {
      if (this.labels[block]) ranges.push([this.start[block], this.end[block], NAMES[this.labels[block]]]);
    }
    return ranges;
  }

  // The labels of the blocks that ranges overlap: a draft may have been made on other blocks.
  labelsOf(ranges) {
    const labels = new Uint8Array(this.count);
    let at = 0;
    for (let block = 0; block < this.count; block++) {
      const [start, end] = [this.start[block], this.end[block]];
      while (at < ranges.length && ranges[at][1] <= start) at++;
      const covered = [0, 0, 0];
      for (let next = at; next < ranges.length && ranges[next][0] < end; next++) {
        const [from, to, name] = ranges[next];
        covered[NAMES.indexOf(name)] += Math.min(end, to) - Math.max(start, from);
      }
      if (2 * (covered[1] + covered[2]) >= end - start) labels[block] = covered[1] >= covered[2] ? 1 : 2;
    }
    return labels;
  }

  counts() {
    const blocks = [0, 0, 0], words = [0, 0, 0];
    for (let block = 0; block < this.count; block++) {
      blocks[this.labels[block]]++;
      words[this.labels[block]] += this.words[block];
    }
    return { blocks, words };
  }

  // The blocks of the smallest element that holds first..stop-1 and more; null if there is none.
  widen(first, stop) {
    let number = this.container[first] ?? -1;
    while (number >= 0) {
      const [begin, end, outer] = this.containers[number];
      if (begin <= first && end >= stop && end - begin > stop - first) return [begin, end];
      number = outer;
    }
    return null;
  }
}

export function sameState(mine, theirs) {
  return mine.done === theirs.done && differingBlocks(mine, theirs).length === 0
    && FIELDS.every((name) => sameField(mine.fields[name], theirs.fields[name]));
}

export function differingBlocks(mine, theirs) {
  const blocks = [];
  mine.labels.forEach((label, block) => label !== theirs.labels[block] && blocks.push(block));
  return blocks;
}

export function sameField(mine, theirs) {
  return Array.isArray(mine) ? mine.length === theirs?.length && mine.every((value, at) => value === theirs[at]) : mine === theirs;
}

const copyFields = (fields) => Object.fromEntries(FIELDS.map((name) => [name, Array.isArray(fields[name]) ? [...fields[name]] : fields[name] ?? ""]));
