// Saver: sends every change of one page's labels, one after the other; the browser keeps a draft of unsaved changes.
//
//   const saver = new Saver(key, {revision, place, onState(state, message), onConflict()})
//   saver.save(sent)            // the body of PUT /api/label/pages/KEY without the revision; only the newest is sent
//   await saver.settle()        // true when all is saved; false after a conflict or a refusal
//   saver.resolve(revision)     // after a conflict: continue from the stored revision
//   saver.remember(history), saver.recall()   // the changes that can be undone, kept over a reload of this window
//   saver.draft()               // what an earlier window of this browser did not save: {revision, sent}, or null
//
// States: saved, saving, waiting (to try again: the server does not answer), conflict, refused.

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
    this.historyName = `bodytext-undo ${place} ${key}`;
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
    try { localStorage.removeItem(this.name); } catch { /* there is no storage */ }
  }

  remember(history) {
    try {
      sessionStorage.setItem(this.historyName, history);
    } catch {
      try { sessionStorage.clear(); } catch { /* there is no storage */ }
    }
  }

  recall() {
    try {
      return sessionStorage.getItem(this.historyName) ?? "";
    } catch {
      return "";
    }
  }

  save(sent) {
    this.#waiting = JSON.stringify(sent); // only once: the labels of a long page are half a megabyte
    this.#keep(this.#waiting);
    if (this.state !== "conflict" && !this.#running) this.#send();
  }

  #keep(sent) {
    try {
      localStorage.setItem(this.name, `{"revision": ${JSON.stringify(this.revision)}, "sent": ${sent}}`);
    } catch { /* storage is full or forbidden; the server will have it in a moment */ }
  }

  resolve(revision) {
    this.revision = revision;
    this.#waiting = null;
    this.#setState("saved");
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

  #setState(state, message = "") {
    this.state = state;
    this.onState(state, message);
    if (state === "saving" || state === "waiting") return;
    for (const resolve of this.#settled.splice(0)) resolve(state === "saved");
  }

  async #send() {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#running = this.#waiting;
    this.#waiting = null;
    this.#setState("saving");
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
        this.#keep(this.#waiting); // with the new revision
        return this.#send();
      }
      this.forget();
      return this.#setState("saved");
    }
    this.#waiting ??= sent;
    if (problem.status === 409) {
      this.#setState("conflict");
      return this.onConflict();
    }
    if (problem.status === 0 || problem.status >= 500) {
      this.#setState("waiting", problem.message);
      this.#timer = setTimeout(() => this.#send(), RETRY_MS);
      return undefined;
    }
    return this.#setState("refused", problem.message);
  }
}
