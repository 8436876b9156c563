// One button per class: choosing answers the trial. A letter that several classes begin with only
// moves the focus among them, so that a slip of the finger is no answer.

import { choice } from './choice.js';
import { digitOf, longestList, tag } from './classes.js';
import { errorLine, make, newId, rich } from './dom.js';
import { say } from './words.js';

function typeAhead(options) {
  const field = choice({
    name: options.name,
    legend: options.legend,
    labelledBy: options.labelledBy,
    hint: options.hint,
    classes: options.classes,
  });
  if (options.chosen) field.set(options.chosen);
  field.element.addEventListener('change', (event) => {
    // Leaving the field fires "change" too; only a choice from the list is an answer.
    if (!event.isTrusted && field.value()) options.choose(field.value());
  });
  return {
    element: field.element,
    focus: field.focus,
    read: () => ({ problems: [{ field, text: say('choice.missing') }] }),
  };
}

function onKey(event, rows, options) {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.repeat ||
    event.key.length !== 1 ||
    event.key === ' '
  )
    return;
  const digit = rows.findIndex((_, i) => digitOf(i) === event.key);
  const begins = rows.filter((_, i) =>
    options.classes[i].toLowerCase().startsWith(event.key.toLowerCase()),
  );
  const found = digit >= 0 ? [rows[digit]] : begins;
  if (!found.length) return;
  event.preventDefault();
  const here = found.indexOf(document.activeElement);
  if (found.length === 1) found[0].click();
  else found[(here + 1) % found.length].focus();
}

// {name, legend or labelledBy (the id of a question elsewhere), hint, classes, chosen,
// choose(class)}
export function buttons(options) {
  if (options.classes.length > longestList) return typeAhead(options);
  const hint = options.hint
    ? make('p', { class: 'hint', id: newId('hint') }, rich(options.hint))
    : null;
  const rows = options.classes.map((name, i) =>
    make(
      'button',
      {
        type: 'button',
        class: 'class-button',
        'aria-pressed': options.chosen ? String(name === options.chosen) : null,
        click: () => options.choose(name),
      },
      make('span', tag(name), name),
      digitOf(i) ? make('kbd', { 'aria-hidden': 'true' }, digitOf(i)) : null,
    ),
  );
  const fieldset = make(
    'fieldset',
    {
      class: 'question',
      'data-input': options.name,
      tabindex: '-1',
      'aria-describedby': hint ? hint.id : null,
      'aria-labelledby': options.labelledBy,
      keydown: (event) => onKey(event, rows, options),
    },
    options.legend ? make('legend', {}, rich(options.legend)) : null,
    hint,
    make('div', { class: 'class-buttons' }, rows),
  );
  const error = errorLine(() => [fieldset]);
  fieldset.append(error.element);
  return {
    element: fieldset,
    rows,
    focus: () => fieldset.focus({ preventScroll: true }),
    read: () => ({
      problems: [
        {
          field: { showError: error.show, focus: () => rows[0].focus() },
          text: say('choice.missing'),
        },
      ],
    }),
  };
}
