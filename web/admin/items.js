// Every item with its picture or text and what people make of it.
import { bar, count, decimal, make, newId, percent, plural } from './dom.js';

const pageSize = 60;
const orders = {
  disagreement: { name: 'most disagreement first', compare: (a, b) => (b.entropy ?? -1) - (a.entropy ?? -1) },
  agreement: { name: 'most agreement first', compare: (a, b) => (a.entropy ?? 99) - (b.entropy ?? 99) },
  fewest: { name: 'fewest answers first', compare: (a, b) => a.answers - b.answers },
  given: { name: 'as set up', compare: () => 0 },
};

function labelLines(item) {
  if (item.label.length === 0) return make('p', { class: 'empty' }, 'No answer yet.');
  return make('ul', { class: 'label' }, ...item.label.map(([name, share]) => make('li', {},
    make('span', { class: name === item.truth ? 'label-name true' : 'label-name' }, name),
    bar(share),
    make('span', { class: 'number' }, percent(share)))));
}

function card(item) {
  const picture = item.image
    ? make('img', { src: item.image, alt: `Item ${item.id}`, loading: 'lazy', width: 96, height: 96 })
    : make('blockquote', {}, item.text ?? '');
  return make('li', { class: 'card' },
    make('div', { class: 'card-head' },
      picture,
      make('div', {},
        make('h2', {}, item.id),
        make('p', {}, plural(item.answers, 'answer', 'answers')),
        item.entropy === null ? null : make('p', {}, `entropy ${decimal(item.entropy, 2)}`),
        item.truth ? make('p', {}, `set up as ${item.truth}`) : null)),
    labelLines(item));
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
    list.replaceChildren(...chosen.slice(0, room).map(card));
    found.textContent = word ? `${plural(chosen.length, 'item', 'items')} found` : `${count(chosen.length)} items, labels are means over annotators`;
    more.hidden = chosen.length <= room;
  }

  more.addEventListener('click', () => {
    const first = room;
    room += pageSize;
    fill();
    const next = list.children[first]?.querySelector('h2');
    next?.setAttribute('tabindex', '-1');
    next?.focus();
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
