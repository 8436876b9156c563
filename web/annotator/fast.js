// One key or one click says "certain"; whoever is not opens the questions of `collins+`.

import { buttons } from './buttons.js';
import { keysFor } from './classes.js';
import { make, rich } from './dom.js';
import { soft } from './soft.js';

export function fast(context) {
  const { words, previous, submit, showButton } = context;
  let opened = null;
  const ask = buttons({
    name: 'certain',
    legend: words.fast,
    hint: words.fastHint,
    classes: context.session.classes,
    chosen: previous?.certain,
    choose: (name) => submit({ certain: name }),
  });
  const unsure = make(
    'button',
    { type: 'button', class: 'wide', 'data-input': 'unsure', click: () => open(true) },
    'Not certain: give percentages',
  );
  const root = make('div', { class: 'questions-group' }, ask.element, unsure);

  function open(move) {
    opened = soft(context, 'impossible');
    root.replaceChildren(...opened.parts);
    showButton(true);
    if (move) opened.start();
  }

  showButton(false);
  if (previous?.top) open(false);
  return {
    intro: rich(words.introPlain),
    keys: keysFor(
      context.session.classes,
      'A digit or letter chooses a category you are certain of.',
    ),
    parts: [root],
    focus: () => (opened ? opened.focus() : ask.focus()),
    read: () => (opened ? opened.read() : ask.read()),
  };
}
