// The three questions of `collins` with help: numbers are checked, the top class is greyed out
// further down, keys choose, Enter moves on to the next input and never submits. `possible` turns
// the last question round; `fast` opens these questions when one key was not enough.

import { choice } from './choice.js';
import { keysFor } from './classes.js';
import { announceChange, make, rich } from './dom.js';
import { percentField } from './percent.js';

const none = 'No alternative';

function checkTop(fields) {
  const percent = fields.topPercent.value();
  if (!fields.top.value()) return { field: fields.top, text: 'Choose the most probable category.' };
  if (percent === null)
    return { field: fields.topPercent, text: 'Give a number between 1 and 100.' };
  if (!(percent > 0 && percent <= 100))
    return { field: fields.topPercent, text: 'The number must be above 0 and at most 100.' };
  return null;
}

function checkSecond(fields) {
  const name = fields.second.value();
  const percent = fields.secondPercent.value();
  const first = fields.topPercent.value();
  // All of it went to the first: there is nothing left for a second.
  if (name === null && first === 100) return null;
  if (name === null)
    return { field: fields.second, text: `Choose a second category, or \u201c${none}\u201d.` };
  if (name === '') return null;
  if (percent === null)
    return {
      field: fields.secondPercent,
      text: `Give a number between 1 and 100, or choose \u201c${none}\u201d.`,
    };
  if (!(percent > 0 && percent <= 100))
    return {
      field: fields.secondPercent,
      text: `The number must be above 0 and at most 100; for none choose \u201c${none}\u201d.`,
    };
  if (first !== null && percent > first)
    return {
      field: fields.secondPercent,
      text: `The second category cannot be more probable than the first (${first} %).`,
    };
  if (first !== null && first + percent > 100)
    return {
      field: fields.secondPercent,
      text: `Together they can be at most 100 %: at most ${Math.max(0, 100 - first)} here.`,
    };
  return null;
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
      button.textContent = full ? 'None of them' : 'All the rest';
    },
  };
}

function restore(fields, previous, lastName) {
  if (!previous?.top) return;
  fields.top.set(previous.top.class);
  fields.topPercent.set(previous.top.raw);
  fields.second.set(previous.second ? previous.second.class : '');
  fields.secondPercent.enable(Boolean(previous.second));
  if (previous.second) fields.secondPercent.set(previous.second.raw);
  fields.last.set(previous[lastName]);
}

// Enter goes to the next input that can be used, after the last one to the button.
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

export function soft({ session, words, previous, button }, lastName) {
  const { classes } = session;
  const fields = {
    top: choice({ name: 'top', legend: words.top, classes, keys: true }),
    topPercent: percentField({ name: 'top_percent', label: words.topPercent }),
    second: choice({ name: 'second', legend: words.second, classes, none, keys: true }),
    secondPercent: percentField({ name: 'second_percent', label: words.secondPercent }),
    last: choice({
      name: lastName,
      legend: words[lastName],
      hint: words[`${lastName}Hint`],
      classes,
      many: true,
      keys: true,
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

  function follow() {
    const top = fields.top.value();
    const before = fields.secondPercent.disabled;
    fields.second.disable(top ? [top] : []);
    fields.last.disable([top, fields.second.value()].filter(Boolean));
    const wanted = Boolean(fields.second.value());
    if (before === wanted) fields.secondPercent.enable(wanted);
    rest.update();
  }
  fields.secondPercent.enable(false);
  restore(fields, previous, lastName);
  follow();

  // A complaint goes as soon as it no longer holds, and comes only when a field is left or sent.
  const complaints = {
    top: checkTop,
    topPercent: checkTop,
    second: checkSecond,
    secondPercent: checkSecond,
  };
  root.addEventListener('change', (event) => {
    follow();
    for (const [name, check] of Object.entries(complaints)) {
      const found = check(fields);
      const own = found && found.field === fields[name];
      const left = fields[name].element.contains(event.target) && fields[name].raw?.();
      if (!own) fields[name].showError(null);
      else if (left) fields[name].showError(found.text);
    }
  });
  enterMovesOn(root, fields, button);

  const typed = (name, field) => ({ class: name, percent: field.value(), raw: field.raw() });
  return {
    intro: rich(words.intro),
    keys: keysFor(
      classes,
      'Digits choose by place, letters by name, Enter goes on to the next question.',
    ),
    parts: [root],
    focus: () => fields.top.element.focus({ preventScroll: true }),
    start: () => fields.top.focus(),
    read() {
      const problems = [checkTop(fields), checkSecond(fields)].filter(Boolean);
      for (const field of Object.values(fields)) field.showError(null);
      if (problems.length) return { problems };
      const second = fields.second.value();
      return {
        answer: {
          top: typed(fields.top.value(), fields.topPercent),
          second: second ? typed(second, fields.secondPercent) : null,
          [lastName]: fields.last.value(),
        },
      };
    },
  };
}
