// The last page of a session, whatever its outcome.

import { make } from './dom.js';
import { actions, button, show } from './pages.js';
import { say } from './words.js';

// HTTP statuses that end the session for this page, with the words for them.
export const ends = {
  401: ['trouble.unknown', 'trouble.unknown_text'],
  403: ['trouble.forbidden', 'trouble.open_again'],
  404: ['trouble.gone', 'trouble.open_again'],
  410: ['trouble.given_away', 'trouble.given_away_text'],
};

function copyButton(code) {
  const said = make('span', { class: 'copied', role: 'status' });
  const field = make('input', {
    class: 'code-copy',
    readonly: true,
    value: code,
    tabindex: '-1',
    'aria-hidden': 'true',
  });
  return [
    button(say('end.copy'), async () => {
      try {
        await navigator.clipboard.writeText(code);
      } catch {
        // Browsers offer no clipboard without a secure connection.
        field.select();
        document.execCommand('copy');
      }
      said.textContent = say('end.copied');
    }),
    said,
    field,
  ];
}

const endings = new Set(['done', 'refused', 'failed', 'full']);

// The sentence on what to do now.
function nextStep(code, link) {
  if (link) return say('end.next_link');
  return say(code ? 'end.next_code' : 'end.next_close');
}

export function ending(main, session) {
  const { completion, place } = session;
  const end = endings.has(place) ? place : 'done';
  const parts = [make('p', { class: 'lead' }, say(`end.${end}_text`))];
  if (completion?.code)
    parts.push(
      make(
        'p',
        { class: 'code-label', id: 'code-label' },
        say(place === 'done' ? 'end.completion_code' : 'end.code'),
      ),
      make('p', { class: 'code', 'aria-labelledby': 'code-label' }, completion.code),
    );
  const link = /^https?:/i.test(completion?.url || '')
    ? make(
        'a',
        { class: 'button primary', href: completion.url, rel: 'noreferrer' },
        say('end.continue'),
      )
    : null;
  parts.push(make('p', { class: 'next' }, nextStep(completion?.code, link)));
  if (completion?.code || link)
    parts.push(actions(link, ...(completion.code ? copyButton(completion.code) : [])));
  show(main, session, say(`end.${end}`), ...parts);
}
