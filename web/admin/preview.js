// The annotators' own pages in two frames, a desk's and a phone's, and the words they say.
import * as api from './api.js';
import { make, newId, plural } from './dom.js';

const frames = [
  { name: 'desktop', title: 'Desktop, 1280 pixels wide', width: 1280, height: 800 },
  { name: 'phone', title: 'Phone, 390 pixels wide', width: 390, height: 844 },
];
const placeNames = {
  consent: 'Consent', instructions: 'Instructions', check: 'Comprehension check', practice: 'Practice', training: 'Training', trials: 'Trials',
  debrief: 'Last questions', done: 'End: finished', refused: 'End: not taking part', failed: 'End: check failed',
};
const wordsAtFirst = 25;

// ---- Frames ----

// Where the reader was last, frames apart.
let last = null;
document.addEventListener('focusin', ({ target }) => { if (target.tagName !== 'IFRAME') last = target; });

// Pages put the focus where people should begin; while one loads here nobody has asked for that.
// Until it is there the frame cannot be used, and the focus goes back to where it was.
function loadQuietly(frame, address) {
  let waits = 0;
  const giveBack = () => {
    if (document.activeElement !== frame) return;
    if (last?.isConnected) last.focus({ preventScroll: true });
    else frame.blur();
  };
  const free = () => {
    waits += 1;
    if (!frame.contentDocument?.querySelector('#main h1') && waits < 60) {
      setTimeout(free, 50);
      return;
    }
    giveBack();
    frame.inert = false;
    removeEventListener('blur', giveBack);
  };
  frame.inert = true;
  addEventListener('blur', giveBack);
  frame.onload = free;
  frame.src = address;
}

// A page as wide as it says, drawn as large as there is room.
function scaled({ title, width, height }) {
  const frame = make('iframe', { title, width, height });
  const box = make('div', { class: 'frame-box' }, frame);
  const figure = make('figure', { class: 'frame' }, make('figcaption', {}, title), box);
  new ResizeObserver(() => {
    const scale = Math.min(1, box.clientWidth / width);
    frame.style.transform = `scale(${scale})`;
    box.style.height = `${Math.round(height * scale)}px`;
  }).observe(box);
  return { frame, figure };
}

function choice(label, options, change) {
  const select = make('select', { id: newId('choice'), change: () => change(select.value) },
    ...options.map(([value, text]) => make('option', { value }, text)));
  return { select, field: make('p', { class: 'field' }, make('label', { for: select.id }, label), select) };
}

// ---- Words ----

// `saved` is called when pages say something else than before.
function wording(leave, saved) {
  let known = [];
  let why = null;
  let wanted = '';
  let room = wordsAtFirst;
  const changed = new Map(); // key -> what stands in its field
  const list = make('ul', { class: 'words' });
  const found = make('p', { class: 'hint', role: 'status' });
  const state = make('p', { class: 'download-state', role: 'status' });
  const save = make('button', { type: 'button', class: 'primary', click: send }, 'Save the words');
  const more = make('button', { type: 'button', class: 'quiet', click: () => { room += 4 * wordsAtFirst; fill(); } }, 'Show more');
  const search = make('input', {
    id: newId('find'), type: 'search', autocomplete: 'off', input: (event) => { wanted = event.target.value; room = wordsAtFirst; fill(); },
  });
  const fields = new Map(); // key -> its element, made once: what is typed stays

  function note() {
    save.disabled = changed.size === 0;
    foot.classList.toggle('waiting', changed.size > 0);
    save.textContent = changed.size ? `Save ${plural(changed.size, 'change', 'changes')}` : 'Save the words';
  }

  function field(word) {
    const id = newId('word');
    const text = make('textarea', {
      id, rows: Math.min(6, 1 + Math.floor(word.text.length / 60)), dir: 'auto', readonly: why !== null, 'aria-describedby': `${id}-default`,
      input: () => {
        if (text.value === word.text) changed.delete(word.key);
        else changed.set(word.key, text.value);
        hint();
        note();
      },
    });
    const original = make('p', { id: `${id}-default` });
    const back = make('button', {
      type: 'button', class: 'quiet', click: () => {
        text.value = word.default;
        text.dispatchEvent(new Event('input'));
        text.focus();
      },
    }, 'Put back');
    const hint = () => {
      original.textContent = text.value === word.default ? '' : `softlab says: ${word.default}`;
      back.hidden = why !== null || text.value === word.default;
    };
    text.value = changed.get(word.key) ?? word.text;
    hint();
    return make('li', {}, make('label', { for: id }, make('code', {}, word.key)), text, make('div', { class: 'word-foot' }, original, back));
  }

  function fill() {
    const word = wanted.trim().toLowerCase();
    const chosen = known.filter((one) => !word || `${one.key}\n${one.text}\n${one.default}`.toLowerCase().includes(word));
    for (const one of chosen.slice(0, room)) if (!fields.has(one.key)) fields.set(one.key, field(one));
    list.replaceChildren(...chosen.slice(0, room).map((one) => fields.get(one.key)));
    found.textContent = `${plural(chosen.length, 'text', 'texts')} ${word ? 'found' : 'in all'}`;
    more.hidden = chosen.length <= room;
    note();
  }

  function take({ words, why: reason, editable }) {
    known = words;
    why = editable ? null : reason;
    notice.hidden = editable;
    notice.textContent = why ? `The words cannot be changed here any more: ${why}.` : '';
    save.hidden = !editable;
    fields.clear();
    fill();
  }

  function report(text, error) {
    state.textContent = text;
    state.classList.toggle('error', error);
  }

  async function send() {
    const sent = Object.fromEntries([...changed].map(([key, text]) => [key, known.find((one) => one.key === key).default === text ? null : text]));
    save.disabled = true;
    report('Saving…', false);
    try {
      const reply = await api.saveWords(sent);
      changed.clear();
      take(reply);
      report('Saved. The pages above say it now.', false);
      saved();
    } catch (refused) {
      if (refused.status === 401) leave();
      report(`Not saved: ${refused.message.replace(/\.?$/, '.')}`, true);
      note();
    }
  }

  addEventListener('beforeunload', (event) => { if (changed.size) event.preventDefault(); });
  const notice = make('p', { class: 'notice', hidden: true });
  const foot = make('div', { class: 'save' }, save, state);
  const element = make('section', {},
    make('h2', {}, 'Words'),
    make('p', { class: 'hint' }, 'What stands in braces, as {n}, is filled in by the page and must stay. Words between asterisks are printed strong. Texts of your own are kept in words.json in the study’s folder.'),
    notice,
    make('div', { class: 'tools' }, make('p', { class: 'field' }, make('label', { for: search.id }, 'Find a text or key'), search)),
    found, list, more,
    foot);
  return {
    element,
    async load() {
      take(await api.words());
    },
  };
}

// ---- The section ----

export function preview({ leave }) {
  const element = make('div', { class: 'view' }, make('p', { class: 'hint', role: 'status' }, 'Loading…'));
  let begun = false;
  let reload = () => {};

  async function build() {
    const { screens, places } = await api.previews();
    const views = frames.map((kind) => ({ ...kind, ...scaled(kind) }));
    const screen = choice('Screen', screens.map(({ name, asked }) => [name, asked ? `${name} (in this study)` : name]), show);
    const place = choice('Page', places.map((name) => [name, placeNames[name] ?? name]), show);
    const about = make('p', { class: 'hint' });
    const words = wording(leave, show);
    screen.select.value = screens.find(({ asked }) => asked)?.name ?? screens[0].name;
    place.select.value = 'trials';

    function show() {
      const { summary } = screens.find(({ name }) => name === screen.select.value);
      about.textContent = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. The study’s first items; try it, nothing is kept.`;
      for (const view of views)
        loadQuietly(view.frame, `admin/preview/${encodeURIComponent(screen.select.value)}/${place.select.value}/${view.name}/study`);
    }

    await words.load();
    element.replaceChildren(
      make('h1', {}, 'Preview'),
      make('div', { class: 'tools' }, screen.field, place.field),
      about,
      make('div', { class: 'frames' }, ...views.map(({ figure }) => figure)),
      words.element);
    reload = show;
    show();
  }

  return {
    element,
    // The pages and what is typed beside them have nothing to do with the numbers.
    async update() {
      if (begun) {
        // Frames that come back to the page load anew.
        if (!element.isConnected) setTimeout(reload);
        return;
      }
      begun = true;
      try {
        await build();
      } catch (refused) {
        if (refused.status === undefined) throw refused;
        if (refused.status === 401) leave();
        else element.replaceChildren(make('h1', {}, 'Preview'), make('p', { role: 'alert' }, refused.message));
      }
    },
  };
}
