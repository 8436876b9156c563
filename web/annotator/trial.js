// One trial: the item, the questions of the screen, and what the annotator did with them.

import { make } from './dom.js';
import { screens } from './screens.js';
import { stopwatch } from './timing.js';
import { wordsFor } from './wording.js';

const fastest = 150; // ms

// Positions in `span` count characters as the server does: Unicode code points.
function textWithSpan(item) {
  const characters = Array.from(item.text);
  const part = (from, to) => characters.slice(from, to).join('');
  if (!item.span) return make('p', { class: 'text-item' }, item.text);
  const [from, to] = item.span;
  return make(
    'p',
    { class: 'text-item' },
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

// {element, ready}: ready settles when the image can be seen, or cannot be had.
function stimulus(item, size) {
  if (item.text !== undefined) {
    const element = make('div', { class: 'stimulus stimulus-text' }, textWithSpan(item));
    return { element, ready: Promise.resolve() };
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
  return { element, ready: image.decode().catch(() => {}) };
}

function heading({ practice, number, total, item }) {
  const thing = item.text === undefined ? 'Image' : 'Text';
  return practice ? `Practice ${thing.toLowerCase()}` : `${thing} ${number} of ${total}`;
}

function complain(problems) {
  for (const { field, text } of [...problems].reverse()) field.showError(text);
  problems[0].field.focus();
}

// {session, item, practice, number, total, canGoBack, previous, enter}: `enter` is true when the
// annotator comes from another place, so that the heading is read first. Resolves with
// {answer, elapsed, times} or {back: true}.
export function showTrial(main, options) {
  const { session, item } = options;
  const { element: shown, ready } = stimulus(item, session.size);
  document.documentElement.style.setProperty('--size', `${session.size}px`);

  return new Promise((resolve) => {
    const form = make('form', { class: 'trial', novalidate: true, autocomplete: 'off' });
    const watch = stopwatch(form);
    const built = performance.now();
    const submitButton = make('button', { type: 'submit', class: 'primary' }, 'Continue');
    const finish = (answer) => {
      // Nobody answers that fast: it is the second half of a double click on the trial before.
      if (performance.now() - built >= fastest)
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
    });

    const title = make('h1', { tabindex: '-1' }, heading(options));
    const progress = options.practice
      ? null
      : make(
          'progress',
          { max: options.total, value: options.number - 1, 'aria-label': 'Progress' },
          `${options.number - 1} of ${options.total}`,
        );
    const back = options.canGoBack
      ? make('button', { type: 'button', click: () => resolve({ back: true }) }, 'Back')
      : null;
    const keys = screen.keys ? make('p', { class: 'keys' }, screen.keys) : null;
    form.append(make('div', { class: 'trial-head' }, title, progress));
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
          make('div', { class: 'actions' }, submitButton, back),
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
