// The frame around the pages: title, save state, and the button to stop taking part.

import { make } from './dom.js';
import { Flow } from './flow.js';
import { say } from './words.js';

const late = 1500; // ms that an answer may be in flight before the page says so
const leavable = new Set(['instructions', 'check', 'training', 'practice', 'trials']);

const find = (id) => document.getElementById(id);

class View {
  main = find('main');
  #state = find('save-state');
  #session = null;
  #queue = null;
  #trouble = null;
  #answered = false;
  #clock = 0;

  update(session) {
    this.#session = session;
    const badge = session.test ? make('span', { class: 'badge' }, say('frame.test')) : null;
    find('study-title').replaceChildren(...[session.title, badge].filter(Boolean));
    find('foot').replaceChildren(...(leavable.has(session.place) ? [leaveButton()] : []));
    this.#draw();
  }

  watch(queue) {
    this.#queue = queue;
    queue.addEventListener('saved', () => {
      this.#answered = true;
    });
    // Drawn at once if all is saved or sending has failed; an answer in flight is not worth a message.
    queue.addEventListener('change', () => {
      clearTimeout(this.#clock);
      if (queue.length && !queue.failures) this.#clock = setTimeout(() => this.#draw(), late);
      else setTimeout(() => this.#draw());
    });
  }

  // The error that stops a page without a queue, or null.
  trouble(error) {
    this.#trouble = error;
    this.#draw();
  }

  over() {
    find('foot').replaceChildren();
    this.#answered = false;
    this.#queue = null;
    this.#draw();
  }

  #draw() {
    const waiting = this.#queue?.length || 0;
    const failing = this.#trouble || this.#queue?.trouble;
    let text = '';
    let kind = failing ? ' state-trouble' : '';
    if (waiting)
      text = say(failing ? `frame.${failing.trouble}_waiting` : 'frame.waiting', { n: waiting });
    else if (failing) text = say(`frame.${failing.trouble}`);
    else if (this.#answered && leavable.has(this.#session?.place)) {
      text = say('frame.saved');
      kind = ' state-saved';
    }
    if (this.#state.textContent !== text) this.#state.textContent = text;
    this.#state.className = `top-state${kind}`;
  }
}

function leaveButton() {
  return make(
    'button',
    {
      type: 'button',
      class: 'link',
      click: () => {
        const dialog = make(
          'dialog',
          { 'aria-labelledby': 'leave-title' },
          make('h2', { id: 'leave-title' }, say('leave.title')),
          make('p', {}, say('leave.text')),
          make(
            'div',
            { class: 'actions' },
            make(
              'button',
              { type: 'button', class: 'primary', autofocus: true, click: () => dialog.close() },
              say('leave.stay'),
            ),
            make(
              'button',
              {
                type: 'button',
                click: () => {
                  dialog.close();
                  flow.giveBack();
                },
              },
              say('leave.go'),
            ),
          ),
        );
        dialog.addEventListener('close', () => dialog.remove());
        document.body.append(dialog);
        dialog.showModal();
      },
    },
    say('frame.leave'),
  );
}

const flow = new Flow(new View());
flow.run();
