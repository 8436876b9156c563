// Every export, with a word on its purpose.
import { download } from './api.js';
import { make, newId } from './dom.js';

const groups = [
  { name: 'For analysis', exports: ['answers', 'trials', 'items', 'changes'] },
  { name: 'In the layouts of published data sets', exports: ['cifar10s-raw', 'cifar10s-json', 'cifar10h-raw', 'cifar10h-counts', 'cifar10h-probs'] },
  {
    name: 'For paying people', exports: ['payments', 'bonus'],
    hint: 'These two files name submissions by the recruiter’s ids. softlab only writes them; it pays nobody.',
  },
];

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  make('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// A link to a file that is fetched first, so that a refusal can be shown beside the link.
function entry({ path, file, summary }, leave) {
  const state = make('p', { class: 'download-state', role: 'status' });
  let busy = false;
  async function take(event) {
    event.preventDefault();
    if (busy) return;
    busy = true;
    state.classList.remove('error');
    state.textContent = 'Preparing the file…';
    try {
      save(await download(path), file);
      state.textContent = 'Saved by your browser.';
    } catch (refused) {
      state.classList.add('error');
      state.textContent = `Not available: ${refused.message.replace(/\.?$/, '.')}`;
      if (refused.status === 401) leave();
    }
    busy = false;
  }
  return make('li', {},
    make('a', { href: path, download: file, click: take }, file),
    make('span', {}, summary),
    state);
}

const exportEntry = (one, leave) => entry({ path: `admin/export/${encodeURIComponent(one.name)}`, file: one.file, summary: one.summary }, leave);

// ---- Soft labels ----

const forms = { csv: 'one line per item, one column per class', npz: 'the same for NumPy: labels, item, classes' };

function labels(methods, leave) {
  const list = make('ul', { class: 'downloads' });
  const about = make('p', { class: 'hint', id: newId('about') });
  const choose = () => {
    const method = methods.find((one) => one.name === select.value);
    about.textContent = `${method.summary.charAt(0).toUpperCase()}${method.summary.slice(1)}.`;
    list.replaceChildren(...Object.entries(forms).map(([form, summary]) => entry({
      path: `admin/labels/${encodeURIComponent(method.name)}.${form}`, file: `labels-${method.name}.${form}`, summary,
    }, leave)));
  };
  const select = make('select', { id: newId('method'), 'aria-describedby': about.id, change: choose },
    ...methods.map((method) => make('option', { value: method.name, selected: ['t2-clamp', 'mix'].includes(method.name) }, method.name)));
  choose();
  return make('section', {},
    make('h2', {}, 'Soft labels'),
    make('p', { class: 'hint' }, 'Labels from the answers so far, as the command softlab labels makes them with its default settings. Attention checks, repeats and second runs are left out.'),
    make('div', { class: 'tools' }, make('p', { class: 'field' }, make('label', { for: select.id }, 'Method'), select)),
    about, list);
}

// `leave` is called when the login has expired.
export function downloads({ leave }) {
  const element = make('div', { class: 'view' });
  let before = '';
  return {
    element,
    update({ study }) {
      // The lists never change, and the state shown beside a file should stay.
      const now = JSON.stringify([study.exports, study.labels]);
      if (before === now) return;
      before = now;
      const known = new Map(study.exports.map((one) => [one.name, one]));
      const listed = new Set(groups.flatMap((group) => group.exports));
      const rest = { name: 'Others', exports: [...known.keys()].filter((name) => !listed.has(name)) };
      element.replaceChildren(
        make('h1', {}, 'Downloads'),
        make('p', { class: 'hint' }, 'Participants appear as short hashes; e-mail addresses, telephone numbers and ids in free text are removed. The log of changes records every download.'),
        ...(study.labels?.length ? [labels(study.labels, leave)] : []),
        ...[...groups, rest]
          .map((group) => ({ ...group, found: group.exports.filter((name) => known.has(name)) }))
          .filter((group) => group.found.length > 0)
          .map((group) => make('section', {},
            make('h2', {}, group.name),
            group.hint ? make('p', { class: 'hint' }, group.hint) : null,
            make('ul', { class: 'downloads' }, ...group.found.map((name) => exportEntry(known.get(name), leave))))));
    },
  };
}
