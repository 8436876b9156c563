// Tables. On a phone the rows of a table with many columns become cards, with the headings beside
// the values; ARIA roles keep it a table for screen readers.
import { make } from './dom.js';

// columns: [{ name, cell(row), number, minor, value(row), key }]; `minor` columns are left out on a
// phone; sorting compares `value` (or the row's `key`).
// options: { caption, key(row), kind, cards, rowClass(row), sort: { column, down, by(column) } }
export function table(columns, rows, options) {
  const { caption, key, kind = '', cards = false, rowClass = () => null, sort = null } = options;
  const classOf = (column) => [column.number ? 'number' : '', column.minor ? 'minor' : '', column.kind ?? ''].filter(Boolean).join(' ') || null;
  const heading = (column) => {
    const on = sort?.column === column;
    const attributes = { scope: 'col', role: 'columnheader', class: classOf(column) };
    if (on) attributes['aria-sort'] = sort.down ? 'descending' : 'ascending';
    if (!sort) return make('th', attributes, column.name);
    const arrow = make('span', { class: 'arrow', 'aria-hidden': 'true' }, on ? (sort.down ? '▼' : '▲') : '');
    return make('th', attributes, make('button', { type: 'button', click: () => sort.by(column) }, column.number ? [arrow, column.name] : [column.name, arrow]));
  };
  const row = (one) => make('tr', { role: 'row', class: rowClass(one), 'data-key': key ? String(key(one)) : null },
    ...columns.map((column, place) => make(place === 0 ? 'th' : 'td', {
      scope: place === 0 ? 'row' : null, role: place === 0 ? 'rowheader' : 'cell', class: classOf(column), 'data-label': column.name,
    }, make('div', {}, column.cell(one)))));
  return make('table', { class: [cards ? 'cards-on-phone' : '', sort ? 'sortable' : '', kind].filter(Boolean).join(' '), role: 'table' },
    make('caption', { class: 'unseen' }, caption),
    make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...columns.map(heading))),
    make('tbody', { role: 'rowgroup' }, ...rows.map(row)));
}

const isMissing = (value) => value === null || value === undefined || value === '';

// Rows in the order of a column. Missing values come last in both directions; ties keep their order.
export function sorted(rows, column, down) {
  const value = column.value ?? ((one) => one[column.key]);
  const compare = (a, b) => {
    const [left, right] = [value(a), value(b)];
    if (isMissing(left) || isMissing(right)) return isMissing(left) - isMissing(right);
    const difference = typeof left === 'number' ? left - right : String(left).localeCompare(String(right), 'en');
    return down ? -difference : difference;
  };
  return rows.map((one, place) => ({ one, place })).sort((a, b) => compare(a.one, b.one) || a.place - b.place).map(({ one }) => one);
}
