// The pages that are not trials. Each shows itself and resolves with the person's decision.

import { errorLine, make, newId } from './dom.js';
import { prose } from './html.js';
import { say } from './words.js';

// Show a page, set the tab's title and move the focus to the heading.
export function show(main, session, title, ...content) {
  document.title = session?.title ? `${title} \u00b7 ${session.title}` : title;
  const heading = make('h1', { tabindex: '-1' }, title);
  main.replaceChildren(make('div', { class: 'page' }, heading, ...content));
  window.scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}

export const button = (text, click, kind = '') =>
  make('button', { type: 'button', class: kind, click }, text);
export const actions = (...children) => make('div', { class: 'actions' }, ...children);

export const progress = (done, total, label) =>
  make('progress', { max: total, value: done, 'aria-label': label }, say('frame.of', { n: done, total }));

// One or more sentences and one button; resolves when it is pressed.
export function notice(main, session, title, sentences, label, above = null) {
  return new Promise((resolve) => {
    show(
      main,
      session,
      title,
      above,
      sentences.map((text) => make('p', { class: 'lead' }, text)),
      label ? actions(button(label, resolve, 'primary')) : null,
    );
  });
}

export function consent(main, session) {
  return new Promise((resolve) => {
    show(
      main,
      session,
      say('consent.title'),
      prose(session.consent.html),
      actions(
        button(say('consent.agree'), () => resolve(true), 'primary'),
        button(say('consent.refuse'), () => resolve(false)),
      ),
    );
  });
}

// Resolves with the ms spent on every page, summed over visits.
export function instructions(main, session, pages) {
  return new Promise((resolve) => {
    const spent = pages.map(() => 0);
    let since = performance.now();
    function turn(from, to) {
      spent[from] += Math.round(performance.now() - since);
      since = performance.now();
      if (to >= pages.length) resolve(spent);
      else draw(to);
    }
    function draw(at) {
      const last = at === pages.length - 1;
      show(
        main,
        session,
        pages.length > 1
          ? say('instructions.title_of', { n: at + 1, total: pages.length })
          : say('instructions.title'),
        pages.length > 1 ? progress(at + 1, pages.length, say('instructions.progress')) : null,
        prose(pages[at]),
        actions(
          button(last ? say('instructions.read') : say('instructions.next'), () => turn(at, at + 1), 'primary'),
          at > 0 ? button(say('instructions.back'), () => turn(at, at - 1)) : null,
        ),
      );
    }
    draw(0);
  });
}

function radioQuestion(text, options, name, row = false) {
  const group = newId(name);
  const inputs = options.map((_, i) => make('input', { type: 'radio', name: group, value: i }));
  const element = make(
    'fieldset',
    { class: 'question', tabindex: '-1' },
    make('legend', {}, text),
    make(
      'div',
      { class: row ? 'scale' : 'stack' },
      options.map((option, i) =>
        make(
          'label',
          { class: 'option' },
          inputs[i],
          make('span', { class: 'option-text' }, String(option)),
        ),
      ),
    ),
  );
  const error = errorLine(() => [element]);
  element.append(error.element);
  element.addEventListener('change', () => error.show(null));
  const value = () => inputs.findIndex((input) => input.checked);
  return {
    element,
    showError: error.show,
    value: () => (value() < 0 ? null : value()),
    focus: () => (inputs.find((input) => input.checked) || inputs[0]).focus(),
  };
}

function attemptsLeft(n) {
  return n === 1 ? say('check.attempt') : say('check.attempts', { n });
}

// `before` is {wrong, attemptsLeft} of a failed attempt: how many answers were wrong, not which. The
// options come in a new order each time. Resolves with the answers, or with null to read the
// instructions again (`reread`: whether the page has them).
export function check(main, session, before, reread) {
  return new Promise((resolve) => {
    const fields = session.questions.map(({ question, options }) =>
      radioQuestion(question, options, 'check'),
    );
    const form = make(
      'form',
      {
        novalidate: true,
        submit: (event) => {
          event.preventDefault();
          const missing = fields.filter((field) => field.value() === null);
          for (const field of missing) field.showError(say('check.missing'));
          if (missing.length) missing[0].focus();
          else resolve(fields.map((field) => field.value()));
        },
      },
      fields.map((field) => field.element),
      actions(
        make('button', { type: 'submit', class: 'primary' }, say('check.submit')),
        reread ? button(say('check.reread'), () => resolve(null)) : null,
      ),
    );
    const summary = before
      ? make(
          'p',
          { class: 'notice', role: 'alert' },
          before.wrong === 1
            ? say('check.wrong')
            : say('check.wrong_many', { n: before.wrong }),
          ' ',
          attemptsLeft(before.attemptsLeft),
        )
      : make('p', { class: 'lead' }, say('check.lead'));
    show(main, session, say('check.title'), summary, form);
  });
}

export function trainingBegins(main, session) {
  const { total, needed, attempts_left: rounds } = session.training;
  return notice(
    main,
    session,
    say('training.title'),
    [
      total === 1 ? say('training.lead_one') : say('training.lead', { n: total }),
      needed > 0 ? say('training.needed', { n: needed, total }) : null,
      rounds > 1 ? say('training.rounds', { n: rounds }) : null,
    ].filter(Boolean),
    say('training.begin'),
  );
}

function exercise(item) {
  if (item.text !== undefined) return make('p', { class: 'text-item', dir: 'auto' }, item.text);
  return make('img', { class: 'exercise', src: item.image, alt: say('trial.alt') });
}

// A sentence of the words with a name in it; the name is bold and has its own writing direction.
function withName(key, name) {
  const [before, after] = say(key).split('{name}');
  return make('p', { class: 'lead' }, before, make('strong', { dir: 'auto' }, name), after);
}

// Whether an exercise was answered correctly, beside it. `round` is set after the last of a round.
export function feedback(main, session, item, { feedback: said, round, place }) {
  return new Promise((resolve) => {
    const again = round && !round.passed && place === 'training';
    show(
      main,
      session,
      said.right ? say('training.right') : say('training.wrong'),
      exercise(item),
      withName(said.right ? 'training.right_text' : 'training.wrong_text', said.class),
      round
        ? make('p', {}, say('training.round', { right: round.right, total: round.of }))
        : null,
      again ? make('p', {}, say('training.again')) : null,
      actions(button(say('training.next'), resolve, 'primary')),
    );
  });
}

export function pause(main, session, done, total) {
  return notice(
    main,
    session,
    say('pause.title'),
    [say('pause.text', { done, total })],
    say('pause.continue'),
    progress(done, total, say('frame.progress')),
  );
}

export function ready(main, session) {
  const thing = session.items[0]?.text === undefined ? 'image' : 'text';
  const n = session.trials;
  return notice(
    main,
    session,
    say('practice.title'),
    [n === 1 ? say(`practice.${thing}`) : say(`practice.${thing}s`, { n })],
    say('practice.begin'),
  );
}

// Shown while answers are still being sent. Resolves when the queue is empty.
export async function saving(main, session, queue) {
  if (!queue.length) return;
  const line = make('p', { class: 'lead', role: 'status' });
  const draw = () => {
    const n = queue.length;
    line.textContent = n === 1 ? say('saving.one') : say('saving.many', { n });
  };
  show(
    main,
    session,
    say('saving.title'),
    line,
    actions(button(say('saving.now'), () => queue.retry(), 'primary')),
  );
  draw();
  queue.addEventListener('change', draw);
  await queue.empty();
  queue.removeEventListener('change', draw);
}

const scaleOf = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

function debriefField({ question, kind }) {
  if (kind === 'scale') {
    const field = radioQuestion(question, scaleOf, 'scale', true);
    return { ...field, value: () => (field.value() === null ? null : scaleOf[field.value()]) };
  }
  const area = make('textarea', { id: newId('text'), rows: 3, maxlength: 3000 });
  return {
    element: make(
      'div',
      { class: 'question' },
      make('label', { class: 'legend', for: area.id }, question),
      area,
    ),
    value: () => area.value,
  };
}

// No question is mandatory: a skipped one is null.
export function debrief(main, session) {
  return new Promise((resolve) => {
    const fields = session.debrief.map(debriefField);
    const form = make(
      'form',
      {
        novalidate: true,
        submit: (event) => {
          event.preventDefault();
          resolve(fields.map((field) => field.value()));
        },
      },
      fields.map((field) => field.element),
      actions(make('button', { type: 'submit', class: 'primary' }, say('debrief.finish'))),
    );
    show(
      main,
      session,
      fields.length ? say('debrief.title') : say('debrief.title_plain'),
      prose(session.debrief_html),
      fields.length
        ? make('p', { class: 'hint' }, say('debrief.hint'))
        : null,
      form,
    );
  });
}
