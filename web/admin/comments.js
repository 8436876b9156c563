// What people wrote into the debrief questions.
import { make, personLink, plural, timeOf } from './dom.js';
import { detail } from './detail.js';

function entry(comment, questions) {
  return make('li', { class: 'card', 'data-key': `${comment.session}-${comment.at}` },
    make('h2', {}, personLink(comment.annotator)),
    make('p', {}, `${timeOf(comment.at)}${comment.test ? ', test run' : ''}`),
    make('dl', { class: 'said-at-end' }, ...comment.answers.map((answer, place) => make('div', {},
      make('dt', {}, questions[place] ?? `Question ${place + 1}`),
      make('dd', { dir: 'auto' }, answer === '' || answer === null ? '–' : String(answer))))));
}

function render({ questions, comments: all }) {
  const newest = [...all].sort((a, b) => b.at - a.at);
  return [
    make('h1', {}, 'Comments'),
    make('p', { class: 'hint' }, `${plural(all.length, 'person', 'people')} wrote something at the end. E-mail addresses, telephone numbers and ids are removed.`),
    newest.length ? make('ul', { class: 'cards comments' }, ...newest.map((comment) => entry(comment, questions)))
      : make('p', { class: 'empty' }, questions.length ? 'Nobody has written anything yet.' : 'The study asks nothing at the end: study.json has no debrief questions.'),
  ];
}

export function comments(context) {
  return detail('admin/comments', context, render);
}
