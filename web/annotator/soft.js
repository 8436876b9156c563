// The three questions of `collins` with help: numbers are checked, the top class is greyed out in the
// later questions, keys choose, Enter moves to the next input and never submits, and the answer so far
// is drawn beside the picture. `possible` reverses the last question; `fast` opens these questions for
// annotators who are not certain.

import { choice } from './choice.js';
import { keysFor } from './classes.js';
import { announceChange, make, rich } from './dom.js';
import { drawn } from './drawn.js';
import { percentField } from './percent.js';
import { ask as question, number } from './wording.js';
import { say } from './words.js';

const within = (percent) => percent > 0 && percent <= 100;

function checkTop(fields) {
  const percent = fields.topPercent.value();
  if (!fields.top.value()) return { field: fields.top, text: say('soft.top_missing') };
  if (percent === null) return { field: fields.topPercent, text: say('percent.missing') };
  if (!within(percent)) return { field: fields.topPercent, text: say('percent.range') };
  return null;
}

function checkSecondPercent(fields) {
  const percent = fields.secondPercent.value();
  const first = fields.topPercent.value();
  if (percent === null) return say('soft.second_percent_missing');
  if (!within(percent)) return say('soft.second_percent_range');
  if (first !== null && percent > first) return say('soft.second_more', { first: number(first) });
  if (first !== null && first + percent > 100)
    return say('soft.second_sum', { most: number(Math.max(0, 100 - first)) });
  return null;
}

function checkSecond(fields) {
  const name = fields.second.value();
  // With 100 % for the first class nothing is left for a second.
  if (name === null && fields.topPercent.value() === 100) return null;
  if (name === null) return { field: fields.second, text: say('soft.second_missing') };
  if (name === '') return null;
  const text = checkSecondPercent(fields);
  return text && { field: fields.secondPercent, text };
}

function restButton(fields, classes) {
  const rest = () =>
    classes.filter((name) => name !== fields.top.value() && name !== fields.second.value());
  const button = make('button', {
    type: 'button',
    class: 'quiet',
    click: () => {
      const all = fields.last.value().length < rest().length;
      fields.last.set(all ? rest() : []);
      announceChange(fields.last.element);
    },
  });
  return {
    button,
    update() {
      const full = rest().length > 0 && fields.last.value().length === rest().length;
      button.textContent = say(full ? 'soft.rest_none' : 'soft.rest_all');
    },
  };
}

// From an answer or a draft. An input that a draft does not know has no key, since null is an answer.
function restore(fields, previous, lastName) {
  if (!previous?.top) return;
  fields.top.set(previous.top.class);
  fields.topPercent.set(previous.top.raw);
  if ('second' in previous) fields.second.set(previous.second ? previous.second.class : '');
  fields.secondPercent.enable(Boolean(previous.second));
  if (previous.second) fields.secondPercent.set(previous.second.raw);
  fields.last.set(previous[lastName] || []);
}

// Enter goes to the next enabled input, and from the last one to the button.
function enterMovesOn(root, fields, button) {
  const order = [fields.top, fields.topPercent, fields.second, fields.secondPercent, fields.last];
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target.matches('button')) return;
    const at = order.findIndex((field) => field.element.contains(event.target));
    if (at < 0) return;
    event.preventDefault();
    const next = order.slice(at + 1).find((field) => !field.disabled);
    (next || button()).focus();
  });
}

// The classes that are neither named nor ruled out share the rest.
function draw(drawing, fields, classes, lastName) {
  const share = (field) => {
    const percent = field.value();
    return percent !== null && within(percent) ? percent : null;
  };
  const top = fields.top.value();
  const second = fields.second.value();
  const first = share(fields.topPercent);
  const other = second ? share(fields.secondPercent) : null;
  const rest = Math.max(0, Math.round((100 - (first || 0) - (other || 0)) * 1e6) / 1e6);
  const listed = fields.last.value().length;
  const named = (top ? 1 : 0) + (second ? 1 : 0);
  const open = lastName === 'possible' ? listed : classes.length - named - listed;
  const notes = [say('soft.rest_nowhere'), say('soft.rest_share')];
  // While no box is ticked yet, the annotator has not said that nothing is possible.
  const begun = lastName !== 'possible' || top;
  const note = begun ? notes[open] || say('soft.rest_shares', { n: open }) : null;
  drawing.update([
    { name: top || say('soft.row_top'), percent: first },
    second === ''
      ? { name: say('choice.none'), percent: null }
      : { name: second || say('soft.row_second'), percent: other },
    { name: say('soft.row_rest'), percent: rest, kind: 'rest', note: rest ? note : null },
  ]);
}

export function soft({ session, ask, previous, button }, lastName) {
  const { classes } = session;
  const words = (name) => question(`soft.${name}`, ask);
  const percent = (name, label) => percentField({ name, label: words(label), row: true });
  const fields = {
    top: choice({ name: 'top', legend: words('top'), classes, keys: true }),
    topPercent: percent('top_percent', 'top_percent'),
    second: choice({
      name: 'second',
      legend: words('second'),
      classes,
      none: say('choice.none'),
      keys: true,
    }),
    secondPercent: percent('second_percent', 'second_percent'),
    last: choice({
      name: lastName,
      legend: words(lastName),
      hint: words(`${lastName}_hint`),
      classes,
      many: true,
      keys: true,
      mark: lastName === 'impossible' ? 'cross' : null,
      recent: lastName === 'possible',
    }),
  };
  const rest = restButton(fields, classes);
  fields.last.element
    .querySelector('.hint')
    .after(make('div', { class: 'question-tools' }, rest.button));
  const root = make(
    'div',
    { class: 'questions-group' },
    Object.values(fields).map((field) => field.element),
  );
  const drawing = drawn(say('soft.drawn'));

  function follow() {
    const top = fields.top.value();
    const before = fields.secondPercent.disabled;
    fields.second.disable(top ? [top] : []);
    fields.last.disable([top, fields.second.value()].filter(Boolean));
    const wanted = Boolean(fields.second.value());
    if (before === wanted) fields.secondPercent.enable(wanted);
    rest.update();
    draw(drawing, fields, classes, lastName);
  }
  fields.secondPercent.enable(false);
  restore(fields, previous, lastName);
  follow();

  // An error vanishes as soon as it is fixed, and appears only when a field is left or submitted.
  const complaints = {
    top: checkTop,
    topPercent: checkTop,
    second: checkSecond,
    secondPercent: checkSecond,
  };
  function review(event) {
    follow();
    for (const [name, check] of Object.entries(complaints)) {
      const found = check(fields);
      const own = found && found.field === fields[name];
      const left = fields[name].element.contains(event.target) && fields[name].raw?.();
      if (!own) fields[name].showError(null);
      else if (left && event.type === 'change') fields[name].showError(found.text);
    }
  }
  root.addEventListener('input', review);
  root.addEventListener('change', review);
  enterMovesOn(root, fields, button);

  const typed = (name, field) => ({ class: name, percent: field.value(), raw: field.raw() });
  const second = () => {
    const name = fields.second.value();
    return name ? typed(name, fields.secondPercent) : null;
  };
  return {
    intro: rich(words('intro')),
    keys: keysFor(classes, say('soft.keys')),
    parts: [root],
    drawn: drawing.element,
    focus: () => fields.top.element.focus({ preventScroll: true }),
    start: () => fields.top.focus(),
    draft: () => ({
      top: typed(fields.top.value(), fields.topPercent),
      ...(fields.second.value() === null ? {} : { second: second() }),
      [lastName]: fields.last.value(),
    }),
    read() {
      const problems = [checkTop(fields), checkSecond(fields)].filter(Boolean);
      for (const field of Object.values(fields)) field.showError(null);
      if (problems.length) return { problems };
      return {
        answer: {
          top: typed(fields.top.value(), fields.topPercent),
          second: second(),
          [lastName]: fields.last.value(),
        },
      };
    },
  };
}
