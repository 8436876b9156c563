// The screen of figure 7 of Collins et al. (2022): five inputs, any text as a percentage, and the only
// check is that a top class is chosen. The typed text is kept beside its value, because slips are data
// here. Enter in a text field submits, as in the original; `collins+` is the version with help.
// `mixsoft` asks the same about a mixed image without naming the images it was made from.

import { choice } from './choice.js';
import { rich } from './dom.js';
import { percentField } from './percent.js';
import { ask as question } from './wording.js';
import { say } from './words.js';

export function collins({ session, ask, previous, mixed }) {
  const { classes } = session;
  const words = (name) => question(`collins.${name}`, ask);
  const top = choice({ name: 'top', legend: words('top'), classes, plain: true });
  const topPercent = percentField({
    name: 'top_percent',
    label: words('top_percent'),
    lenient: true,
  });
  const second = choice({
    name: 'second',
    legend: words('second'),
    classes,
    none: say('collins.none'),
    plain: true,
  });
  const secondPercent = percentField({
    name: 'second_percent',
    label: words('second_percent'),
    lenient: true,
  });
  const impossible = choice({
    name: 'impossible',
    legend: words('impossible'),
    hint: words('impossible_hint'),
    classes,
    many: true,
    plain: true,
    recent: false,
  });

  // An input that a draft does not know has no key, since null is an answer.
  if (previous?.top) {
    top.set(previous.top.class);
    topPercent.set(previous.top.raw);
    if ('second' in previous) second.set(previous.second?.class ?? (previous.second ? null : ''));
    if (previous.second) secondPercent.set(previous.second.raw);
    impossible.set(previous.impossible || []);
  }

  const typed = (name, field) => ({ class: name, percent: field.value(), raw: field.raw() });
  // A percentage without a class is a slip worth keeping: it is in one of six published answers.
  const other = () =>
    second.value() || secondPercent.raw() ? typed(second.value() || null, secondPercent) : null;
  const answer = () => ({
    top: typed(top.value(), topPercent),
    second: other(),
    impossible: impossible.value(),
  });
  return {
    intro: rich(words(mixed ? 'intro_mixed' : 'intro')),
    parts: [top, topPercent, second, secondPercent, impossible].map((field) => field.element),
    focus: () => top.element.focus({ preventScroll: true }),
    draft() {
      const { second: given, ...rest } = answer();
      return second.value() === null && !given ? rest : { ...rest, second: given };
    },
    read() {
      if (!top.value()) return { problems: [{ field: top, text: say('collins.missing') }] };
      return { answer: answer() };
    },
  };
}
