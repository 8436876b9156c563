// Every export, with a word on what it is for.
import { make } from './dom.js';

const groups = [
  { name: 'For analysis', exports: ['answers', 'trials', 'items', 'changes'] },
  { name: 'As published data sets are laid out', exports: ['cifar10s-raw', 'cifar10s-json', 'cifar10h-raw', 'cifar10h-counts', 'cifar10h-probs'] },
  {
    name: 'For paying people', exports: ['payments', 'bonus'],
    hint: 'These two name submissions as the recruiter does. softlab writes them and never pays.',
  },
];

function entry(one) {
  return make('li', {},
    make('a', { href: `/admin/export/${encodeURIComponent(one.name)}`, download: one.file }, one.file),
    make('span', {}, one.summary));
}

export function downloads() {
  const element = make('div', { class: 'view' });
  return {
    element,
    update(status) {
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
            make('ul', { class: 'downloads' }, ...group.found.map((name) => entry(known.get(name)))))));
    },
  };
}
