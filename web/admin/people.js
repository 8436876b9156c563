// Every session in a table that can be sorted by any column.
import { count, make, percent, personLink, plural, seconds, timeOf, update as redraw } from './dom.js';
import { sorted, table } from './table.js';

const columns = [
  { key: 'annotator', name: 'Annotator', cell: (one) => personLink(one.annotator) },
  { key: 'screen', name: 'Screen', minor: true, cell: (one) => one.screen },
  { key: 'batch', name: 'Batch', number: true, minor: true, cell: (one) => String(one.batch) },
  { key: 'state', name: 'State', cell: stateOf, value: (one) => stateText(one) },
  { key: 'answers', name: 'Answers', number: true, cell: (one) => count(one.answers) },
  { key: 'seconds', name: 'Per trial', number: true, cell: (one) => seconds(one.seconds) },
  {
    key: 'checks', name: 'Checks', number: true,
    value: (one) => (one.checks ? one.checks_right / one.checks : null),
    cell: (one) => (one.checks ? `${one.checks_right} of ${one.checks}` : '–'),
  },
  { key: 'agreement', name: 'Agreement', number: true, cell: (one) => percent(one.agreement) },
  { key: 'slips', name: 'Slips', number: true, minor: true, cell: (one) => count(one.slips) },
  { key: 'started', name: 'Started', number: true, cell: (one) => timeOf(one.started) },
  { key: 'suspicion', name: 'Suspicion', number: true, optional: true, value: (one) => one.suspicion?.score, cell: (one) => suspicionText(one.suspicion) },
  { key: 'excluded', name: 'Reason to look', kind: 'reason', value: reasonOf, cell: reasonOf },
];

export function suspicionText(suspicion) {
  if (!suspicion || suspicion.score === null || suspicion.score === undefined) return '–';
  return suspicion.score.toFixed(2);
}

function reasonOf(one) {
  const flagged = one.suspicion?.flagged ? one.suspicion.reasons ?? [] : [];
  return [one.excluded, ...flagged].filter(Boolean).join('; ');
}

export function stateText(one) {
  const state = one.state === 'active' ? `at ${one.place}` : one.state;
  return [state, one.test ? 'test' : '', one.second_run ? 'second run' : ''].filter(Boolean).join(', ');
}

export function stateOf(one) {
  return make('span', { class: `state state-${['active', 'done'].includes(one.state) ? one.state : 'gone'}` }, stateText(one));
}

export function annotators() {
  let by = columns.find((column) => column.key === 'started');
  let down = true;
  let status = null;
  const element = make('div', { class: 'view' });

  function fill() {
    const asked = status.checks.passed + status.checks.failed;
    const flagged = status.annotators.filter((one) => one.suspicion?.flagged).length;
    const summary = [
      plural(status.annotators.length, 'session', 'sessions'),
      asked ? `${percent(status.checks.passed / asked)} of checks right` : null,
      `${plural(status.exclusions.length, 'annotator', 'annotators')} proposed for exclusion`,
      flagged ? `${count(flagged)} suspicious` : null,
    ].filter(Boolean).join(', ');
    const known = columns.filter((column) => !column.optional || status.annotators.some((one) => one[column.key]));
    redraw(element,
      make('h1', {}, 'Annotators'),
      make('p', { class: 'hint' }, summary),
      status.annotators.length === 0 ? make('p', { class: 'empty' }, 'Nobody has taken part yet.')
        : make('div', { class: 'framed wide-table' }, table(known, sorted(status.annotators, by, down), {
          caption: 'Sessions; the buttons in the header row sort them',
          kind: 'people',
          cards: true,
          key: (one) => one.session,
          rowClass: (one) => (one.excluded || one.suspicion?.flagged ? 'excluded' : null),
          sort: {
            column: by, down, by(column) {
              down = by === column ? !down : Boolean(column.number);
              by = column;
              fill();
            },
          },
        })));
  }
  return {
    element,
    update(next) {
      status = next;
      fill();
    },
  };
}
