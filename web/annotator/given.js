// What was filled in, by trial, so that it is there again after a reload: the answers given so far,
// for whoever goes back, and the draft of a trial that is not answered yet. Kept only until the
// session ends.

import { openStorage, readJson } from './storage.js';

export class Kept {
  #key;
  #on;
  #storage = openStorage();

  // `name` tells apart what is kept of a session; nothing is kept unless `on`.
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
