// How much of either class went into a mixed image, and how sure the annotator is. `mix` is as
// published: both sliders start in the middle and may stay there (the answer records whether they were
// touched); `mix+` shows no start value and requires both.

import { errorLine, make, newId } from './dom.js';
import { ask as question } from './wording.js';
import { say as words } from './words.js';

const setting = new Set([
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'PageUp',
  'PageDown',
  'Home',
  'End',
  ' ',
  'Enter',
]);

function slider({ name, legend, marks, say, hidden, previous }) {
  const id = newId(name);
  const value = previous ? previous.value : 50;
  const input = make('input', { type: 'range', id, min: 0, max: 100, step: 1, value });
  const said = make('output', { for: id });
  const element = make(
    'div',
    { class: 'slider', 'data-input': name },
    make('label', { for: id }, legend),
    input,
    make(
      'div',
      { class: 'slider-marks', 'aria-hidden': 'true' },
      marks.map((text) => make('span', {}, make('bdi', {}, text))),
    ),
    said,
  );
  const error = errorLine(() => [input]);
  element.append(error.element);
  let touched = Boolean(previous?.touched);

  function draw() {
    const shown = touched || !hidden;
    const text = shown ? say(Number(input.value)) : words('mix.unset');
    element.classList.toggle('slider-hidden', !shown);
    said.textContent = text;
    input.setAttribute('aria-valuetext', text);
    input.style.setProperty('--value', `${shown ? input.value : 0}%`);
  }
  function touch() {
    touched = true;
    error.show(null);
    draw();
  }
  // A press in the exact middle changes no value and fires no input event.
  input.addEventListener('pointerup', touch);
  input.addEventListener('keydown', (event) => {
    if (setting.has(event.key)) touch();
    if (event.key === 'Enter') event.preventDefault();
  });
  input.addEventListener('input', touch);
  draw();

  return {
    element,
    showError: error.show,
    focus: () => input.focus(),
    value: () => Number(input.value),
    touched: () => touched,
  };
}

// Which class stands on the left follows the annotator's order of classes, so it differs between
// people; the answer always counts from the item's first class.
function sides([a, b], classes) {
  const turned = classes.indexOf(a) > classes.indexOf(b);
  const own = (value) => (turned ? 100 - value : value);
  return { left: turned ? b : a, right: turned ? a : b, own };
}

function build({ session, item, ask, previous }, strict) {
  const { left, right, own } = sides(item.endpoints, session.classes);
  const before = (i, value) => previous && { value, touched: previous.touched[i] };
  const answer = () => ({
    mixing: own(mixing.value()),
    confidence: confidence.value(),
    touched: [mixing.touched(), confidence.touched()],
  });
  const mixing = slider({
    name: 'mixing',
    legend: question('mix.mixing', ask),
    marks: [
      words('mix.end', { name: left }),
      words('mix.middle'),
      words('mix.end', { name: right }),
    ],
    say: (value) => words('mix.shares', { left, right, first: 100 - value, second: value }),
    hidden: strict,
    previous: previous && before(0, own(previous.mixing)),
  });
  const confidence = slider({
    name: 'confidence',
    legend: question('mix.confidence', ask),
    marks: [0, 50, 100].map((n) => words('percent.value', { n })),
    say: (value) => words('percent.value', { n: value }),
    hidden: strict,
    previous: before(1, previous?.confidence),
  });
  return {
    intro: question('mix.intro', ask, { left, right }),
    keys: words('mix.keys'),
    parts: [mixing.element, confidence.element],
    focus: () => mixing.focus(),
    draft: answer,
    read() {
      const missing = [mixing, confidence].filter((field) => strict && !field.touched());
      if (missing.length)
        return {
          problems: missing.map((field) => ({
            field,
            text: words('mix.missing'),
          })),
        };
      return { answer: answer() };
    },
  };
}

export const mix = (context) => build(context, false);
export const mixPlus = (context) => build(context, true);
