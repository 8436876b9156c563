// Every item with its picture or text and its label so far.
import { bar, decimal, make, newId, percent, plural, seconds, stimulus, update as redraw } from './dom.js';
import { sureness } from './asking.js';

const pageSize = 60;
const first = (key, sign) => (a, b) => sign * ((a[key] ?? Infinity * sign) - (b[key] ?? Infinity * sign)) || 0;
const orders = {
  disagreement: { name: 'people disagree most', compare: first('disagreement', -1) },
  agreement: { name: 'people agree most', compare: first('disagreement', 1) },
  entropy: { name: 'most uncertain (entropy)', compare: first('entropy', -1) },
  certain: { name: 'most certain (entropy)', compare: first('entropy', 1) },
  unsure: { name: 'least sure (risk)', compare: (a, b) => (b.asking?.risk ?? 0) - (a.asking?.risk ?? 0) },
  fewest: { name: 'fewest answers', compare: first('answers', 1) },
  most: { name: 'most answers', compare: first('answers', -1) },
  slowest: { name: 'slowest answers', compare: first('seconds', -1) },
  fastest: { name: 'fastest answers', compare: first('seconds', 1) },
  given: { name: 'order of the study', compare: () => 0 },
};

export function labelLines(item) {
  if (item.label.length === 0) return make('p', { class: 'empty' }, 'No answer yet.');
  return make('ul', { class: 'label' }, ...item.label.map(([name, share]) => make('li', { 'data-key': name },
    make('span', { class: name === item.truth ? 'label-name true' : 'label-name', title: name, dir: 'auto' }, name),
    bar(share),
    make('span', { class: 'number' }, percent(share)))));
}

function card(item) {
  return make('li', { class: 'card', 'data-key': item.id },
    make('div', { class: 'card-head' },
      stimulus(item, 96),
      make('div', {},
        make('h2', {}, make('a', { href: `#items/${item.number}` }, item.id)),
        make('p', {}, plural(item.answers, 'answer', 'answers'), item.seconds === null ? '' : `, ${seconds(item.seconds)}`),
        item.entropy === null ? null : make('p', {}, `entropy ${decimal(item.entropy, 2)}`),
        item.entropy === null ? null : make('p', {}, `${decimal(item.disagreement, 2)} between people`),
        item.truth ? make('p', {}, 'true class ', make('span', { dir: 'auto' }, item.truth)) : null)),
    labelLines(item),
    sureness(item));
}

export function items() {
  let order = 'disagreement';
  let wanted = '';
  let room = pageSize;
  let status = null;
  const list = make('ul', { class: 'cards' });
  const found = make('p', { class: 'hint', role: 'status' });
  const more = make('button', { type: 'button', class: 'quiet' }, 'Show more');

  function fill() {
    const word = wanted.trim().toLowerCase();
    const chosen = status.items
      .filter((item) => !word || item.id.toLowerCase().includes(word) || (item.text ?? '').toLowerCase().includes(word)
        || item.label.some(([name, share]) => share >= .05 && name.toLowerCase().includes(word)))
      .map((item, place) => ({ item, place }))
      .sort((a, b) => orders[order].compare(a.item, b.item) || a.place - b.place)
      .map(({ item }) => item);
    redraw(list, ...chosen.slice(0, room).map(card));
    const text = word ? `${plural(chosen.length, 'item', 'items')} found` : `${plural(chosen.length, 'item', 'items')}. Labels are means over annotators, times are medians. “Between people” is the part of the entropy (in nats) that comes from disagreement between people. The last lines say what a whole crowd would probably answer, with a 95 % interval.`;
    if (found.textContent !== text) found.textContent = text;
    more.hidden = chosen.length <= room;
  }

  more.addEventListener('click', () => {
    const next = room;
    room += pageSize;
    fill();
    list.children[next]?.querySelector('h2 a')?.focus();
  });
  const select = make('select', {
    id: newId('order'), change: (event) => { order = event.target.value; room = pageSize; fill(); },
  }, ...Object.entries(orders).map(([value, { name }]) => make('option', { value }, name)));
  const search = make('input', {
    id: newId('search'), type: 'search', autocomplete: 'off', input: (event) => { wanted = event.target.value; room = pageSize; fill(); },
  });
  const element = make('div', { class: 'view' },
    make('h1', {}, 'Items'),
    make('div', { class: 'tools' },
      make('p', { class: 'field' }, make('label', { for: select.id }, 'Order'), select),
      make('p', { class: 'field' }, make('label', { for: search.id }, 'Find a name or class'), search)),
    found, list, more);
  return {
    element,
    update(next) {
      status = next;
      fill();
    },
  };
}
