// Saver: sends every change of one page's labels, one after the other; what is not saved yet is kept in the browser too.
//
//   const saver = new Saver(key, {revision, place, onState(state, words), onConflict()})
//   saver.save(sent)            // what PUT /api/label/pages/KEY takes, without the revision; the newest is sent
//   await saver.settle()        // true when all is saved; false where there is a conflict or a refusal
//   saver.resolve(revision)     // after a conflict: go on from the stored revision
//   saver.draft()               // what an earlier window of this browser had not saved: {revision, sent}, or null
//
// States: saved, saving, waiting (the server does not answer, tried again), conflict, refused.

import { request } from "./shell.js";

const RETRY_MS = 2000;

export class Saver {
  #waiting = null;
  #running = null;
  #timer = 0;
  #settled = [];
  #closed = false;

  constructor(key, { revision, place, onState, onConflict }) {
    this.key = key;
    this.revision = revision;
    this.name = `bodytext-draft ${place} ${key}`;
    this.onState = onState;
    this.onConflict = onConflict;
    this.state = "saved";
  }

  get pending() {
    return this.#waiting !== null || this.#running !== null;
  }

  draft() {
    try {
      return JSON.parse(localStorage.getItem(this.name));
    } catch {
      return null;
    }
  }

  forget() {
    try { localStorage.removeItem(this.name); } catch { /* nothing is kept there */ }
  }

  save(sent) {
    this.#waiting = JSON.stringify(sent); // once: the labels of a long page are half a megabyte
    this.#keep(this.#waiting);
    if (this.state !== "conflict" && !this.#running) this.#send();
  }

  #keep(sent) {
    try {
      localStorage.setItem(this.name, `{"revision": ${JSON.stringify(this.revision)}, "sent": ${sent}}`);
    } catch { /* a full or forbidden storage: the server has it in a moment */ }
  }

  resolve(revision) {
    this.revision = revision;
    this.#waiting = null;
    this.#say("saved");
    this.forget();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  settle() {
    if (!this.pending) return Promise.resolve(this.state === "saved");
    if (this.state === "conflict" || this.state === "refused") return Promise.resolve(false);
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  #say(state, words = "") {
    this.state = state;
    this.onState(state, words);
    if (state === "saving" || state === "waiting") return;
    for (const resolve of this.#settled.splice(0)) resolve(state === "saved");
  }

  async #send() {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#running = this.#waiting;
    this.#waiting = null;
    this.#say("saving");
    let problem = null;
    try {
      const body = `{"revision": ${JSON.stringify(this.revision)}, ${this.#running.slice(1)}`;
      const answer = await request(`/api/label/pages/${this.key}`, { method: "PUT", body, headers: { "content-type": "application/json" } });
      this.revision = answer.revision;
    } catch (error) {
      problem = error;
    }
    const sent = this.#running;
    this.#running = null;
    if (!problem) {
      if (this.#waiting) {
        this.#keep(this.#waiting); // on the revision that there is now
        return this.#send();
      }
      this.forget();
      return this.#say("saved");
    }
    this.#waiting ??= sent;
    if (problem.status === 409) {
      this.#say("conflict");
      return this.onConflict();
    }
    if (problem.status === 0 || problem.status >= 500) {
      this.#say("waiting", problem.message);
      this.#timer = setTimeout(() => this.#send(), RETRY_MS);
      return undefined;
    }
    return this.#say("refused", problem.message);
  }
}
