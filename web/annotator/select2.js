// The two most probable classes, without numbers. A third choice replaces the second.

import { choice } from './choice.js';
import { keysFor } from './classes.js';
import { make, rich } from './dom.js';
import { ask as question } from './wording.js';
import { say } from './words.js';

export function select2({ session, ask, previous, button }) {
  const field = choice({
    name: 'classes',
    legend: question('select2.classes', ask),
    classes: session.classes,
    many: true,
    keys: true,
  });
  const count = make('p', { class: 'hint', role: 'status' });
  field.element.querySelector('legend').after(count);

  // The class chosen first is the more probable one.
  let chosen = previous?.classes || [];

  function tell(out) {
    const [first, second] = chosen;
    if (out) count.textContent = say('select2.replaced', { first, second, out });
    else if (second) count.textContent = say('select2.both', { first, second });
    else count.textContent = first ? say('select2.one', { first }) : say('select2.none');
  }
  function update() {
    const now = field.value();
    const kept = chosen.filter((name) => now.includes(name));
    chosen = [...kept, ...now.filter((name) => !kept.includes(name))];
    const out = chosen.length > 2 ? chosen[1] : null;
    if (out) {
      chosen = [chosen[0], chosen[chosen.length - 1]];
      field.set(chosen);
    }
    tell(out);
    if (chosen.length === 2) field.showError(null);
  }
  field.set(chosen);
  update();
  field.element.addEventListener('change', update);
  field.element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target.matches('button')) return;
    event.preventDefault();
    button().focus();
  });

  return {
    intro: rich(question('plain.intro', ask)),
    keys: keysFor(session.classes, say('select2.keys')),
    parts: [field.element],
    focus: () => field.element.focus({ preventScroll: true }),
    draft: () => ({ classes: chosen }),
    read() {
      field.showError(null);
      if (chosen.length === 2) return { answer: { classes: chosen } };
      return { problems: [{ field, text: say('select2.missing') }] };
    },
  };
}
