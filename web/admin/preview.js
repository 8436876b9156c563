// The annotators' own pages in two frames, a desktop's and a phone's, and the words on them.
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

// The element outside the frames that last had the focus.
let last = null;
document.addEventListener('focusin', ({ target }) => { if (target.tagName !== 'IFRAME') last = target; });

// A page focuses its first heading when it loads; in a preview nobody has asked for that. Until the
// page has loaded, the frame is inert, and the focus goes back to where it was.
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

// A page of the given width, scaled to the space available.
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

// `saved` is called after the texts of the pages have changed.
function wording(leave, saved) {
  let known = [];
  let why = null;
  let wanted = '';
  let room = wordsAtFirst;
  const changed = new Map(); // key -> the text in its field
  const list = make('ul', { class: 'words' });
  const found = make('p', { class: 'hint', role: 'status' });
  const state = make('p', { class: 'download-state', role: 'status' });
  const save = make('button', { type: 'button', class: 'primary', click: send }, 'Save the words');
  const more = make('button', { type: 'button', class: 'quiet', click: () => { room += 4 * wordsAtFirst; fill(); } }, 'Show more');
  const search = make('input', {
    id: newId('find'), type: 'search', autocomplete: 'off', input: (event) => { wanted = event.target.value; room = wordsAtFirst; fill(); },
  });
  const fields = new Map(); // key -> its element, created once so that typed text stays

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
    }, 'Restore');
    const hint = () => {
      original.textContent = text.value === word.default ? '' : `Original: ${word.default}`;
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
    notice.textContent = why ? `The words can no longer be changed here: ${why}.` : '';
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
      report('Saved. The pages above show it now.', false);
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
    make('p', { class: 'hint' }, 'The page fills in names in braces, such as {n}; keep them. Words between asterisks are printed bold. Your own texts are stored in words.json in the study’s folder.'),
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
      about.textContent = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. The preview shows the study’s first items; try it out, no answer is kept.`;
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
    // New numbers change neither the pages nor the typed texts.
    async update() {
      if (begun) {
        // A frame that comes back into the document loads again.
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
