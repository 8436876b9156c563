// One annotator: every answer, trial by trial, and how it compares with other people's.
import { count, make, mixture, percent, plural, decimal, seconds, stimulus, tile, timeOf, clockOf } from './dom.js';
import { detail } from './detail.js';
import { stateOf, suspicionText } from './people.js';
import { table } from './table.js';

const eventNames = {
  consent: 'answered the consent page', instructions: 'read the instructions', check: 'answered the comprehension check',
  training: 'answered an exercise', debrief: 'answered the last questions', return: 'gave the place back', blur: 'left the page', focus: 'came back to the page', paste: 'pasted text',
};
const eventName = (kind) => eventNames[kind] ?? kind;

// ---- Trials ----

function notes(trial) {
  return [
    trial.exercise ? 'exercise, does not count' : trial.practice ? 'practice, does not count' : '',
    trial.check ? (trial.right === null ? 'attention check' : `attention check ${trial.right ? 'passed' : 'failed'}`) : '',
    trial.repeat ? 'repeat' : '',
    trial.revisions > 1 ? `changed ${plural(trial.revisions - 1, 'time', 'times')}` : '',
  ].filter(Boolean).join(', ');
}

const trialColumns = [
  { name: 'Trial', number: true, cell: (trial) => (trial.practice ? '–' : String(trial.trial + 1)) },
  {
    name: 'Item', kind: 'shown', cell: (trial) => make('a', { href: `#items/${trial.number}`, class: 'thumb' },
      stimulus(trial, 48), trial.image ? make('span', {}, trial.item) : null),
  },
  {
    name: 'Answer', kind: 'said', cell: (trial) => [make('span', { dir: 'auto' }, trial.answer),
      trial.label ? mixture(trial.label, trial.label.map(([name]) => name)) : make('small', {}, ' no method can use it'),
      notes(trial) ? make('small', { class: trial.right === false ? 'bad' : null }, notes(trial)) : null],
  },
  { name: 'Time', number: true, cell: (trial) => seconds(trial.seconds) },
  {
    name: 'Same as others', number: true,
    cell: (trial) => (trial.agreement === null ? '–' : `${percent(trial.agreement)} of ${count(trial.others)}`),
  },
];

// ---- Around them ----

function eventsOf(session) {
  const counts = Object.entries(session.event_counts);
  const { blur: left = 0, paste: pasted = 0 } = session.event_counts;
  if (counts.length === 0) return null;
  return make('section', {},
    make('h2', {}, 'Events'),
    make('p', {}, `${left ? `Left the page ${plural(left, 'time', 'times')}` : 'Never left the page'}; ${pasted ? `pasted text ${plural(pasted, 'time', 'times')}` : 'pasted nothing'}.`),
    make('details', {},
      make('summary', {}, session.events.length === 1 ? 'The event' : `All ${count(session.events.length)} events`),
      make('ol', { class: 'events' }, ...session.events.map((event) => make('li', {},
        make('span', { class: 'number' }, clockOf(event.at)), ` ${eventName(event.kind)}${event.note ? `: ${event.note}` : ''}`)))));
}

function debriefOf(session, questions) {
  if (!session.debrief?.length) return null;
  return make('section', {},
    make('h2', {}, 'Their comments'),
    make('dl', { class: 'said-at-end' }, ...session.debrief.map((answer, place) => make('div', {},
      make('dt', {}, questions[place] ?? `Question ${place + 1}`),
      make('dd', { dir: 'auto' }, answer === '' || answer === null ? '–' : String(answer))))));
}

function sessionOf(session, questions) {
  return make('section', { class: 'session', 'data-key': String(session.session) },
    make('h2', {}, `Session ${session.session}`),
    make('p', { class: 'hint' }, stateOf(session), ` · ${session.screen} · batch ${session.batch} · began ${timeOf(session.started)}`,
      session.finished ? ` · ended ${timeOf(session.finished)}` : ''),
    session.trials.length === 0 ? make('p', { class: 'empty' }, 'No trial answered yet.')
      : make('div', { class: 'framed' }, table(trialColumns, session.trials, {
        caption: `Trials of session ${session.session}`, kind: 'trials', cards: true, key: (trial) => `${trial.practice ? 'p' : 't'}${trial.trial}`,
        rowClass: (trial) => (trial.right === false ? 'excluded' : null),
      })),
    eventsOf(session),
    debriefOf(session, questions));
}

// ---- Judgement ----

function suspicionOf(person) {
  const flagged = person.sessions.map((session) => session.suspicion).find(Boolean);
  if (!flagged) return null;
  return make('section', {},
    make('h2', {}, 'Suspicion'),
    make('p', { class: flagged.flagged ? 'notice' : null },
      `Score ${suspicionText(flagged)} from 0 to 1: ${flagged.flagged ? 'the answers look as if nobody read the questions.' : 'not flagged.'}`),
    flagged.reasons?.length ? make('ul', { class: 'facts' }, ...flagged.reasons.map((reason) => make('li', {}, reason))) : null);
}

function rulesOf(quality) {
  if (!quality) return null;
  const slips = Object.entries(quality.slips);
  return make('section', {},
    make('h2', {}, 'Exclusion rules'),
    make('p', { class: 'hint' }, 'These are published rules for the analysis; they are no reason to refuse payment.'),
    make('ul', { class: 'facts' }, ...quality.rules.map((rule) => make('li', {},
      make('b', {}, rule.rule), `: ${rule.reason ? `would exclude them, ${rule.reason}` : 'keeps them'}`))),
    slips.length ? make('p', {}, `Slips in answers: ${slips.map(([name, times]) => `${name} ${count(times)}`).join(', ')}.`) : null);
}

function tiles(person, status) {
  const { quality } = person;
  const group = status.agreement.observed;
  if (!quality) return make('p', { class: 'empty' }, 'None of their answers counts.');
  return make('dl', { class: 'tiles few' },
    tile('Answers', count(quality.answers), 'without attention checks'),
    tile('Per trial', seconds(quality.seconds), 'median'),
    tile('Checks right', quality.checks ? `${count(quality.checks_right)} of ${count(quality.checks)}` : '–', quality.checks ? 'attention checks' : 'none answered'),
    tile('Same as others', percent(quality.agreement), quality.compared ? `on ${plural(quality.compared, 'item', 'items')}; all pairs of people ${percent(group)}` : 'nobody to compare with'),
    tile('Same on repeat', quality.repeats ? percent(1 - quality.changed_class) : '–', quality.repeats ? `${plural(quality.repeats, 'repeat', 'repeats')}${quality.mean_change === null ? '' : `, ${decimal(quality.mean_change, 1)} points apart`}` : 'no repeats yet'));
}

function render(person, status) {
  return [
    make('p', {}, make('a', { href: '#annotators' }, 'All annotators')),
    make('h1', {}, 'Annotator ', make('code', {}, person.annotator)),
    tiles(person, status),
    suspicionOf(person),
    rulesOf(person.quality),
    ...person.sessions.map((session) => sessionOf(session, person.questions)),
  ];
}

export function person(context) {
  return detail(`admin/person/${encodeURIComponent(context.rest)}`, context, render);
}
