// One trial: the item, the questions of the screen, and what the annotator did with them.

import { make } from './dom.js';
import { progress as progressBar } from './pages.js';
import { screens } from './screens.js';
import { stopwatch } from './timing.js';
import { wordsFor } from './wording.js';

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

// Images of trials to come, kept so that a lost connection does not stop anyone at once.
const held = new Map();
const ahead = 5;

function imageOf(address) {
  const known = held.get(address);
  // One that failed while the server was away is asked for again.
  if (known && !(known.complete && known.naturalWidth === 0)) return known;
  const image = new Image();
  image.src = address;
  held.set(address, image);
  return image;
}

export function preload(items, from) {
  for (const { image } of items.slice(from, from + ahead)) if (image) imageOf(image);
}

// {element, ready, missing()}: ready settles when the image can be seen, or cannot be had; nobody
// should judge one that is missing.
function stimulus(item, size) {
  if (item.text !== undefined) {
    const isLong = item.text.length > shortText || item.text.split('\n').length > shortLines;
    const long = isLong ? ' stimulus-long' : '';
    const element = make('div', { class: `stimulus stimulus-text${long}` }, textWithSpan(item));
    return { element, ready: Promise.resolve(), missing: () => false };
  }
  const image = imageOf(item.image);
  image.alt = item.alt || 'image to be judged';
  image.width = size;
  image.height = size;
  image.draggable = false;
  const again = () => {
    note.hidden = true;
    image.src = `${item.image}?again=${Date.now()}`;
  };
  const note = make(
    'p',
    { class: 'error', role: 'alert', hidden: true },
    'The image did not load. ',
    make('button', { type: 'button', class: 'quiet', click: again }, 'Try again'),
  );
  image.onerror = () => {
    note.hidden = false;
  };
  const element = make('div', { class: 'stimulus' }, image, note);
  const missing = () => {
    if (note.hidden) return false;
    note.lastElementChild.focus();
    return true;
  };
  return { element, ready: image.decode().catch(() => {}), missing };
}

function heading({ practice, number, total, item }) {
  const thing = item.text === undefined ? 'Image' : 'Text';
  return practice ? `Practice ${thing.toLowerCase()}` : `${thing} ${number} of ${total}`;
}

function complain(problems) {
  for (const { field, text } of [...problems].reverse()) field.showError(text);
  problems[0].field.focus();
}

// What to know before the questions, or null.
function remark({ practice, answered }) {
  if (practice) return 'This one is to try things out. It does not count.';
  return answered ? 'You have answered this one. Change your answer, or keep it.' : null;
}

// {session, item, practice, number, total, canGoBack, answered, previous, enter}: `answered` is
// true for a trial gone back to, `previous` its answer if known; `enter` is true when the annotator
// comes from another place, so that the heading is read first. Resolves with
// {answer, elapsed, times}, {back: true} or {keep: true}.
export function showTrial(main, options) {
  const { session, item } = options;
  const { element: shown, ready, missing } = stimulus(item, session.size);
  document.documentElement.style.setProperty('--size', `${session.size}px`);

  return new Promise((resolve) => {
    const form = make('form', { class: 'trial', novalidate: true, autocomplete: 'off' });
    const watch = stopwatch(form);
    const built = performance.now();
    const keys = make('p', { class: 'keys' });
    const submitButton = make('button', { type: 'submit', class: 'primary' }, 'Continue');
    const finish = (answer) => {
      // Nobody answers that fast: it is the second half of a double click on the trial before.
      if (performance.now() - built >= fastest && !missing())
        resolve({ answer, elapsed: watch.elapsed(), times: watch.times() });
    };
    const screen = screens[session.screen]({
      session,
      item,
      words: wordsFor(session.framing, item),
      previous: options.previous,
      submit: finish,
      button: () => submitButton,
      showButton: (visible) => {
        submitButton.hidden = !visible;
      },
      showKeys: (sentence) => {
        keys.textContent = sentence;
      },
    });

    const title = make('h1', { tabindex: '-1' }, heading(options));
    const progress = options.practice
      ? null
      : progressBar(options.number - 1, options.total, 'Progress');
    const back = options.canGoBack
      ? make('button', { type: 'button', click: () => resolve({ back: true }) }, 'Back')
      : null;
    const keep = options.answered
      ? make('button', { type: 'button', click: () => resolve({ keep: true }) }, 'Keep my answer')
      : null;
    const said = remark(options);
    keys.textContent = screen.keys || '';
    form.append(make('div', { class: 'trial-head' }, title, progress));
    if (said) form.append(make('p', { class: 'remark' }, said));
    if (screen.intro) form.append(make('p', { class: 'intro' }, screen.intro));
    form.append(
      make(
        'div',
        { class: screen.layout ? `stage stage-${screen.layout}` : 'stage' },
        shown,
        make(
          'div',
          { class: 'questions' },
          screen.parts,
          make('div', { class: 'actions' }, submitButton, keep, back),
          keys,
        ),
      ),
    );
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
