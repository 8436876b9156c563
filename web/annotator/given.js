// The answers given so far, by trial, so that whoever goes back finds them, after a reload too.
// Kept only where the study allows going back, and only until the session ends.

import { openStorage, readJson } from './storage.js';

export class Given {
  #key;
  #on;
  #storage = openStorage();

  constructor({ session, back }) {
    this.#key = `softlab.given.${session}`;
    this.#on = back;
  }

  get(trial) {
    return this.#all()[trial];
  }

  set(trial, answer) {
    if (this.#on) this.#write({ ...this.#all(), [trial]: answer });
  }

  // What the server did not take is no answer.
  forget(trials) {
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
