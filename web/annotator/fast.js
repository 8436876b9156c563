// One key or one click answers "certain"; a second button opens the questions of `collins+`.

import { buttons } from './buttons.js';
import { keysFor } from './classes.js';
import { make, rich } from './dom.js';
import { soft } from './soft.js';
import { ask as question } from './wording.js';
import { say } from './words.js';

export function fast(context) {
  const { previous, submit, changed, showButton, showKeys } = context;
  const keys = keysFor(context.session.classes, say('fast.keys'));
  let opened = null;
  const certain = buttons({
    name: 'certain',
    legend: question('fast.certain', context.ask),
    hint: question('fast.hint', context.ask),
    classes: context.session.classes,
    chosen: previous?.certain,
    choose: (name) => submit({ certain: name }),
  });
  const unsure = make(
    'button',
    { type: 'button', class: 'wide', 'data-input': 'unsure', click: () => open(true) },
    say('fast.unsure'),
  );
  const sure = make(
    'button',
    { type: 'button', class: 'quiet', click: () => close() },
    say('fast.sure'),
  );
  const root = make('div', { class: 'questions-group' });
  const drawing = make('div', { class: 'drawn-place' });

  function open(move) {
    opened = soft(context, 'impossible');
    root.replaceChildren(sure, ...opened.parts);
    drawing.replaceChildren(opened.drawn);
    showButton(true);
    showKeys(opened.keys);
    if (!move) return;
    opened.start();
    changed();
  }
  function close() {
    opened = null;
    root.replaceChildren(certain.element, unsure);
    drawing.replaceChildren();
    showButton(false);
    showKeys(keys);
    certain.focus();
    changed();
  }

  showButton(false);
  root.append(certain.element, unsure);
  if (previous?.top) open(false);
  return {
    intro: rich(question('plain.intro', context.ask)),
    keys: opened ? opened.keys : keys,
    parts: [root],
    drawn: drawing,
    focus: () => (opened ? opened.focus() : certain.focus()),
    draft: () => (opened ? opened.draft() : {}),
    read: () => (opened ? opened.read() : certain.read()),
  };
}
