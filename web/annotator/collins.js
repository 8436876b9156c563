// As in figure 7 of Collins et al. (2022): five inputs, any text as a percentage, nothing checked
// but that a top class is chosen. What people typed is kept beside its value, because slips are data
// here. Enter in a text field submits, as it did then; `collins+` is the one that helps. `mixsoft`
// asks the same of a mixed image without naming what went into it.

import { choice } from './choice.js';
import { rich } from './dom.js';
import { percentField } from './percent.js';

const noAlternative = 'No Alternative';

export function collins({ session, words, previous, mixed }) {
  const { classes } = session;
  const top = choice({ name: 'top', legend: words.top, classes, plain: true });
  const topPercent = percentField({ name: 'top_percent', label: words.topPercent, lenient: true });
  const second = choice({
    name: 'second',
    legend: words.second,
    classes,
    none: noAlternative,
    plain: true,
  });
  const secondPercent = percentField({
    name: 'second_percent',
    label: words.secondPercent,
    lenient: true,
  });
  const impossible = choice({
    name: 'impossible',
    legend: words.impossible,
    hint: words.impossibleHint,
    classes,
    many: true,
    plain: true,
    recent: false,
  });

  if (previous) {
    top.set(previous.top.class);
    topPercent.set(previous.top.raw);
    second.set(previous.second?.class ?? '');
    if (previous.second) secondPercent.set(previous.second.raw);
    impossible.set(previous.impossible);
  }

  const typed = (name, field) => ({ class: name, percent: field.value(), raw: field.raw() });
  return {
    intro: rich(mixed ? words.introMixed : words.intro),
    parts: [top, topPercent, second, secondPercent, impossible].map((field) => field.element),
    focus: () => top.element.focus({ preventScroll: true }),
    read() {
      if (!top.value()) return { problems: [{ field: top, text: 'Please select a category.' }] };
      return {
        answer: {
          top: typed(top.value(), topPercent),
          // A number without a class is a slip worth keeping: one in six did it in the published data.
          second:
            second.value() || secondPercent.raw()
              ? typed(second.value() || null, secondPercent)
              : null,
          impossible: impossible.value(),
        },
      };
    },
  };
}
