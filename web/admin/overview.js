// The progress of the study, in tiles, charts and tables.
import { bar, capital, copyButton, count, decimal, draw, duration, make, percent, personLink, plural, seconds, tile, update as redraw } from './dom.js';
import { asking } from './asking.js';
import { table } from './table.js';

const batchesAtFirst = 60;

function trialTile(times) {
  const known = Object.entries(times).filter(([, time]) => time.count > 0);
  if (known.length === 0) return tile('Median trial', '–', 'no answers yet');
  if (known.length > 3) return tile('Median trial', '–', `${known.length} screens, see below`);
  return tile('Median trial', known.map(([, time]) => seconds(time.median)).join(' · '),
    known.length === 1 ? 'from display to answer' : known.map(([screen]) => screen).join(' · '));
}

const isAdaptive = (status) => status.asking?.assignment === 'adaptive';

function tiles(status) {
  const finished = status.batches.reduce((sum, batch) => sum + batch.finished, 0);
  const target = status.batches.reduce((sum, batch) => sum + batch.target, 0);
  const { checks, repeats, agreement, sessions } = status;
  const asked = checks.passed + checks.failed;
  return make('dl', { class: 'tiles' },
    isAdaptive(status) ? tile('Finished', count(sessions.done ?? 0), 'sessions; the study ends with its budget or its open items')
      : tile('Finished', `${count(finished)} of ${count(target)}`, `${percent(target ? finished / target : null)} of the sessions wanted`),
    tile('Working now', count(status.leases.length), sessions.expired ? `${plural(sessions.expired, 'lease', 'leases')} ran out so far` : 'no lease ran out'),
    tile('Answers', count(status.answers), status.answers ? `on ${plural(agreement.items, 'item', 'items')}, ${decimal(agreement.answers_per_item, 1)} each` : 'none yet'),
    trialTile(status.trial_seconds),
    tile('Checks right', asked ? percent(checks.passed / asked) : '–', asked ? `${count(checks.failed)} of ${count(asked)} wrong` : 'none answered yet'),
    tile('Agreement', decimal(agreement.alpha, 2), agreement.alpha === null ? 'not enough answers yet' : `Krippendorff’s alpha; ${percent(agreement.observed)} of pairs agree`),
    tile('Same on repeat', repeats.count ? percent(1 - repeats.changed_class) : '–', repeats.count ? `${plural(repeats.count, 'repeat', 'repeats')}${repeats.mean_change === null ? '' : `, ${decimal(repeats.mean_change, 1)} points apart`}` : 'no repeats yet'),
    tile('Proposed for exclusion', count(status.exclusions.length), 'by the published rules'));
}

// ---- Batches ----

function batchLine(batch) {
  const open = batch.live ? `, ${count(batch.live)} working` : '';
  const full = batch.finished >= batch.target;
  return make('li', {},
    make('span', { class: 'batch-name' }, `Batch ${batch.batch}`),
    bar(batch.target ? batch.finished / batch.target : 0, full ? 'full' : ''),
    make('span', { class: 'batch-text' }, `${count(batch.finished)} of ${count(batch.target)} done${open}`));
}

function batches(status, all, showAll) {
  const listed = all ? status.batches : status.batches.slice(0, batchesAtFirst);
  return make('section', {}, make('h2', {}, 'Batches'),
    make('ul', { class: 'batches' }, ...listed.map(batchLine)),
    listed.length < status.batches.length
      ? make('button', { type: 'button', class: 'quiet', click: showAll }, `Show all ${count(status.batches.length)} batches`) : null);
}

// ---- Answers per hour ----

function hourName(now, index) {
  const start = new Date(now - (24 - index) * 3600000);
  return start.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

function hourChart(status) {
  const most = Math.max(1, ...status.per_hour);
  const total = status.per_hour.reduce((sum, value) => sum + value, 0);
  const chart = draw('svg', {
    class: 'hours', viewBox: '0 0 240 100', preserveAspectRatio: 'none', role: 'img',
    'aria-label': `Answers in each of the last 24 hours: ${total} in all, at most ${total ? most : 0} in one hour. The table below has the numbers.`,
  }, draw('line', { class: 'grid', x1: 0, x2: 240, y1: 0, y2: 0 }), draw('line', { class: 'grid', x1: 0, x2: 240, y1: 50, y2: 50 }),
  draw('line', { class: 'axis', x1: 0, x2: 240, y1: 100, y2: 100 }));
  status.per_hour.forEach((value, index) => {
    const tall = value / most * 100;
    chart.append(draw('rect', { class: 'bar-front', x: index * 10 + 1, width: 8, y: 100 - tall, height: tall }));
  });
  const ticks = [0, 6, 12, 18].map((index) => make('span', {}, hourName(status.now, index)));
  return make('div', { class: 'chart' },
    make('p', { class: 'most', 'aria-hidden': 'true' }, total ? plural(most, 'answer', 'answers') : 'no answers in the last 24 hours'),
    chart,
    make('p', { class: 'ticks', 'aria-hidden': 'true' }, ...ticks, make('span', {}, 'now')));
}

function hours(status) {
  const rows = status.per_hour.map((value, index) => ({ value, index }));
  return make('section', {},
    make('h2', {}, 'Answers per hour'),
    hourChart(status),
    make('details', {},
      make('summary', {}, 'The same as a table'),
      table([
        { name: 'Hour', cell: ({ index }) => `from ${hourName(status.now, index)}` },
        { name: 'Answers', number: true, cell: ({ value }) => count(value) },
      ], rows, { caption: 'Answers in each of the last 24 hours', kind: 'narrow' })));
}

// ---- Time per input ----

const inputNames = {
  top: 'most probable class', top_percent: 'its percentage', second: 'second class', second_percent: 'its percentage',
  impossible: 'what it cannot be', possible: 'what it may be', class: 'class', mixing: 'mixture', confidence: 'confidence',
};

function inputTable(screen, inputs, trial) {
  const entries = Object.entries(inputs);
  const longest = Math.max(.1, ...entries.map(([, time]) => time.median ?? 0));
  return make('div', { class: 'framed' },
    make('p', { class: 'framed-title' }, make('b', {}, screen), `: ${seconds(trial?.median)} for a whole trial, median of ${count(trial?.count ?? 0)}`),
    table([
      { name: 'Input', cell: ([name]) => [name, inputNames[name] ? make('small', {}, ` ${inputNames[name]}`) : null] },
      { name: 'Share of the longest', kind: 'wide', minor: true, cell: ([, time]) => bar((time.median ?? 0) / longest) },
      { name: 'Median', number: true, cell: ([, time]) => seconds(time.median) },
      { name: 'Times', number: true, cell: ([, time]) => count(time.count) },
    ], entries, { caption: `Times of ${screen}`, kind: 'inputs', key: ([name]) => name }));
}

function inputTimes(status) {
  const screens = Object.entries(status.input_seconds);
  return make('section', {},
    make('h2', {}, 'Time per input'),
    make('p', { class: 'hint' }, 'For each input: time from the previous change (or from the start of the trial) to the last change of this input.'),
    screens.length === 0 ? make('p', { class: 'empty' }, 'No times yet.') : null,
    ...screens.map(([screen, inputs]) => inputTable(screen, inputs, status.trial_seconds[screen])));
}

// ---- People ----

const leaseColumns = [
  { name: 'Annotator', cell: (lease) => personLink(lease.annotator) },
  { name: 'Batch', number: true, cell: (lease) => String(lease.batch) },
  { name: 'Screen', cell: (lease) => lease.screen },
  { name: 'Place', cell: (lease) => (lease.place === 'trials' ? `trial ${lease.trial + 1}` : lease.place) },
  { name: 'Last heard', number: true, cell: (lease) => `${duration(lease.seen_seconds)} ago` },
  { name: 'Lease left', number: true, cell: (lease) => duration(lease.left_seconds) },
];

function leases(status) {
  return make('section', {},
    make('h2', {}, 'Working now'),
    status.leases.length === 0 ? make('p', { class: 'empty' }, 'Nobody is working at the moment.')
      : make('div', { class: 'framed' }, table(leaseColumns, status.leases, { caption: 'People who are working now', cards: true, key: (lease) => lease.annotator })));
}

function sessions(status) {
  const names = {
    done: 'finished', active: 'working', expired: 'lease ran out', returned: 'gave the place back',
    refused: 'did not consent or failed the comprehension check', test: ['test run', 'test runs'], second_run: ['second run, flagged', 'second runs, flagged'],
  };
  const nameOf = (name, number) => (Array.isArray(name) ? name[number === 1 ? 0 : 1] : name);
  const lines = Object.entries(names)
    .filter(([key]) => status.sessions[key])
    .map(([key, name]) => make('li', {}, make('b', {}, count(status.sessions[key])), ` ${nameOf(name, status.sessions[key])}`));
  return make('section', {},
    make('h2', {}, 'Sessions'),
    lines.length ? make('ul', { class: 'facts' }, ...lines) : make('p', { class: 'empty' }, 'Nobody has taken part yet.'));
}

function exclusions(status) {
  const reasons = new Map();
  for (const one of status.exclusions) reasons.set(one.reason, [...(reasons.get(one.reason) ?? []), one.annotator]);
  const lines = [...reasons].map(([reason, people]) => make('li', {},
    make('b', {}, count(people.length)), ` ${reason}: `,
    ...people.flatMap((person, place) => [place ? ', ' : '', personLink(person)])));
  return make('section', {},
    make('h2', {}, 'Proposed for exclusion'),
    make('p', { class: 'hint' }, 'A proposal for the analysis, not a reason to refuse payment.'),
    lines.length ? make('ul', { class: 'facts' }, ...lines) : make('p', { class: 'empty' }, 'Nobody.'));
}

function keepNotice(status) {
  const until = status.study.keep_until;
  if (!until || Date.parse(`${until}T23:59:59Z`) >= status.now) return null;
  return make('p', { class: 'notice' }, `The consent page promised to delete traceable data by ${until}. That day has passed: export what you need and delete the rest.`);
}

// ---- Links ----

// The server lists the links if it knows its own address; otherwise there is only the test link's path.
function linksOf(status) {
  if (status.links?.length) return status.links;
  if (!status.test_link) return [];
  return [{
    name: 'Test link', url: status.test_link,
    note: 'Append it to the annotators’ address. Test runs never count and are not paid: their codes begin with TEST-.',
  }];
}

const codeColumns = [
  { name: 'When', cell: (code) => capital(code.note || code.name) },
  { name: 'Code', cell: (code) => make('code', {}, code.url) },
  { name: 'Copy', cell: (code) => copyButton(code.url, `the code of “${code.name}”`) },
];


function links(status) {
  const known = linksOf(status);
  const codes = known.filter((link) => link.kind === 'code');
  if (known.length === 0) return null;
  return make('section', {},
    make('h2', {}, 'Links to send'),
    make('ul', { class: 'links' }, ...known.filter((link) => !codes.includes(link)).map((link) => make('li', { 'data-key': link.name },
      make('b', {}, link.name),
      make('code', {}, link.url),
      copyButton(link.url, link.name.toLowerCase()),
      link.note ? make('p', {}, link.note) : null))),
    codes.length === 0 ? null : make('details', {},
      make('summary', {}, 'Completion codes'),
      make('div', { class: 'framed' }, table(codeColumns, codes, { caption: 'Completion codes', kind: 'codes', key: (code) => code.name }))));
}

export function overview() {
  const element = make('div', { class: 'view' });
  let all = false;
  let status = null;
  function fill() {
    redraw(element,
      make('h1', {}, 'Overview'),
      keepNotice(status),
      tiles(status),
      links(status),
      asking(status),
      isAdaptive(status) ? null : batches(status, all, () => { all = true; fill(); }),
      make('div', { class: 'pair' }, hours(status), make('div', {}, sessions(status), exclusions(status))),
      leases(status),
      inputTimes(status));
  }
  return {
    element,
    update(next) {
      status = next;
      fill();
    },
  };
}
