// When every input was first touched and last changed, in ms since the trial was shown. An input is
// an element with data-input; if it lies inside another input, both count. Listening on the whole form
// keeps clocks out of the screens.

const touches = ['pointerdown', 'keydown', 'input', 'change'];
const changes = new Set(['input', 'change']);
// Keys that only move through a field.
const passing = new Set(['Tab', 'Shift', 'Control', 'Alt', 'Meta', 'Escape']);

// Passing through a field or leaving it changes nothing: typing was recorded letter by letter, and the
// pause before the next question belongs to that question.
function isNothing(event) {
  if (event.type === 'keydown') return passing.has(event.key);
  return event.type === 'change' && event.isTrusted && event.target.matches('input[type=text]');
}

// `before` is the result of spent() from before a reload: the clock continues from there, and the time
// in between does not count.
export function stopwatch(form, before = { elapsed: 0, times: {} }) {
  let start = performance.now() - before.elapsed;
  let touched = false;
  const times = new Map(Object.entries(before.times));
  const now = () => Math.round(performance.now() - start);

  function note(event) {
    if (isNothing(event)) return;
    const at = now();
    touched = true;
    for (
      let element = event.target.closest('[data-input]');
      element;
      element = element.parentElement?.closest('[data-input]')
    ) {
      const known = times.get(element.dataset.input);
      if (!known) times.set(element.dataset.input, [at, at]);
      else if (changes.has(event.type)) known[1] = at;
    }
  }
  for (const type of touches) form.addEventListener(type, note, true);

  return {
    // Start now, unless the annotator has begun already.
    restart() {
      if (!touched) start = performance.now() - before.elapsed;
    },
    elapsed: now,
    times: () => Object.fromEntries(times),
    spent: () => ({ elapsed: now(), times: Object.fromEntries(times) }),
  };
}

const signs = ['pointerdown', 'pointermove', 'keydown', 'scroll'];
const beat = 300000; // ms

// Leaving, coming back and pasting, sent with the next answer or when the page is hidden. Nobody waits
// for it: an event that cannot be sent at once is sent later. A person who is active on one page for
// long sends an empty report every few minutes, so that their place is kept.
export class EventLog {
  #events = [];
  #busy = false;
  #send;

  constructor(send) {
    this.#send = send;
    window.addEventListener('blur', () => this.note('blur'));
    window.addEventListener('focus', () => this.note('focus'));
    document.addEventListener('paste', () => this.note('paste'));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.flush(true);
    });
    const sign = () => {
      this.#busy = true;
    };
    for (const type of signs)
      window.addEventListener(type, sign, { capture: true, passive: true });
    setInterval(() => {
      if (this.#busy) this.#post(false);
      this.#busy = false;
    }, beat);
  }

  note(kind) {
    if (this.#events.length < 200) this.#events.push({ kind, at: Date.now() });
  }

  async flush(leaving = false) {
    if (this.#events.length) await this.#post(leaving);
  }

  async #post(leaving) {
    const events = this.#events.splice(0, 50);
    try {
      await this.#send({ events }, leaving);
    } catch (error) {
      if (error.temporary) this.#events.unshift(...events);
    }
  }
}
