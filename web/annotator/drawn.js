// The answer so far as bars, one row per share, beside the picture. A screen reader finds it but is
// not interrupted by it.

import { make, newId } from './dom.js';
import { number } from './wording.js';
import { say } from './words.js';

const shown = (percent) =>
  percent === null ? '\u2013' : say('percent.value', { n: number(percent) });

// update([{name, percent, kind, note}]): `percent` may be null (not given yet); `kind` is "rest" for
// the share of the unnamed classes; `note` is a remark on the row.
export function drawn(title) {
  const id = newId('drawn');
  const list = make('ul', { class: 'drawn-rows' });
  const element = make(
    'section',
    { class: 'drawn', 'aria-labelledby': id },
    make('h2', { class: 'drawn-title', id }, title),
    list,
  );
  return {
    element,
    update(rows) {
      list.replaceChildren(
        ...rows.map(({ name, percent, kind, note }) => {
          const track = make('span', { class: 'drawn-track', 'aria-hidden': 'true' });
          track.style.setProperty('--value', `${Math.min(100, Math.max(0, percent ?? 0))}%`);
          return make(
            'li',
            { class: `drawn-row drawn-${kind || 'named'}${percent === null ? ' drawn-empty' : ''}` },
            make('span', { class: 'drawn-name', dir: 'auto' }, name),
            make('span', { class: 'drawn-number' }, shown(percent)),
            track,
            note ? make('span', { class: 'drawn-note' }, note) : null,
          );
        }),
      );
    },
  };
}
