// One item: the mean label and every single answer.
import { colourOf, decimal, make, mixture, percent, personLink, plural, seconds, stimulus, tile } from './dom.js';
import { needed, range } from './asking.js';
import { detail } from './detail.js';
import { table } from './table.js';

const flags = (one) => [one.repeat ? 'repeat, not in the label' : '', one.second_run ? 'second run, not in the label' : '',
  one.label === null ? 'no method can use it' : ''].filter(Boolean).join('; ');

function legend(item, order) {
  return make('ul', { class: 'label' }, ...item.label.map(([name, share]) => make('li', { 'data-key': name },
    make('span', { class: name === item.truth ? 'label-name true' : 'label-name', dir: 'auto' },
      make('span', { class: `swatch ${colourOf(name, order).replaceAll('part', 'swatch')}`, 'aria-hidden': 'true' }), name),
    mixture([[name, share]], order),
    make('span', { class: 'number' }, percent(share)))));
}

function render(item) {
  const order = item.label.map(([name]) => name);
  const columns = [
    { name: 'Annotator', cell: (one) => personLink(one.annotator) },
    { name: 'Screen', minor: true, cell: (one) => one.screen },
    { name: 'Answer', kind: 'said', cell: (one) => [make('span', { dir: 'auto' }, one.answer), flags(one) ? make('small', {}, ` (${flags(one)})`) : null] },
    { name: 'As a distribution', kind: 'wide', cell: (one) => (one.label ? mixture(one.label, order) : '') },
    { name: 'Time', number: true, cell: (one) => seconds(one.seconds) },
  ];
  return [
    make('p', {}, make('a', { href: '#items' }, 'All items')),
    make('h1', {}, item.id),
    make('div', { class: 'item-head' },
      stimulus(item, 240),
      make('div', { class: 'item-facts' },
        make('dl', { class: 'tiles few' },
          tile('Answers', String(item.answers), item.check ? 'an attention check: never enters labels' : 'first answers: they enter the label'),
          tile('Entropy', decimal(item.entropy, 2), 'of the mean label, in nats'),
          tile('Between people', decimal(item.disagreement, 2), 'part of the entropy due to disagreement'),
          tile('Median time', seconds(item.seconds), item.truth ? `for one answer; true class ${item.truth}` : 'for one answer')),
        item.asking && item.asking.answers ? make('p', { class: 'hint' }, `A whole crowd would probably answer ${range(item.asking)}, 95 % interval in brackets. The item is ${item.asking.state}. ${needed(item.asking)}`) : null,
        item.label.length ? make('section', {}, make('h2', {}, 'Mean label'), legend(item, order)) : null)),
    make('section', {},
      make('h2', {}, plural(item.each.length, 'answer', 'answers')),
      item.each.length === 0 ? make('p', { class: 'empty' }, 'Nobody has answered this item yet.')
        : make('div', { class: 'framed' }, table(columns, item.each, { caption: `Answers to ${item.id}`, kind: 'answers', cards: true, key: (one) => `${one.session}-${one.trial}` }))),
  ];
}

export function item(context) {
  return detail(`admin/item/${encodeURIComponent(context.rest)}`, context, render);
}
