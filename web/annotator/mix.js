// How much of either class went into a mixed image, and how sure one is. `mix` is as published:
// both sliders start in the middle and may stay there (whether they were touched is recorded);
// `mix+` shows no start and asks for both.

import { errorLine, make, newId } from './dom.js';

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
      marks.map((text) => make('span', {}, text)),
    ),
    said,
  );
  const error = errorLine(() => [input]);
  element.append(error.element);
  let touched = Boolean(previous?.touched);

  function draw() {
    const shown = touched || !hidden;
    const text = shown ? say(Number(input.value)) : 'not set yet';
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
  // A press in the very middle changes no value and makes no input event.
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

// Which of the two stands on the left follows the annotator's order of classes, so that it differs
// between people; the answer counts from the item's own first.
function sides([a, b], classes) {
  const turned = classes.indexOf(a) > classes.indexOf(b);
  const own = (value) => (turned ? 100 - value : value);
  return { left: turned ? b : a, right: turned ? a : b, own };
}

function build({ session, item, words, previous }, strict) {
  const { left, right, own } = sides(item.endpoints, session.classes);
  const before = (i, value) => previous && { value, touched: previous.touched[i] };
  const mixing = slider({
    name: 'mixing',
    legend: words.mixing,
    marks: [`100 % ${left}`, '50 / 50', `100 % ${right}`],
    say: (value) => `${100 - value} % ${left}, ${value} % ${right}`,
    hidden: strict,
    previous: previous && before(0, own(previous.mixing)),
  });
  const confidence = slider({
    name: 'confidence',
    legend: words.confidence,
    marks: ['0 %', '50 %', '100 %'],
    say: (value) => `${value} %`,
    hidden: strict,
    previous: before(1, previous?.confidence),
  });
  return {
    intro: words.mixIntro(left, right),
    keys: 'Arrow keys move a slider by 1, Page Up and Page Down by 10.',
    parts: [mixing.element, confidence.element],
    focus: () => mixing.focus(),
    read() {
      const missing = [mixing, confidence].filter((field) => strict && !field.touched());
      if (missing.length)
        return {
          problems: missing.map((field) => ({
            field,
            text: 'Please set this slider: click it or use the arrow keys.',
          })),
        };
      return {
        answer: {
          mixing: own(mixing.value()),
          confidence: confidence.value(),
          touched: [mixing.touched(), confidence.touched()],
        },
      };
    },
  };
}

export const mix = (context) => build(context, false);
export const mixPlus = (context) => build(context, true);
