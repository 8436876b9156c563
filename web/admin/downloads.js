// Every export, with a word on what it is for.
import { download } from './api.js';
import { make } from './dom.js';

const groups = [
  { name: 'For analysis', exports: ['answers', 'trials', 'items', 'changes'] },
  { name: 'As published data sets are laid out', exports: ['cifar10s-raw', 'cifar10s-json', 'cifar10h-raw', 'cifar10h-counts', 'cifar10h-probs'] },
  {
    name: 'For paying people', exports: ['payments', 'bonus'],
    hint: 'These two name submissions as the recruiter does. softlab writes them and never pays.',
  },
];

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  make('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

function entry(one, leave) {
  const path = `admin/export/${encodeURIComponent(one.name)}`;
  const state = make('p', { class: 'download-state', role: 'status' });
  let busy = false;
  async function take(event) {
    event.preventDefault();
    if (busy) return;
    busy = true;
    state.classList.remove('error');
    state.textContent = 'Being made…';
    try {
      save(await download(path), one.file);
      state.textContent = 'Saved by your browser.';
    } catch (refused) {
      state.classList.add('error');
      state.textContent = `Not available: ${refused.message.replace(/\.?$/, '.')}`;
      if (refused.status === 401) leave();
    }
    busy = false;
  }
  return make('li', {},
    make('a', { href: path, download: one.file, click: take }, one.file),
    make('span', {}, one.summary),
    state);
}

// `leave` is called when nobody is logged in any more.
export function downloads(leave) {
  const element = make('div', { class: 'view' });
  let before = '';
  return {
    element,
    update(status) {
      // The list never changes, and what stands beside a file should stay there.
      if (before === JSON.stringify(status.study.exports)) return;
      before = JSON.stringify(status.study.exports);
      const known = new Map(status.study.exports.map((one) => [one.name, one]));
      const listed = new Set(groups.flatMap((group) => group.exports));
      const rest = { name: 'Others', exports: [...known.keys()].filter((name) => !listed.has(name)) };
      element.replaceChildren(
        make('h1', {}, 'Downloads'),
        make('p', { class: 'hint' }, 'Participants are short hashes; addresses and ids in free text are removed. Every download is noted in the log of changes.'),
        ...[...groups, rest]
          .map((group) => ({ ...group, found: group.exports.filter((name) => known.has(name)) }))
          .filter((group) => group.found.length > 0)
          .map((group) => make('section', {},
            make('h2', {}, group.name),
            group.hint ? make('p', { class: 'hint' }, group.hint) : null,
            make('ul', { class: 'downloads' }, ...group.found.map((name) => entry(known.get(name), leave))))));
    },
  };
}
