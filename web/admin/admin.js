// The researcher's page: logging in, and the four sections over one status object.
import * as api from './api.js';
import { make, newId } from './dom.js';
import { downloads } from './downloads.js';
import { items } from './items.js';
import { overview } from './overview.js';
import { annotators } from './people.js';

const sections = { overview, items, annotators, downloads };
const refreshEvery = 60000;

const main = document.getElementById('main');
const top = document.getElementById('top');
const state = document.getElementById('state');

let status = null;
let shown = null;

function say(text, trouble = false) {
  state.textContent = text;
  state.classList.toggle('trouble', trouble);
}

// ---- Logging in ----

function lone(...children) {
  top.hidden = true;
  shown = null;
  document.title = 'softlab: researcher';
  main.replaceChildren(make('section', { class: 'lone' }, ...children));
}

function showNoPassword() {
  lone(
    make('h1', {}, 'No password is set yet'),
    make('p', {}, 'This page opens with a password that only you know. Set one in a terminal:'),
    make('pre', {}, make('code', {}, 'softlab study password FOLDER')),
    make('p', { class: 'hint' }, 'FOLDER is the study’s folder. There is no need to stop the server.'),
    make('p', {}, make('button', { type: 'button', class: 'primary', click: start }, 'Try again')),
  );
}

function showLogin(notice = '') {
  const field = make('input', {
    id: newId('password'), type: 'password', name: 'password', autocomplete: 'current-password', required: true,
  });
  const error = make('p', { class: 'error', role: 'alert', id: newId('error') }, notice);
  const button = make('button', { type: 'submit', class: 'primary' }, 'Log in');
  const submit = async (event) => {
    event.preventDefault();
    error.textContent = '';
    field.removeAttribute('aria-invalid');
    button.disabled = true;
    button.textContent = 'Checking…';
    try {
      await api.logIn(field.value);
      await load();
      main.focus();
    } catch (refused) {
      error.textContent = sentence(refused.message);
      field.setAttribute('aria-invalid', 'true');
      field.select();
    }
    button.disabled = false;
    button.textContent = 'Log in';
  };
  field.setAttribute('aria-describedby', error.id);
  lone(
    make('h1', {}, 'Researcher'),
    make('form', { submit },
      make('label', { for: field.id }, 'Password'),
      field,
      error,
      button));
  field.focus();
}

function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!)]$/.test(whole) ? whole : `${whole}.`;
}

// ---- Sections ----

function nameOfHash() {
  const name = location.hash.slice(1);
  return Object.hasOwn(sections, name) ? name : 'overview';
}

function leave() {
  showLogin('Please log in again.');
}

function markTab(name) {
  for (const link of top.querySelectorAll('.tabs a'))
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
}

// `keep`: the section shows newer numbers, but choices made in it and the place stay.
function show(keep) {
  const name = nameOfHash();
  const title = status.study.title;
  top.hidden = false;
  document.getElementById('study-title').textContent = title;
  document.title = `${name.charAt(0).toUpperCase()}${name.slice(1)} – ${title}`;
  markTab(name);
  if (shown?.name !== name) shown = { name, view: sections[name](leave) };
  shown.view.update(status);
  if (keep && main.contains(shown.view.element)) return;
  main.replaceChildren(shown.view.element);
}

async function load(keep = false) {
  say('Loading…');
  try {
    status = await api.status();
  } catch (refused) {
    if (refused.status === 401) {
      leave();
      return;
    }
    if (!status) throw refused;
    say(sentence(refused.message), true);
    return;
  }
  show(keep);
  say(`As of ${new Date(status.now).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })}`);
}

async function start() {
  try {
    const session = await api.session();
    if (session.in) await load();
    else if (session.password) showLogin();
    else showNoPassword();
  } catch (refused) {
    lone(
      make('h1', {}, 'Something is wrong'),
      make('p', { role: 'alert' }, sentence(refused.message)),
      make('p', {}, make('button', { type: 'button', class: 'primary', click: start }, 'Try again')));
  }
}

document.getElementById('refresh').addEventListener('click', () => load(true));
document.getElementById('logout').addEventListener('click', async () => {
  try {
    await api.logOut();
    status = null;
    showLogin();
  } catch (refused) {
    say(sentence(refused.message), true);
  }
});
addEventListener('hashchange', () => {
  if (!status || top.hidden || location.hash === '#main') return;
  show(false);
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
});
setInterval(() => {
  if (status && !top.hidden && document.visibilityState === 'visible') load(true);
}, refreshEvery);

start();
