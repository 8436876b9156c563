// Small helpers to build pages. Text always goes in as text.

import { calmly } from './calm.js';

let lastId = 0;

export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

// make('p', { class: 'hint', id }, 'text', child): functions become listeners, true sets an
// attribute, false leaves it out, null children are skipped.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Words between asterisks are bold. For our own sentences only, never for text from outside.
export function rich(sentence) {
  return sentence.split('*').map((part, i) => (i % 2 ? make('strong', {}, part) : part));
}

export function describe(element, id, on) {
  const ids = new Set((element.getAttribute('aria-describedby') || '').split(' ').filter(Boolean));
  if (on) ids.add(id);
  else ids.delete(id);
  if (ids.size) element.setAttribute('aria-describedby', [...ids].join(' '));
  else element.removeAttribute('aria-describedby');
}

// A place for an error message below a field; it describes the elements of `targets()` while it
// shows. It appears and vanishes only while no pointer is down.
export function errorLine(targets) {
  const element = make('p', { class: 'error', id: newId('error'), hidden: true });
  function draw(message) {
    element.textContent = message || '';
    element.hidden = !message;
    for (const target of targets()) {
      describe(target, element.id, Boolean(message));
      if (target.matches('input, textarea')) {
        if (message) target.setAttribute('aria-invalid', 'true');
        else target.removeAttribute('aria-invalid');
      }
    }
  }
  return { element, show: (message) => calmly(element, () => draw(message)) };
}

// For changes made by the program, so that the stopwatch and the checks notice them too.
export function announceChange(element) {
  element.dispatchEvent(new Event('change', { bubbles: true }));
}
