// The whole distribution at once: one bar per class, together at most 100. A bar is set by a click,
// by arrow keys in steps of 5 or by a number. Raising one uses up what is left first; when nothing
// is left it takes from the others in proportion.

import { choice } from './choice.js';
import { longestList } from './classes.js';
import { errorLine, make, newId, rich } from './dom.js';
import { parsePercent } from './percent.js';

const step = 5;
const sum = (values) => values.reduce((total, value) => total + value, 0);

// `amount` taken from `values` (not at `index`) in proportion, in whole numbers: largest remainders.
function takeFromOthers(values, index, amount) {
  const others = sum(values) - values[index];
  const shares = values.map((value, i) => (i === index ? 0 : (value * amount) / others));
  const taken = shares.map(Math.floor);
  const byRemainder = shares.map((share, i) => [share - taken[i], i]).sort((a, b) => b[0] - a[0]);
  for (let n = 0; sum(taken) < amount; n += 1) taken[byRemainder[n][1]] += 1;
  return values.map((value, i) => value - taken[i]);
}

// The values after bar `index` was pulled to `wanted`. A pull stops where the rest is used up, so
// that the last bar needs no aim; `exact` (a typed number) does not.
export function pull(values, index, wanted, exact) {
  const left = 100 - sum(values);
  const target = Math.min(100, Math.max(0, Math.round(wanted)));
  const stopped = !exact && left > 0 ? Math.min(target, values[index] + left) : target;
  const rise = stopped - values[index];
  const after = rise > left ? takeFromOthers(values, index, rise - left) : [...values];
  after[index] = stopped;
  return after;
}

const keys = {
  ArrowUp: step,
  ArrowRight: step,
  ArrowDown: -step,
  ArrowLeft: -step,
  PageUp: 20,
  PageDown: -20,
  Home: -100,
  End: 100,
};

function bar(name, set, next) {
  const id = newId('bar');
  const range = make('input', {
    type: 'range',
    id,
    min: 0,
    max: 100,
    step,
    value: 0,
    'aria-labelledby': `${id}-name`,
  });
  const number = make('input', {
    type: 'text',
    inputmode: 'numeric',
    class: 'bar-number',
    value: '0',
    autocomplete: 'off',
    'aria-label': `${name}, percent`,
  });
  const element = make(
    'div',
    { class: 'bar', 'data-input': `percents.${name}` },
    make('label', { for: id, id: `${id}-name`, class: 'bar-name' }, name),
    make('div', { class: 'bar-track' }, range),
    make('span', { class: 'percent-box' }, number, make('span', { 'aria-hidden': 'true' }, '%')),
  );
  let value = 0;

  range.addEventListener('input', () => set(Number(range.value), false));
  range.addEventListener('keydown', (event) => {
    if (event.key in keys) {
      event.preventDefault();
      set(value + keys[event.key], false);
      range.dispatchEvent(new Event('change', { bubbles: true }));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      next(element);
    }
  });
  number.addEventListener('focus', () => number.select());
  number.addEventListener('change', () => {
    const typed = parsePercent(number.value);
    set(typed === null ? value : typed, true);
  });
  number.addEventListener('keydown', (event) => {
    const change = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (change) {
      event.preventDefault();
      set(value + change, false);
      range.dispatchEvent(new Event('change', { bubbles: true }));
      number.select();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      next(element);
    }
  });

  return {
    name,
    element,
    focus: () => range.focus(),
    draw(now) {
      value = now;
      range.value = String(now);
      number.value = String(now);
      range.setAttribute('aria-valuetext', `${now} percent`);
      element.style.setProperty('--value', `${now}%`);
    },
  };
}

export function bars({ session, words, previous, button }) {
  const { classes } = session;
  let values = previous ? [...previous.percents] : classes.map(() => 0);
  const many = classes.length > longestList;
  const left = make('p', { class: 'left', role: 'status' });
  const clear = make(
    'button',
    { type: 'button', class: 'quiet', click: () => update(classes.map(() => 0)) },
    'Clear',
  );
  const holder = make('div', { class: 'bars' });
  const fieldset = make(
    'fieldset',
    { class: 'question', 'data-input': 'percents', tabindex: '-1' },
    make('legend', {}, words.bars),
    holder,
  );
  const error = errorLine(() => [fieldset]);
  const rows = classes.map((name, i) =>
    bar(name, (wanted, exact) => update(pull(values, i, wanted, exact)), next),
  );

  function next(element) {
    const following = rows.find((row) => row.element === element.nextElementSibling);
    if (following && sum(values) < 100) following.focus();
    else button().focus();
  }
  function update(now) {
    values = now;
    rows.forEach((row, i) => row.draw(values[i]));
    const rest = 100 - sum(values);
    left.textContent = rest ? `${rest} % left to give` : 'All 100 % given';
    left.classList.toggle('left-none', rest === 0);
    if (!rest) error.show(null);
  }

  // Too many for a bar each: those with a share, and a field to find more.
  const find = many ? choice({ name: 'find', legend: 'Add a category', classes }) : null;
  const show = (name) => {
    const row = rows[classes.indexOf(name)];
    holder.append(row.element);
    return row;
  };
  find?.element.addEventListener('change', () => {
    const name = find.value();
    if (!name) return;
    find.set(null);
    show(name).focus();
  });
  if (many) classes.filter((_, i) => values[i]).forEach(show);
  else holder.append(...rows.map((row) => row.element));
  // What is left and what is wrong stay in sight while the bars scroll.
  fieldset.append(make('div', { class: 'bars-foot' }, error.element, left, clear));
  update(values);

  return {
    intro: rich(words.intro),
    keys: 'Arrow keys change a bar by 5, Enter goes on to the next.',
    parts: find ? [find.element, fieldset] : [fieldset],
    focus: () => (find ? find.focus() : fieldset.focus({ preventScroll: true })),
    read() {
      if (sum(values) === 100) return { answer: { percents: values } };
      const field = {
        showError: error.show,
        focus: () =>
          find && !holder.children.length ? find.focus() : holder.querySelector('input').focus(),
      };
      return {
        problems: [{ field, text: `Give all of the 100 %: ${100 - sum(values)} % are left.` }],
      };
    },
  };
}
