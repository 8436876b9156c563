// One key or one click says "certain"; whoever is not opens the questions of `collins+`.

import { buttons } from './buttons.js';
import { keysFor } from './classes.js';
import { make, rich } from './dom.js';
import { soft } from './soft.js';

export function fast(context) {
  const { words, previous, submit, showButton, showKeys } = context;
  const keys = keysFor(
    context.session.classes,
    'A digit or letter chooses a category you are certain of.',
  );
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
  const sure = make(
    'button',
    { type: 'button', class: 'quiet', click: () => close() },
    'I am certain after all',
  );
  const root = make('div', { class: 'questions-group' });

  function open(move) {
    opened = soft(context, 'impossible');
    root.replaceChildren(sure, ...opened.parts);
    showButton(true);
    showKeys(opened.keys);
    if (move) opened.start();
  }
  function close() {
    opened = null;
    root.replaceChildren(ask.element, unsure);
    showButton(false);
    showKeys(keys);
    ask.focus();
  }

  showButton(false);
  root.append(ask.element, unsure);
  if (previous?.top) open(false);
  return {
    intro: rich(words.introPlain),
    keys: opened ? opened.keys : keys,
    parts: [root],
    focus: () => (opened ? opened.focus() : ask.focus()),
    read: () => (opened ? opened.read() : ask.read()),
  };
}
