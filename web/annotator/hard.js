// One class per image, as in CIFAR-10H: round buttons in a ring about the image where there is
// room, a grid below it on phones. The places are the annotator's class order.

import { buttons } from './buttons.js';
import { keysFor } from './classes.js';

export function hard({ session, words, previous, submit, showButton }) {
  showButton(false);
  const ask = buttons({
    name: 'class',
    legend: words.hard,
    classes: session.classes,
    chosen: previous?.class,
    choose: (name) => submit({ class: name }),
  });
  const ring = ask.rows?.length >= 3;
  ask.rows?.forEach((button, i) =>
    button.style.setProperty('--place', String(i / ask.rows.length)),
  );
  return {
    intro: null,
    layout: ring ? 'ring' : null,
    keys: keysFor(session.classes, 'A digit or letter chooses a category.'),
    parts: [ask.element],
    focus: ask.focus,
    read: ask.read,
  };
}
