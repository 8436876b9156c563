// One trial: the item, the questions of the screen, and the annotator's answer with its times.

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

// {element, ready, missing()}, as from picture().
function stimulus(item, stage) {
  if (item.instructed !== undefined) return written(false, card(item.instructed));
  if (item.text === undefined) return picture(item, stage);
  const long = item.text.length > shortText || item.text.split('\n').length > shortLines;
  return written(long, textWithSpan(item));
}

// A card that says which class to choose takes the wording of the study's other items.
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

// The remark above the questions, or null.
function remark({ practice, exercise, answered }) {
  if (exercise) return say('training.remark');
  if (practice) return say('trial.practice');
  return answered ? say('trial.answered') : null;
}

// Saves the draft of the current trial when the page is left.
let leaving = null;
window.addEventListener('pagehide', () => leaving?.());

// {session, item, practice, exercise, number, total, canGoBack, answered, previous, enter, spent,
// earliest, onChange}: `answered` is true for a trial that was answered before, `previous` is its
// answer if known, or a draft; `enter` is true when the annotator comes from another page, so that a
// screen reader starts with the heading; `spent` is the time spent on this trial before a reload,
// `earliest` the shortest time for it in ms; `onChange(draft, spent)` gets the inputs and the time so
// far, after every change and when the page is left. Resolves with {answer, elapsed, times},
// {back: true} or {keep: true}.
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
    // Whether the annotator was too fast; says so until the time has passed.
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
      // Nobody answers that fast: this is the second half of a double click on the trial before.
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
    // Properties of the classes that the layout needs.
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
