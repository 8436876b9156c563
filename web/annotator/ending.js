// How a session ends, well or not.

import { make } from './dom.js';
import { actions, button, show } from './pages.js';

// Statuses after which the session is over for this page.
export const ends = {
  401: [
    'Your session is not known here',
    'Please open the link of the study again, in the browser you began in. What you have answered is kept.',
  ],
  403: ['This page cannot be used from here', 'Please open the link of the study again.'],
  404: ['The study is not here', 'Please open the link of the study again.'],
  410: [
    'Your place has been given away',
    'Nothing was heard from this page for a long time, so that your place went to somebody else. If you open the link of the study again you may get a new one.',
  ],
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
    button('Copy the code', async () => {
      try {
        await navigator.clipboard.writeText(code);
      } catch {
        // Without a secure connection there is no clipboard to write to.
        field.select();
        document.execCommand('copy');
      }
      said.textContent = 'Copied.';
    }),
    said,
    field,
  ];
}

const endings = {
  done: ['Thank you', 'All your answers are saved.'],
  refused: ['You are not taking part', 'Your place has been given back. Thank you for your time.'],
  failed: [
    'The study ends here',
    'The questions about the instructions were not answered as needed. Thank you for your time; this does not count against you.',
  ],
  full: ['The study is full', 'All places are taken at present. Thank you for your interest.'],
};

// What to do now.
function nextStep(code, link) {
  if (link) return 'Press the button to tell the recruiting site; you need to do nothing else.';
  if (code)
    return 'Copy the code and enter it where you found this study. Then you can close this page.';
  return 'You can close this page.';
}

export function ending(main, session) {
  const { completion, place } = session;
  const [title, sentence] = endings[place] || endings.done;
  const parts = [make('p', { class: 'lead' }, sentence)];
  if (completion?.code)
    parts.push(
      make(
        'p',
        { class: 'code-label', id: 'code-label' },
        place === 'done' ? 'Your completion code' : 'Your code',
      ),
      make('p', { class: 'code', 'aria-labelledby': 'code-label' }, completion.code),
    );
  const link = /^https?:/i.test(completion?.url || '')
    ? make(
        'a',
        { class: 'button primary', href: completion.url, rel: 'noreferrer' },
        'Continue to the recruiting site',
      )
    : null;
  parts.push(make('p', { class: 'next' }, nextStep(completion?.code, link)));
  if (completion?.code || link)
    parts.push(actions(link, ...(completion.code ? copyButton(completion.code) : [])));
  show(main, session, title, ...parts);
}
