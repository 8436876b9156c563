// Every session in a table that can be sorted by any column.
import { count, make, percent, plural, seconds } from './dom.js';

const columns = [
  { key: 'annotator', name: 'Annotator', cell: (one) => make('code', {}, one.annotator) },
  { key: 'screen', name: 'Screen', cell: (one) => one.screen },
  { key: 'batch', name: 'Batch', number: true, cell: (one) => String(one.batch) },
  { key: 'state', name: 'State', cell: stateOf, value: (one) => stateText(one) },
  { key: 'answers', name: 'Answers', number: true, cell: (one) => count(one.answers) },
  { key: 'seconds', name: 'Per trial', number: true, cell: (one) => seconds(one.seconds) },
  {
    key: 'checks', name: 'Checks', number: true,
    value: (one) => (one.checks ? one.checks_right / one.checks : null),
    cell: (one) => (one.checks ? `${one.checks_right} of ${one.checks}` : '–'),
  },
  { key: 'slips', name: 'Slips', number: true, cell: (one) => count(one.slips) },
  { key: 'started', name: 'Started', cell: (one) => timeOf(one.started) },
  { key: 'excluded', name: 'Exclude because', cell: (one) => one.excluded ?? '' },
];

function stateText(one) {
  const state = one.state === 'active' ? `at ${one.place}` : one.state;
  return [state, one.test ? 'test' : '', one.second_run ? 'second run' : ''].filter(Boolean).join(', ');
}

function stateOf(one) {
  return make('span', { class: `state state-${['active', 'done'].includes(one.state) ? one.state : 'gone'}` }, stateText(one));
}

function timeOf(ms) {
  return new Date(ms).toLocaleString('en-GB', { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' });
}

function compare(column, a, b) {
  const value = column.value ?? ((one) => one[column.key]);
  const left = value(a);
  const right = value(b);
  const missing = (one) => one === null || one === undefined || one === '';
  if (missing(left) || missing(right)) return missing(left) - missing(right);
  return typeof left === 'number' ? left - right : String(left).localeCompare(String(right), 'en');
}

export function annotators() {
  let sorted = columns.find((column) => column.key === 'started');
  let down = true;
  let status = null;
  const body = make('tbody');
  const summary = make('p', { class: 'hint' });
  const heads = columns.map((column) => {
    const arrow = make('span', { class: 'arrow', 'aria-hidden': 'true' });
    const button = make('button', {
      type: 'button', click: () => {
        down = sorted === column ? !down : Boolean(column.number);
        sorted = column;
        fill();
      },
    }, column.name, arrow);
    return { column, arrow, cell: make('th', { scope: 'col', class: column.number ? 'number' : null }, button) };
  });

  function row(one) {
    return make('tr', { class: one.excluded ? 'excluded' : null }, ...columns.map((column, place) => {
      const attributes = place === 0 ? { scope: 'row' } : { class: column.number ? 'number' : null };
      return make(place === 0 ? 'th' : 'td', attributes, column.cell(one));
    }));
  }

  function fill() {
    const people = status.annotators
      .map((one, place) => ({ one, place }))
      .sort((a, b) => {
        const difference = compare(sorted, a.one, b.one);
        const empty = compare(sorted, a.one, b.one) + compare(sorted, b.one, a.one);
        return (down && !empty ? -difference : difference) || a.place - b.place;
      });
    body.replaceChildren(...people.map(({ one }) => row(one)));
    for (const head of heads) {
      const on = head.column === sorted;
      head.arrow.textContent = on ? (down ? '▼' : '▲') : '';
      if (on) head.cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else head.cell.removeAttribute('aria-sort');
    }
    const asked = status.checks.passed + status.checks.failed;
    summary.textContent = [
      plural(status.annotators.length, 'session', 'sessions'),
      asked ? `${percent(status.checks.passed / asked)} of checks right` : null,
      `${plural(status.exclusions.length, 'annotator', 'annotators')} to be excluded`,
    ].filter(Boolean).join(', ');
  }

  const element = make('div', { class: 'view' },
    make('h1', {}, 'Annotators'),
    summary,
    make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Annotators' },
      make('table', { class: 'people' },
        make('caption', { class: 'unseen' }, 'Sessions; the buttons in the head sort'),
        make('thead', {}, make('tr', {}, ...heads.map((head) => head.cell))),
        body)));
  return {
    element,
    update(next) {
      status = next;
      fill();
    },
  };
}
