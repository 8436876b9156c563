// Type-ahead for many classes: the ARIA combobox with a list that narrows while the annotator types.
// Recently chosen classes come first, since neighbouring items often share them, then all others in
// alphabetical order. With `many` every chosen class becomes a button that removes it.

import { sorted } from './classes.js';
import { announceChange, describe, errorLine, make, newId } from './dom.js';
import { say } from './words.js';

const recent = []; // newest first, for the life of the page
const offered = 5; // recently chosen classes offered first

function remember(name) {
  const at = recent.indexOf(name);
  if (at >= 0) recent.splice(at, 1);
  recent.unshift(name);
}

// Without diacritics, so that "e" finds "é".
const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

// `classes` are sorted.
function matches(classes, typed) {
  const text = plain(typed.trim());
  const before = recent.filter((name) => classes.includes(name)).slice(0, offered);
  const known = [...before, ...classes.filter((name) => !before.includes(name))];
  if (!text) return known;
  return [
    ...known.filter((name) => plain(name).startsWith(text)),
    ...known.filter((name) => plain(name).indexOf(text) > 0),
  ];
}

export function combobox(options) {
  const listId = newId('list');
  const input = make('input', {
    type: 'text',
    role: 'combobox',
    id: newId('combobox'),
    dir: 'auto',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    'aria-expanded': 'false',
    'aria-controls': listId,
    'aria-autocomplete': 'list',
  });
  const listbox = make('ul', {
    role: 'listbox',
    id: listId,
    hidden: true,
    'aria-label': say('choice.matching'),
  });
  const chips = make('ul', { class: 'chips', hidden: true });
  const none = options.none
    ? make('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false' }, options.none)
    : null;
  const fieldset = make(
    'fieldset',
    {
      class: 'question',
      'data-input': options.name,
      tabindex: '-1',
      'aria-labelledby': options.labelledBy,
    },
    ...options.parts,
    make(
      'label',
      { class: 'combobox-label', for: input.id },
      say(options.many ? 'choice.find_many' : 'choice.find'),
    ),
    make('div', { class: 'combobox' }, input, listbox),
    none,
    chips,
  );
  const hint = fieldset.querySelector('.hint');
  if (hint) describe(input, hint.id, true);
  const error = errorLine(() => [input]);
  fieldset.append(error.element);

  let chosen = options.many ? [] : null;
  let off = [];
  let active = -1;
  let rows = [];

  const classes = sorted(options.classes);
  const free = () =>
    classes.filter(
      (name) => !off.includes(name) && !(options.many && chosen.includes(name)),
    );

  function close() {
    listbox.hidden = true;
    active = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  function mark(index) {
    active = index;
    rows.forEach((element, i) => element.setAttribute('aria-selected', String(i === index)));
    if (index < 0) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', rows[index].id);
    rows[index].scrollIntoView({ block: 'nearest' });
    return undefined;
  }

  function open(typed) {
    rows = matches(free(), typed).map((name) =>
      make(
        'li',
        {
          role: 'option',
          dir: 'auto',
          id: newId('row'),
          'aria-selected': 'false',
          // Keeps the focus in the field.
          pointerdown: (event) => event.preventDefault(),
          click: () => choose(name),
        },
        name,
      ),
    );
    listbox.replaceChildren(...rows);
    listbox.hidden = !rows.length;
    input.setAttribute('aria-expanded', String(rows.length > 0));
    if (rows.length) listbox.scrollIntoView({ block: 'nearest' });
    mark(typed.trim() && rows.length ? 0 : -1);
  }

  function chip(name) {
    return make(
      'li',
      {},
      make(
        'button',
        {
          type: 'button',
          class: 'chip',
          click: () => {
            chosen = chosen.filter((other) => other !== name);
            draw();
            announceChange(input);
            input.focus();
          },
          'aria-label': say('choice.take_out', { name }),
        },
        make('span', { dir: 'auto' }, name),
        make('span', { 'aria-hidden': 'true' }, '\u00d7'),
      ),
    );
  }

  function draw() {
    if (none) none.setAttribute('aria-pressed', String(chosen === ''));
    if (!options.many) {
      input.value = chosen || '';
      return;
    }
    input.value = '';
    chips.hidden = !chosen.length;
    chips.replaceChildren(...chosen.map(chip));
  }

  function choose(name) {
    if (name && options.recent !== false) remember(name);
    chosen = options.many ? [...chosen, name] : name;
    close();
    draw();
    announceChange(input);
  }

  none?.addEventListener('click', () => choose(''));
  input.addEventListener('input', () => {
    if (!options.many)
      chosen =
        classes.find(
          (name) => plain(name) === plain(input.value.trim()) && !off.includes(name),
        ) || null;
    if (none) none.setAttribute('aria-pressed', 'false');
    open(input.value);
  });
  input.addEventListener('click', () => open(options.many ? input.value : ''));
  input.addEventListener('blur', () => {
    close();
    draw();
  });
  input.addEventListener('keydown', (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      event.preventDefault();
      if (listbox.hidden) open(input.value === chosen ? '' : input.value);
      if (rows.length)
        mark(
          (Math.max(active, event.key === 'ArrowUp' ? 0 : -1) + steps[event.key] + rows.length) %
            rows.length,
        );
    } else if (event.key === 'Enter' && !listbox.hidden && active >= 0) {
      // Stopped here, since this Enter chooses: it must not submit or move on.
      event.preventDefault();
      event.stopPropagation();
      choose(rows[active].textContent);
    } else if (event.key === 'Escape' && !listbox.hidden) {
      event.stopPropagation();
      close();
    } else if (event.key === 'Backspace' && options.many && !input.value && chosen.length) {
      chosen = chosen.slice(0, -1);
      draw();
      announceChange(input);
    }
  });

  return {
    element: fieldset,
    value: () => chosen,
    set(value) {
      chosen = value;
      draw();
    },
    disable(classes) {
      off = classes;
      if (options.many) chosen = chosen.filter((name) => !off.includes(name));
      else if (off.includes(chosen)) chosen = null;
      draw();
    },
    showError: error.show,
    focus: () => input.focus(),
  };
}
