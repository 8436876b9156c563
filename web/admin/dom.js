// Small helpers to build pages. What comes from the server goes in as text, never as markup.

let lastId = 0;

export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// make('p', { class: 'hint', id }, 'text', child): functions become listeners, true and false
// set and leave out an attribute, null children are passed over.
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

// A bar of a share from 0 to 1. It repeats what the text beside it says, so it is hidden from
// those who hear the page.
export function bar(share, kind = '') {
  const width = Math.max(0, Math.min(1, share || 0)) * 100;
  return draw('svg', { class: `bar ${kind}`, viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    draw('rect', { class: 'bar-back', width: 100, height: 8 }),
    draw('rect', { class: 'bar-front', width, height: 8 }));
}

// ---- Numbers as people write them ----

export function count(value) {
  return new Intl.NumberFormat('en').format(value);
}

export function percent(share, digits = 0) {
  return share === null || share === undefined ? '–' : `${(100 * share).toFixed(digits)} %`;
}

export function decimal(value, digits) {
  return value === null || value === undefined ? '–' : value.toFixed(digits).replace('-', '\u2212');
}

export function seconds(value) {
  if (value === null || value === undefined) return '–';
  return value < 100 ? `${value.toFixed(1)} s` : `${Math.round(value / 60)} min`;
}

export function duration(value) {
  if (value < 90) return `${Math.max(0, Math.round(value))} s`;
  if (value < 5400) return `${Math.round(value / 60)} min`;
  return `${Math.round(value / 3600)} h`;
}

export function plural(value, one, many) {
  return `${count(value)} ${value === 1 ? one : many}`;
}
