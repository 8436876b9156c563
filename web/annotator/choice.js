// Choosing classes: a list of radio buttons or checkboxes, or a type-ahead field if there are too
// many classes for a list. All three have the same methods, so a screen need not know which it has.
//
//   element, value() -> class | null (one) or [class] (many), set(value), disable(classes),
//   showError(text | null), focus()

import { digitOf, longestList, tag } from './classes.js';
import { combobox } from './combobox.js';
import { announceChange, describe, errorLine, make, newId, rich } from './dom.js';

function legendOf(options) {
  const parts = options.legend ? [make('legend', {}, rich(options.legend))] : [];
  if (options.hint) parts.push(make('p', { class: 'hint', id: newId('hint') }, rich(options.hint)));
  return parts;
}

function row(option, index, options, type, group) {
  const input = make('input', { type, name: group, value: option.value, id: newId('option') });
  const none = option.value ? '' : ' option-none';
  const { class: name, dir } = option.value ? tag(option.label) : { class: '' };
  const text = make('span', { class: `option-text ${name}`, dir, id: newId('text') }, option.label);
  // As in figure 7 only the button itself can be clicked; the text beside it is its name.
  if (options.plain) {
    input.setAttribute('aria-labelledby', text.id);
    return { input, element: make('div', { class: `option option-plain${none}` }, input, text) };
  }
  const key = options.keys && digitOf(index);
  const cap = key ? make('kbd', { 'aria-hidden': 'true' }, key) : null;
  return { input, element: make('label', { class: `option${none}` }, input, text, cap) };
}

// Digits choose by position, letters cycle through the classes that begin with them; only while the
// focus is inside (WCAG 2.1.4).
function addKeys(fieldset, rows, choose) {
  fieldset.addEventListener('keydown', (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.key.length !== 1 ||
      event.key === ' '
    )
      return;
    const free = rows.filter(({ input }) => !input.disabled);
    const digit = rows.findIndex((_, i) => digitOf(i) === event.key);
    let found = digit >= 0 && !rows[digit].input.disabled ? rows[digit] : null;
    let alone = true;
    if (digit < 0) {
      const begins = free.filter(({ label }) =>
        label.toLowerCase().startsWith(event.key.toLowerCase()),
      );
      const here = begins.findIndex(({ input }) => input === document.activeElement);
      found = begins[(here + 1) % begins.length] || null;
      alone = begins.length === 1;
    }
    if (!found) return;
    event.preventDefault();
    choose(found, alone);
  });
}

function list(options) {
  const type = options.many ? 'checkbox' : 'radio';
  const group = newId(options.name);
  const choices = options.classes.map((name) => ({ value: name, label: name }));
  if (options.none) choices.push({ value: '', label: options.none });
  const looks = [options.plain ? 'plain' : 'chips', options.mark];
  const rows = choices.map((choice, i) => ({ ...choice, ...row(choice, i, options, type, group) }));
  const fieldset = make(
    'fieldset',
    {
      class: 'question',
      'data-input': options.name,
      tabindex: '-1',
      'aria-labelledby': options.labelledBy,
    },
    ...legendOf(options),
    make(
      'div',
      { class: `options options-${looks.filter(Boolean).join(' options-')}` },
      rows.map((entry) => entry.element),
    ),
  );
  const hint = fieldset.querySelector('.hint');
  if (hint) describe(fieldset, hint.id, true);
  const error = errorLine(() => [fieldset]);
  fieldset.append(error.element);

  if (options.keys)
    addKeys(fieldset, rows, ({ input }, alone) => {
      input.focus();
      // If several checkboxes share the letter, it only moves the focus and Space ticks.
      if (options.many && !alone) return;
      input.checked = options.many ? !input.checked : true;
      announceChange(input);
    });

  const checked = () =>
    rows.filter(({ input }) => input.checked && !input.disabled).map(({ value }) => value);
  return {
    element: fieldset,
    value: () => (options.many ? checked() : (checked()[0] ?? null)),
    set(value) {
      const wanted = new Set(options.many ? value : [value]);
      for (const entry of rows)
        entry.input.checked = wanted.has(entry.value) && !entry.input.disabled;
    },
    disable(classes) {
      for (const entry of rows) {
        entry.input.disabled = classes.includes(entry.value);
        entry.element.classList.toggle('option-off', entry.input.disabled);
        if (entry.input.disabled) entry.input.checked = false;
      }
    },
    showError: error.show,
    focus() {
      const first =
        rows.find(({ input }) => input.checked) || rows.find(({ input }) => !input.disabled);
      (first ? first.input : fieldset).focus();
    },
  };
}

// {name, legend or labelledBy (the id of a question elsewhere), hint, classes, many, none, keys,
// plain, mark, recent}; `none` is the label of "none of them", whose value is the empty string;
// `mark` is "cross" if choosing a class rules it out; `recent: false` if a class chosen here should
// not be offered first the next time.
export function choice(options) {
  return options.classes.length > longestList
    ? combobox({ ...options, parts: legendOf(options) })
    : list(options);
}
