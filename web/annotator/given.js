// Inputs by trial that survive a reload: the answers given so far, for studies that allow going back,
// and the draft of a trial that is not answered yet. Kept only until the session ends.

import { openStorage, readJson } from './storage.js';

export class Kept {
  #key;
  #on;
  #storage = openStorage();

  // `name` distinguishes the kinds of things kept for a session; nothing is kept unless `on`.
  constructor(name, session, on = true) {
    this.#key = `softlab.${name}.${session}`;
    this.#on = on;
  }

  get(trial) {
    return this.#all()[trial];
  }

  set(trial, value) {
    if (this.#on) this.#write({ ...this.#all(), [trial]: value });
  }

  forget(...trials) {
    const all = this.#all();
    for (const trial of trials) delete all[trial];
    this.#write(all);
  }

  clear() {
    this.#write({});
  }

  #all() {
    return readJson(this.#storage, this.#key, {});
  }

  #write(all) {
    this.#storage.set(this.#key, Object.keys(all).length ? JSON.stringify(all) : null);
  }
}
