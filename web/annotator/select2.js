// The two most probable classes, without numbers.

import { choice } from './choice.js';
import { keysFor } from './classes.js';
import { make, rich } from './dom.js';

export function select2({ session, words, previous, button }) {
  const field = choice({
    name: 'classes',
    legend: words.select2,
    classes: session.classes,
    many: true,
    keys: true,
  });
  const count = make('p', { class: 'hint', role: 'status' });
  field.element.querySelector('legend').after(count);

  // The one chosen first stands first: it is the more probable one.
  let chosen = previous ? previous.classes : [];

  function update() {
    const now = field.value();
    chosen = [...chosen, ...now.filter((name) => !chosen.includes(name))];
    chosen = chosen.filter((name) => now.includes(name));
    const n = chosen.length;
    count.textContent = n
      ? `${n} of 2 chosen: ${chosen.join(', then ')}`
      : 'Begin with the more probable one.';
    if (n === 2) field.showError(null);
  }
  if (previous) field.set(previous.classes);
  update();
  field.element.addEventListener('change', update);
  field.element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target.matches('button')) return;
    event.preventDefault();
    button().focus();
  });

  return {
    intro: rich(words.introPlain),
    keys: keysFor(
      session.classes,
      'Digits choose by place, letters by name, Enter goes to the button.',
    ),
    parts: [field.element],
    focus: () => field.element.focus({ preventScroll: true }),
    read() {
      field.showError(null);
      if (chosen.length === 2) return { answer: { classes: chosen } };
      const text =
        chosen.length < 2
          ? 'Choose two categories.'
          : `Choose only two categories: ${chosen.length} are chosen.`;
      return { problems: [{ field, text }] };
    },
  };
}
