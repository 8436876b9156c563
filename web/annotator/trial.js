// One trial: the item, the questions of the screen, and what the annotator did with them.

import { widestWord } from './classes.js';
import { make } from './dom.js';
import { progress as progressBar } from './pages.js';
import { picture } from './picture.js';
import { screens } from './screens.js';
import { stopwatch } from './timing.js';
import { thingOf } from './wording.js';
import { say } from './words.js';

export { preload } from './picture.js';

const fastest = 150; // ms
const shortText = 140; // characters that leave room for questions on a phone
const shortLines = 4;

// Positions in `span` count characters as the server does: Unicode code points.
function textWithSpan(item) {
  const characters = Array.from(item.text);
  const part = (from, to) => characters.slice(from, to).join('');
  const attributes = { class: 'text-item', dir: 'auto' };
  if (!item.span) return make('p', attributes, item.text);
  const [from, to] = item.span;
  return make(
    'p',
    attributes,
    part(0, from),
    make('mark', {}, part(from, to)),
    part(to),
  );
}

function card(name) {
  const [before, after] = say('trial.instructed').split('{name}');
  const strong = make('strong', { dir: 'auto' }, name);
  return make('p', { class: 'text-item' }, before, strong, after);
}

function written(long, content) {
  const kind = `stimulus stimulus-text${long ? ' stimulus-long' : ''}`;
  const element = make('div', { class: kind }, content);
  return { element, ready: Promise.resolve(), missing: () => false };
}

// {element, ready, missing()}, as picture() has it.
function stimulus(item, stage) {
  if (item.instructed !== undefined) return written(false, card(item.instructed));
  if (item.text === undefined) return picture(item, stage);
  const long = item.text.length > shortText || item.text.split('\n').length > shortLines;
  return written(long, textWithSpan(item));
}

// A card that says what to choose stands for an item of the others' kind.
function likeOthers(item, { items }) {
  return (item.instructed !== undefined && items?.find((one) => !one.instructed)) || item;
}

function heading({ practice, exercise, number, total, item, session }) {
  const thing = likeOthers(item, session).text === undefined ? 'image' : 'text';
  if (exercise) return say('training.of', { number, total });
  return practice ? say(`trial.practice_${thing}`) : say(`trial.${thing}_of`, { number, total });
}

function complain(problems) {
  for (const { field, text } of [...problems].reverse()) field.showError(text);
  problems[0].field.focus();
}

// What to know before the questions, or null.
function remark({ practice, exercise, answered }) {
  if (exercise) return say('training.remark');
  if (practice) return say('trial.practice');
  return answered ? say('trial.answered') : null;
}

// What to keep of the trial at hand when the page goes.
let leaving = null;
window.addEventListener('pagehide', () => leaving?.());

// {session, item, practice, exercise, number, total, canGoBack, answered, previous, enter, spent,
// earliest, onChange}: `answered` is true for a trial gone back to, `previous` its answer if known, or a draft
// of one; `enter` is true when the annotator comes from another place, so that the heading is read
// first; `spent` is the time that went into this trial before the page was loaded again, `earliest`
// the ms that it takes at least; `onChange(draft, spent)` hears what is filled in, and how long it
// took so far, after every change and when the page is left. Resolves with
// {answer, elapsed, times}, {back: true} or {keep: true}.
export function showTrial(main, options) {
  const { session, item } = options;
  const stage = make('div', { class: 'stage' });
  const { element: shown, ready, missing } = stimulus(item, stage);
  document.documentElement.style.setProperty('--size', `${session.size}px`);

  return new Promise((resolve) => {
    const form = make('form', { class: 'trial', novalidate: true, autocomplete: 'off' });
    const watch = stopwatch(form, options.spent);
    const built = performance.now();
    const keys = make('p', { class: 'keys' });
    const submitButton = make(
      'button',
      { type: 'submit', class: 'primary' },
      say('trial.continue'),
    );
    const slower = make('div', { role: 'status' });
    // Says so if the trial is to take longer, until it has.
    const tooFast = () => {
      const left = (options.earliest || 0) - watch.elapsed();
      if (left <= 0) return false;
      const n = Math.ceil(options.earliest / 1000);
      slower.textContent = n === 1 ? say('trial.too_fast') : say('trial.too_fast_many', { n });
      slower.className = 'notice';
      setTimeout(() => {
        slower.textContent = '';
        slower.className = '';
      }, left);
      return true;
    };
    const finish = (answer) => {
      // Nobody answers that fast: it is the second half of a double click on the trial before.
      if (performance.now() - built < fastest || missing() || tooFast()) return;
      resolve({ answer, elapsed: watch.elapsed(), times: watch.times() });
    };
    const changed = () => {
      if (form.isConnected) options.onChange?.(screen.draft?.(), watch.spent());
    };
    const screen = screens[session.screen]({
      session,
      item,
      ask: {
        framing: session.framing === 'first' ? 'first' : 'third',
        thing: thingOf(likeOthers(item, session)),
      },
      previous: options.previous,
      submit: finish,
      changed,
      button: () => submitButton,
      showButton: (visible) => {
        submitButton.hidden = !visible;
      },
      showKeys: (sentence) => {
        keys.textContent = sentence;
      },
    });

    const title = make('h1', { tabindex: '-1' }, heading(options));
    const progress = options.practice && !options.exercise
      ? null
      : progressBar(options.number - 1, options.total, say('trial.progress'));
    const back = options.canGoBack
      ? make('button', { type: 'button', click: () => resolve({ back: true }) }, say('trial.back'))
      : null;
    const keep = options.answered
      ? make('button', { type: 'button', click: () => resolve({ keep: true }) }, say('trial.keep'))
      : null;
    const said = remark(options);
    keys.textContent = screen.keys || '';
    // What the layout must know of the classes.
    form.style.setProperty('--word', `${widestWord(session.classes)}em`);
    form.style.setProperty('--letters', widestWord(session.classes));
    form.style.setProperty('--count', session.classes.length);
    form.append(make('div', { class: 'trial-head' }, title, progress));
    if (said) form.append(make('p', { class: 'remark' }, said));
    if (screen.intro)
      form.append(make('p', { class: 'intro', id: screen.introId }, screen.intro));
    if (screen.layout) stage.classList.add(`stage-${screen.layout}`);
    if (screen.drawn) shown.append(screen.drawn);
    stage.append(
      shown,
      make(
        'div',
        { class: 'questions' },
        screen.parts,
        make(
          'div',
          { class: 'finish' },
          slower,
          make('div', { class: 'actions' }, submitButton, keep, back),
          keys,
        ),
      ),
    );
    form.append(stage);
    for (const type of ['input', 'change']) form.addEventListener(type, changed);
    leaving = changed;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const { answer, problems } = screen.read();
      if (problems) complain(problems);
      else finish(answer);
    });

    main.replaceChildren(form);
    window.scrollTo(0, 0);
    if (options.enter) title.focus({ preventScroll: true });
    else screen.focus();
    ready.then(() => watch.restart());
  });
}
