// One class per image, as in CIFAR-10H: round buttons in a ring around the image if there is room, a
// grid below it on phones. The positions follow the annotator's class order.

import { buttons } from './buttons.js';
import { hasLongWord, keysFor } from './classes.js';
import { newId, rich } from './dom.js';
import { ask as question } from './wording.js';
import { say } from './words.js';

export function hard({ session, item, ask, previous, submit, showButton }) {
  showButton(false);
  const introId = newId('question');
  const choose = buttons({
    name: 'class',
    labelledBy: introId,
    classes: session.classes,
    chosen: previous?.class,
    choose: (name) => submit({ class: name }),
  });
  // A round button has no room for a long word, and a text item would cover the ring.
  const ring =
    choose.rows?.length >= 3 && item.image && !session.classes.some(hasLongWord);
  if (ring)
    choose.rows.forEach((button, i) =>
      button.style.setProperty('--place', String(i / choose.rows.length)),
    );
  return {
    intro: rich(question('hard.class', ask)),
    introId,
    layout: ring ? 'ring' : null,
    keys: keysFor(session.classes, say('hard.keys')),
    parts: [choose.element],
    focus: choose.focus,
    draft: () => ({}),
    read: choose.read,
  };
}
