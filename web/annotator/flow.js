// The sequence of pages. The server says where a session is; within the trials the page runs ahead of
// the server, so that nobody waits for the network, and the queue catches up.

import { getSession, pauseAfter, post } from './api.js';
import { ending, ends } from './ending.js';
import { Kept } from './given.js';
import * as pages from './pages.js';
import { newAnswerId, Queue } from './queue.js';
import { EventLog } from './timing.js';
import { preload, showTrial } from './trial.js';
import { say } from './words.js';

// Thrown into the page that is shown when the session cannot continue as it is.
class Interrupt extends Error {
  constructor(error = null) {
    super('interrupted');
    this.error = error;
  }
}

export class Flow {
  #view;
  #queue = null;
  #given = null; // answers by trial, if the study allows going back
  #drafts = null; // inputs of trials that are not answered yet
  #log = new EventLog((events, leaving) => post('events', events, leaving));
  #reject = null;
  #pending = null;
  #instructions = null;
  #checked = null;
  session = null;

  constructor(view) {
    this.#view = view;
  }

  async run() {
    for (;;) {
      try {
        await this.#load();
        const step = this.#steps[this.session.place];
        if (!step) throw new Interrupt();
        if ((await step.call(this)) === 'end') return;
      } catch (error) {
        if (!(await this.#recover(error instanceof Interrupt ? error.error : error))) return;
      }
    }
  }

  // Give up the place: the server offers it to somebody else.
  async giveBack() {
    try {
      await this.#send('return', {});
      this.#interrupt(null);
    } catch (error) {
      this.#interrupt(error);
    }
  }

  #steps = {
    async consent() {
      const { session } = this;
      const agreed = await this.#race(pages.consent(this.#view.main, session));
      await this.#send('consent', { version: session.consent.version, agreed });
    },
    async instructions() {
      this.#instructions = this.session.instructions;
      this.#checked = null;
      const spent = await this.#race(
        pages.instructions(this.#view.main, this.session, this.#instructions),
      );
      await this.#send('instructions', { pages: spent });
    },
    async check() {
      const { main } = this.#view;
      const answers = await this.#race(
        pages.check(main, this.session, this.#checked, Boolean(this.#instructions)),
      );
      if (!answers) {
        await this.#race(pages.instructions(main, this.session, this.#instructions));
        return;
      }
      const { attempt } = this.session;
      const reply = await this.#send('check', { id: newAnswerId(), attempt, answers });
      this.#checked =
        reply && !reply.passed ? { wrong: reply.wrong, attemptsLeft: reply.attempts_left } : null;
    },
    async training() {
      const { session } = this;
      const { main } = this.#view;
      const { practice: item, training } = session;
      if (training.number === 0) await this.#race(pages.trainingBegins(main, session));
      const result = await this.#ask(`training ${item.trial}`, {
        item,
        practice: true,
        exercise: true,
        number: training.number + 1,
        total: training.total,
        enter: true,
      });
      // Whether it was right is known only when the answer has arrived.
      const reply = await this.#send('answer', {
        id: newAnswerId(),
        trial: item.trial,
        practice: true,
        elapsed: result.elapsed,
        times: result.times,
        answer: result.answer,
      });
      if (reply?.feedback) await this.#race(pages.feedback(main, session, item, reply));
    },
    practice: this.#trials,
    trials: this.#trials,
    async debrief() {
      const answers = await this.#race(pages.debrief(this.#view.main, this.session));
      await this.#send('debrief', { answers });
    },
    done: this.#end,
    refused: this.#end,
    failed: this.#end,
    full: this.#end,
  };

  async #end() {
    this.#given?.clear();
    this.#drafts?.clear();
    ending(this.#view.main, this.session);
    return 'end';
  }

  async #trials() {
    const { session } = this;
    const queued = this.#queue.entries();
    let at = Math.max(
      session.trial,
      ...queued.filter((entry) => !entry.practice).map((entry) => entry.trial + 1),
    );
    let enter = true;
    if (session.place === 'practice' && !queued.length) {
      const result = await this.#ask('practice', { item: session.practice, practice: true, enter });
      this.#keep(result, 0, true);
      await this.#race(pages.ready(this.#view.main, session));
      enter = false;
    }
    let furthest = at;
    while (at < session.trials) {
      preload(session.items, at + 1);
      const answered = at < furthest;
      const previous = answered ? this.#given.get(at) : undefined;
      const result = await this.#ask(at, {
        item: session.items[at],
        number: at + 1,
        total: session.trials,
        enter,
        canGoBack: session.back && at > 0,
        answered,
        previous,
      });
      enter = false;
      if (result.back) {
        at -= 1;
        continue;
      }
      if (result.answer && JSON.stringify(previous) !== JSON.stringify(result.answer)) {
        this.#keep(result, at, false);
        this.#given.set(at, result.answer);
      }
      at += 1;
      if (at <= furthest) continue;
      furthest = at;
      if (session.break_after && at % session.break_after === 0 && at < session.trials)
        await this.#race(pages.pause(this.#view.main, session, at, session.trials));
    }
    await this.#race(pages.saving(this.#view.main, session, this.#queue));
  }

  // One trial, with the inputs that were filled in before a reload; `key` is the trial's number or
  // "practice". The draft is deleted when the trial is answered, not when the annotator goes back.
  async #ask(key, options) {
    const title = options.practice && !options.exercise
      ? say('practice.tab')
      : say('frame.of', { n: options.number, total: options.total });
    document.title = `${title} \u00b7 ${this.session.title}`;
    const draft = this.#drafts.get(key);
    try {
      const result = await this.#race(
        showTrial(this.#view.main, {
          session: this.session,
          ...options,
          previous: draft?.answer ?? options.previous,
          spent: draft?.spent ?? undefined,
          earliest: 1000 * (this.session.min_seconds || 0),
          onChange: (answer, spent) => this.#drafts.set(key, { answer, spent }),
        }),
      );
      if (!result.back) this.#drafts.forget(key);
      return result;
    } catch (error) {
      // Drop a draft that the screen cannot show, or it would stop the next try too.
      if (!(error instanceof Interrupt)) this.#drafts.forget(key);
      throw error;
    }
  }

  #keep({ answer, elapsed, times }, trial, practice) {
    this.#queue.add({ id: newAnswerId(), trial, practice, elapsed, times, answer });
    this.#log.flush();
  }

  async #load() {
    this.session = await this.#patiently(getSession);
    this.#view.update(this.session);
    if (this.#queue) return;
    this.#queue = new Queue(this.session.session);
    this.#given = new Kept('given', this.session.session, this.session.back);
    this.#drafts = new Kept('draft', this.session.session);
    this.#queue.addEventListener('refused', ({ detail }) => this.#interrupt(detail.error));
    this.#view.watch(this.#queue);
    this.#queue.retry();
  }

  // A request without a queue, repeated until the server answers. A conflict means that an earlier try
  // did arrive and the server has moved on: the next load tells where it is.
  async #send(name, body) {
    try {
      return await this.#patiently(() => post(name, body));
    } catch (error) {
      if (error.status === 409) return null;
      throw error;
    }
  }

  async #patiently(request) {
    for (let failures = 1; ; failures += 1) {
      try {
        const reply = await request();
        this.#view.trouble(null);
        return reply;
      } catch (error) {
        if (!error.temporary) throw error;
        this.#view.trouble(error);
        await new Promise((resolve) => {
          setTimeout(resolve, pauseAfter(failures, error));
          window.addEventListener('online', resolve, { once: true });
        });
      }
    }
  }

  #race(page) {
    if (this.#pending) {
      const waiting = this.#pending;
      this.#pending = null;
      return Promise.reject(waiting);
    }
    return Promise.race([
      page,
      new Promise((_, reject) => {
        this.#reject = reject;
      }),
    ]);
  }

  #interrupt(error) {
    const interrupt = new Interrupt(error);
    if (this.#reject) this.#reject(interrupt);
    else this.#pending = interrupt;
    this.#reject = null;
  }

  // Whether the session can continue.
  async #recover(error) {
    const { main } = this.#view;
    if (!error) return true;
    if (!error.status) {
      console.error(error);
      await pages.notice(
        main,
        this.session,
        say('trouble.page'),
        [say('trouble.page_text')],
        say('trouble.page_again'),
      );
      window.location.reload();
      return false;
    }
    const end = ends[error.status];
    if (end) {
      this.#view.over();
      pages.notice(main, this.session, say(end[0]), [say(end[1])], null);
      return false;
    }
    const refused = this.#queue?.setAside() || [];
    this.#given?.forget(...refused.map((entry) => entry.trial)); // the server did not accept them
    await pages.notice(
      main,
      this.session,
      say('trouble.not_taken'),
      [say('trouble.not_taken_why', { message: error.message }), say('trouble.not_taken_text')],
      say('trouble.go_on'),
    );
    this.#queue?.resume();
    return true;
  }
}
