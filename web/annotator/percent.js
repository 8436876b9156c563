// A field for a percentage. `lenient` accepts any text, as figure 7 did; otherwise the screen checks
// the number. With `row`, label, field and error message stand side by side.

import { errorLine, make, newId, rich } from './dom.js';

const longest = 40; // characters of raw text

// Arabic and Persian digits, decimal point and percent sign.
const western = (text) =>
  text
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace('\u066b', '.')
    .replace('\u066a', '%');

// The typed text as a number, or null: "70", " 70 % ", "12.5" and "33,5" are numbers, "8p" and "" are
// not.
export function parsePercent(raw) {
  const text = western(raw).trim().replace(/\s*%$/, '').replace(',', '.');
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : null;
}

export function percentField(options) {
  const input = make('input', {
    type: 'text',
    id: newId('percent'),
    class: 'percent-input',
    autocomplete: 'off',
    maxlength: longest,
    inputmode: options.lenient ? null : 'decimal',
  });
  const element = make(
    'div',
    { class: options.row ? 'percent percent-row' : 'percent', 'data-input': options.name },
    make('label', { for: input.id }, rich(options.label)),
    make('span', { class: 'percent-box' }, input, make('span', { 'aria-hidden': 'true' }, '%')),
  );
  const error = errorLine(() => [input]);
  element.append(error.element);
  return {
    element,
    raw: () => input.value,
    value: () => parsePercent(input.value),
    set(raw) {
      input.value = raw ?? '';
    },
    enable(on) {
      input.disabled = !on;
      element.classList.toggle('percent-off', !on);
      if (!on) input.value = '';
    },
    get disabled() {
      return input.disabled;
    },
    showError: error.show,
    focus() {
      input.focus();
      input.select();
    },
  };
}
