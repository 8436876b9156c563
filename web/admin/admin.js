// The researcher's page: logging in, and sections over one status object that keeps itself up to
// date.
import * as api from './api.js';
import { comments } from './comments.js';
import { clockOf, make, newId, sentence } from './dom.js';
import { downloads } from './downloads.js';
import { item } from './item.js';
import { items } from './items.js';
import { overview } from './overview.js';
import { annotators } from './people.js';
import { person } from './person.js';
import { preview } from './preview.js';

// A section is a function of {leave(), rest} that returns {element, update(status)}. With a rest
// ("items/12") the second function of the pair shows one entry of the first one's list.
const sections = {
  overview: [overview], items: [items, item], annotators: [annotators, person],
  comments: [comments], downloads: [downloads], preview: [preview],
};
const lookEvery = 5000; // ms
const longestPause = 60000;

const main = document.getElementById('main');
const top = document.getElementById('top');
const state = document.getElementById('state');
const announced = document.getElementById('announced');

let watched = null;
let status = null;
let shown = null;
const visited = new Map(); // sections shown before: choices and typed text stay there
let heard = 0; // when the server last answered
let failures = 0;
let clock = 0;
let looking = false;

// ---- Logging in ----

function lone(...children) {
  top.hidden = true;
  shown = null;
  clearTimeout(clock);
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
      await enter();
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

function leave() {
  status = null;
  showLogin('Please log in again.');
}

// ---- Sections ----

function placeOfHash() {
  const [name, rest = ''] = location.hash.slice(1).split('/');
  if (!Object.hasOwn(sections, name)) return { name: 'overview', rest: '' };
  return { name, rest: sections[name].length > 1 ? decodeURIComponent(rest) : '' };
}

function markTab(name) {
  for (const link of top.querySelectorAll('.tabs a'))
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
}

// Show the section that the address names. If it is shown already, it only gets newer numbers.
function show() {
  const { name, rest } = placeOfHash();
  const place = rest ? `${name}/${rest}` : name;
  const title = status.study.title;
  top.hidden = false;
  document.getElementById('study-title').textContent = title;
  document.title = `${name.charAt(0).toUpperCase()}${name.slice(1)}${rest ? ` ${rest}` : ''} – ${title}`;
  markTab(name);
  if (shown?.place !== place) {
    const view = visited.get(place) ?? sections[name][rest ? 1 : 0]({ leave, rest });
    if (!rest) visited.set(place, view);
    shown = { place, view };
  }
  shown.view.update(status);
  if (!main.contains(shown.view.element)) main.replaceChildren(shown.view.element);
}

// ---- Keeping up to date ----

// All texts are shown; a screen reader announces only the change between trouble and no trouble.
function say(text, trouble) {
  state.textContent = text;
  if (state.classList.contains('trouble') !== trouble) announced.textContent = text;
  state.classList.toggle('trouble', trouble);
}

function lookLater() {
  clearTimeout(clock);
  if (top.hidden || document.visibilityState !== 'visible') return;
  clock = setTimeout(look, Math.min(longestPause, lookEvery * 2 ** Math.min(failures, 4)));
}

async function look() {
  if (looking || top.hidden) return;
  looking = true;
  try {
    const next = await watched.look();
    failures = 0;
    heard = Date.now();
    if (next) status = next;
    if (next && !top.hidden) show();
    say(`Up to date at ${clockOf(heard)}`, false);
  } catch (refused) {
    failures += 1;
    if (refused.status === 401) leave();
    else say(refused.status === 0 ? `No connection since ${clockOf(heard)}, trying again` : sentence(refused.message), true);
  }
  looking = false;
  lookLater();
}

// Throws if the status cannot be read.
async function enter() {
  watched = new api.Watched('admin/status');
  visited.clear();
  status = await watched.look();
  failures = 0;
  heard = Date.now();
  show();
  say(`Up to date at ${clockOf(heard)}`, false);
  lookLater();
}

async function start() {
  try {
    const session = await api.session();
    if (session.in) await enter();
    else if (session.password) showLogin();
    else showNoPassword();
  } catch (refused) {
    if (refused.status === undefined) throw refused;
    if (refused.status === 401) {
      leave();
      return;
    }
    lone(
      make('h1', {}, 'Something is wrong'),
      make('p', { role: 'alert' }, sentence(refused.message)),
      make('p', {}, make('button', { type: 'button', class: 'primary', click: start }, 'Try again')));
  }
}

document.getElementById('refresh').addEventListener('click', look);
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
  show();
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
});
// A hidden page does not ask the server; a page that becomes visible again asks at once.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') look();
  else clearTimeout(clock);
});
addEventListener('online', look);

start();
