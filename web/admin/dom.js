// Small helpers to build pages. Text from the server goes in as text, never as markup.

let lastId = 0;

export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

// The listeners of each element, kept apart from the element so that a newer version of the page
// can give the same element newer functions.
const listening = new WeakMap();

function listen(element, type, act) {
  if (!listening.has(element)) listening.set(element, {});
  const acts = listening.get(element);
  if (!acts[type]) element.addEventListener(type, (event) => acts[type](event));
  acts[type] = act;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') listen(element, name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// make('p', { class: 'hint', id }, 'text', child): functions become listeners, true sets an
// attribute, false leaves it out, null children are skipped.
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

// ---- Newer numbers in the same page ----

const keyOf = (node) => node.dataset?.key;

function isSame(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
}

function patchAttributes(from, to) {
  for (const { name } of [...from.attributes])
    if (!to.hasAttribute(name) && name !== 'open') from.removeAttribute(name);
  for (const { name, value } of to.attributes)
    if (from.getAttribute(name) !== value && name !== 'open') from.setAttribute(name, value);
  for (const [type, act] of Object.entries(listening.get(to) ?? {})) listen(from, type, act);
}

function patchChildren(from, to) {
  const keyed = new Map([...from.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let at = from.firstChild;
  for (const next of [...to.childNodes]) {
    const known = keyOf(next) ? keyed.get(keyOf(next)) : at;
    if (!known || !isSame(known, next)) {
      from.insertBefore(next, at);
    } else {
      if (known === at) at = at.nextSibling;
      else from.insertBefore(known, at);
      patchNode(known, next);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function patchNode(from, to) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  patchAttributes(from, to);
  patchChildren(from, to);
}

// Make the children of `element` look like `children` and keep nodes that are right already, so
// that focus, scroll position and open details survive. A kept element takes over the listeners of
// the new one, so a listener must act on the event's currentTarget. Lists whose order changes need
// a data-key on each child.
export function update(element, ...children) {
  const focused = document.activeElement;
  const next = element.cloneNode(false);
  next.append(...children.flat().filter((child) => child !== null && child !== undefined));
  patchChildren(element, next);
  if (focused !== document.activeElement && element.contains(focused)) focused.focus({ preventScroll: true });
}

// ---- Small pictures ----

// A bar for a share from 0 to 1. Hidden from screen readers, since the text beside it says the same.
export function bar(share, kind = '') {
  const width = Math.max(0, Math.min(1, share || 0)) * 100;
  return draw('svg', { class: `bar ${kind}`, viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    draw('rect', { class: 'bar-back', width: 100, height: 8 }),
    draw('rect', { class: 'bar-front', width, height: 8 }));
}

// A distribution [[class, share], ...] as one bar of parts; `order` gives the classes their colours.
export function mixture(label, order) {
  const picture = draw('svg', { class: 'mixture', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    draw('rect', { class: 'bar-back', width: 100, height: 8 }));
  let left = 0;
  const shares = new Map(label ?? []);
  for (const name of [...order, ...[...shares.keys()].filter((one) => !order.includes(one))]) {
    const width = 100 * (shares.get(name) ?? 0);
    if (width > 0) picture.append(draw('rect', { class: colourOf(name, order), x: left, width, height: 8 }));
    left += width;
  }
  return picture;
}

export function colourOf(name, order) {
  const place = order.indexOf(name);
  return `part part-${place >= 0 && place < 6 ? place : 'rest'}`;
}

// An item's picture or text.
export function stimulus(item, size) {
  const name = item.item ?? item.id;
  if (item.image) return make('img', { src: item.image, alt: `Item ${name}`, loading: 'lazy', width: size, height: size });
  if (item.instructed) return make('blockquote', {}, 'Says which class to choose: ', make('bdi', {}, item.instructed));
  return make('blockquote', { dir: 'auto' }, item.text ?? '');
}

// ---- Numbers as people write them ----

export function count(value) {
  return new Intl.NumberFormat('en').format(value);
}

export function percent(share, digits = 0) {
  return share === null || share === undefined ? '–' : `${(100 * share).toFixed(digits)}\u00a0%`;
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

export function timeOf(ms) {
  return new Date(ms).toLocaleString('en-GB', { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' });
}

export function clockOf(ms) {
  return new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

// ---- Pieces of several sections ----

export function tile(name, value, note, kind = null) {
  return make('div', { class: kind ? `tile ${kind}` : 'tile' }, make('dt', {}, name), make('dd', {}, make('b', {}, value), make('span', {}, note)));
}

export function personLink(annotator) {
  return make('a', { href: `#annotators/${annotator}` }, make('code', {}, annotator));
}

// A button that copies a text to the clipboard and says so.
export function copyButton(text, what) {
  return make('button', {
    type: 'button', class: 'quiet', 'aria-label': `Copy ${what}`,
    // The button on the page is not always the one created here: see update.
    click: async ({ currentTarget: button }) => {
      const done = await copy(text);
      button.textContent = done ? 'Copied' : 'Select and copy it';
      setTimeout(() => { button.textContent = 'Copy'; }, 3000);
    },
  }, 'Copy');
}

// Browsers offer the clipboard only on HTTPS or localhost pages.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = make('textarea', { class: 'unseen', 'aria-hidden': 'true' });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}

// The server's message as a sentence of the page.
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export function sentence(text) {
  const whole = capital(text);
  return /[.?!)]$/.test(whole) ? whole : `${whole}.`;
}
