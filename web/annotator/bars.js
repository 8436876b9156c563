// The whole distribution at once: one bar per class, 100 % in all. A bar is set by a click, by arrow
// keys in steps of 5 or by a number. Only its own control changes a bar: a bar stops where the 100 %
// are used up, and typed numbers that exceed them get an error message.

import { choice } from './choice.js';
import { longestList, tag } from './classes.js';
import { announceChange, errorLine, make, newId, rich } from './dom.js';
import { parsePercent } from './percent.js';
import { ask as question, number as shown } from './wording.js';
import { say } from './words.js';

const step = 5;
const tolerance = 0.05; // of the sum, as on the server
const silence = 1000; // ms without a change until the sum is read aloud
const sum = (values) => Math.round(values.reduce((all, value) => all + value, 0) * 1e6) / 1e6;
const complete = (values) => Math.abs(sum(values) - 100) <= tolerance;

// The value of bar `index` after it was pulled to `wanted`: at most what is left of the 100 %.
export function pull(values, index, wanted) {
  const left = Math.max(0, 100 - sum(values));
  return Math.max(0, Math.min(wanted, values[index] + left));
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
const turned = { ArrowRight: 'ArrowLeft', ArrowLeft: 'ArrowRight' };

// `pulled(value)` is called for steps and clicks, `typed(value or null)` for text.
function bar(name, { pulled, typed, next }) {
  const id = newId('bar');
  const range = make('input', {
    type: 'range',
    id,
    min: 0,
    max: 100,
    step: 'any',
    value: 0,
    'aria-labelledby': `${id}-name`,
  });
  const number = make('input', {
    type: 'text',
    inputmode: 'decimal',
    class: 'bar-number',
    value: '0',
    maxlength: 10,
    autocomplete: 'off',
    'aria-label': say('bars.number', { name }),
  });
  const { class: kind, dir } = tag(name);
  const element = make(
    'div',
    { class: 'bar', 'data-input': `percents.${name}` },
    make('label', { for: id, id: `${id}-name`, class: `bar-name ${kind}`, dir }, name),
    make('div', { class: 'bar-track' }, range),
    make('span', { class: 'percent-box' }, number, make('span', { 'aria-hidden': 'true' }, '%')),
  );
  let value = 0;

  const change = (by) => {
    pulled(value + by);
    announceChange(range);
  };
  range.addEventListener('input', () => pulled(Math.round(Number(range.value) / step) * step));
  range.addEventListener('keydown', (event) => {
    const rightToLeft = getComputedStyle(range).direction === 'rtl';
    const key = (rightToLeft && turned[event.key]) || event.key;
    if (key in keys) {
      event.preventDefault();
      change(keys[key]);
    } else if (key === 'Enter') {
      event.preventDefault();
      next(element);
    }
  });
  number.addEventListener('focus', () => number.select());
  number.addEventListener('input', () =>
    typed(number.value.trim() ? parsePercent(number.value) : 0),
  );
  number.addEventListener('keydown', (event) => {
    const by = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (by) {
      event.preventDefault();
      change(by);
      number.select();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      next(element);
    }
  });

  return {
    name,
    element,
    number,
    focus: () => range.focus(),
    // Text that is being typed is left alone.
    draw(now, keepText) {
      value = now;
      range.value = String(now);
      if (!keepText) number.value = shown(now);
      range.setAttribute('aria-valuetext', say('bars.value', { n: shown(now) }));
      element.style.setProperty('--value', `${Math.min(100, now)}%`);
    },
  };
}

// The one line that says how much is given and what is wrong with it. It is shown at once and read
// aloud when nothing has changed for a moment.
function total(fieldset) {
  const seen = make('p', { class: 'sum', 'aria-hidden': 'true' });
  const heard = make('p', { class: 'unseen', role: 'status' });
  const error = errorLine(() => [fieldset()]);
  const element = make('div', { class: 'sum-line' }, seen, heard, error.element);
  let timer = 0;
  return {
    element,
    tell(text, { done = false, wrong = false }) {
      seen.textContent = wrong ? '' : text;
      seen.hidden = wrong;
      seen.classList.toggle('sum-done', done);
      error.show(wrong ? text : null);
      clearTimeout(timer);
      timer = setTimeout(() => {
        heard.textContent = text;
      }, silence);
    },
  };
}

export function bars({ session, ask, previous, changed, button }) {
  const { classes } = session;
  let values = previous?.percents ? [...previous.percents] : classes.map(() => 0);
  const unread = new Set(); // bars whose text is not a number
  let asked = false; // the annotator has tried to continue
  const many = classes.length > longestList;
  const holder = make('div', { class: 'bars' });
  const total100 = total(() => fieldset);
  const clear = make(
    'button',
    { type: 'button', class: 'quiet', click: clearAll },
    say('bars.clear'),
  );
  const fieldset = make(
    'fieldset',
    { class: 'question', 'data-input': 'percents', tabindex: '-1' },
    make('legend', {}, rich(question('bars.percents', ask))),
    holder,
    // The sum and the errors stay visible while the bars scroll.
    make('div', { class: 'bars-foot' }, total100.element, clear),
  );
  const rows = classes.map((name, i) =>
    bar(name, {
      pulled(wanted) {
        unread.delete(i);
        values[i] = pull(values, i, wanted);
        draw(i, false, wanted > values[i] && wanted <= 100);
      },
      typed(value) {
        const fits = value !== null && value >= 0 && value <= 100;
        if (fits) unread.delete(i);
        else unread.add(i);
        values[i] = fits ? value : 0;
        draw(i, true);
      },
      next,
    }),
  );

  function clearAll() {
    unread.clear();
    values = classes.map(() => 0);
    asked = false;
    drawAll();
    changed();
  }
  function next(element) {
    const following = rows.find((row) => row.element === element.nextElementSibling);
    if (following && !complete(values)) following.focus();
    else button().focus();
  }
// What is wrong, or null: a text that is not a number, too much or, after a try to continue, too little.
  function fault() {
    if (unread.size) return say('bars.unread', { name: classes[[...unread][0]] });
    if (complete(values)) return null;
    const over = sum(values) - 100;
    if (over > 0) return say('bars.over', { given: shown(sum(values)), over: shown(over) });
    return asked ? say('bars.missing', { left: shown(-over) }) : null;
  }
  function tell(stopped) {
    const wrong = fault();
    const given = sum(values);
    if (wrong) total100.tell(wrong, { wrong: true });
    else if (complete(values))
      total100.tell(say(stopped ? 'bars.stopped' : 'bars.done'), { done: true });
    else total100.tell(say('bars.given', { given: shown(given), left: shown(100 - given) }), {});
  }
  function draw(i, keepText, stopped) {
    rows[i].draw(values[i], keepText);
    if (unread.has(i)) rows[i].number.setAttribute('aria-invalid', 'true');
    else rows[i].number.removeAttribute('aria-invalid');
    tell(stopped);
  }
  function drawAll() {
    rows.forEach((_, i) => draw(i, false));
  }

  // With many classes only those with a share have a bar, and a field finds more.
  const find = many ? choice({ name: 'find', legend: say('bars.find'), classes }) : null;
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
  drawAll();

  return {
    intro: rich(question('bars.intro', ask)),
    keys: say('bars.keys'),
    parts: find ? [find.element, fieldset] : [fieldset],
    focus: () => (find ? find.focus() : fieldset.focus({ preventScroll: true })),
    draft: () => ({ percents: [...values] }),
    read() {
      asked = true;
      tell();
      const text = fault();
      if (!text) return { answer: { percents: [...values] } };
      const first = () =>
        holder.querySelector('[aria-invalid=true]') || holder.querySelector('input');
      const field = {
        showError: () => {}, // the sum line shows it already
        focus: () => (find && !holder.children.length ? find.focus() : first().focus()),
      };
      return { problems: [{ field, text }] };
    },
  };
}
