// Answers that the server has not acknowledged yet. They are kept in localStorage, sent one at a time
// in order and removed only when the server says "saved", so that a lost connection, a reload, a closed
// laptop or a restarted server loses nothing. The server knows an answer by its id: sending it twice
// does no harm.
//
// Events: "change" (length or trouble), "saved" (detail: the reply), "refused" (detail: {error,
// answer}; nothing more is sent until resume()).

import { pauseAfter, post } from './api.js';
import { openStorage, readJson } from './storage.js';

export function newAnswerId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export class Queue extends EventTarget {
  #key;
  #storage = openStorage();
  #running = false;
  #stopped = false;
  #wake = null;
  failures = 0; // since the last success
  trouble = null; // the error of the last failure

  constructor(session) {
    super();
    this.#key = `softlab.queue.${session}`;
    const retry = () => this.retry();
    window.addEventListener('online', retry);
    window.addEventListener('storage', () => this.#changed());
    document.addEventListener('visibilitychange', retry);
  }

  // Read each time, since another tab may have sent some.
  entries() {
    const list = readJson(this.#storage, this.#key, []);
    return Array.isArray(list) ? list : [];
  }

  get length() {
    return this.entries().length;
  }

  add(answer) {
    this.#write([...this.entries(), answer]);
    this.retry();
  }

  // Send now instead of after the pause.
  retry() {
    if (this.#wake) this.#wake();
    else this.#run();
  }

  // After "refused": the remaining answers cannot be sent as they are. They are moved aside, not
  // deleted, and returned.
  setAside() {
    const aside = `${this.#key}.aside`;
    const refused = this.entries();
    const before = readJson(this.#storage, aside, []);
    this.#storage.set(aside, JSON.stringify([...before, ...refused].slice(-50)));
    this.#write([]);
    return refused;
  }

  resume() {
    this.#stopped = false;
    this.retry();
  }

  // Resolves when everything is saved.
  async empty() {
    while (this.length)
      await new Promise((resolve) => {
        this.addEventListener('change', resolve, { once: true });
        this.retry();
      });
  }

  #write(entries) {
    this.#storage.set(this.#key, entries.length ? JSON.stringify(entries) : null);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }

  #sleep(ms) {
    return new Promise((resolve) => {
      const clock = setTimeout(done, ms);
      const queue = this;
      function done() {
        clearTimeout(clock);
        queue.#wake = null;
        resolve();
      }
      this.#wake = done;
    });
  }

  async #run() {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    for (let [first] = this.entries(); first && !this.#stopped; [first] = this.entries()) {
      try {
        const reply = await post('answer', first);
        this.failures = 0;
        this.trouble = null;
        this.#write(this.entries().filter((entry) => entry.id !== first.id));
        this.dispatchEvent(new CustomEvent('saved', { detail: reply }));
      } catch (error) {
        if (error.temporary) {
          this.failures += 1;
          this.trouble = error;
          this.#changed();
          await this.#sleep(pauseAfter(this.failures, error));
        } else {
          this.#stopped = true;
          this.dispatchEvent(new CustomEvent('refused', { detail: { error, answer: first } }));
        }
      }
    }
    this.#running = false;
  }
}
