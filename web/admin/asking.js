// How sure the labels are, how items are chosen, and what is left of the budgets.
import { count, decimal, make, percent, plural, seconds, tile } from './dom.js';

const ends = {
  answers: 'The budget of answers is spent: nobody new is asked.',
  seconds: 'The budget of seconds is spent: nobody new is asked.',
  money: 'The budget of money is spent: nobody new is asked.',
  target: 'The mean risk has reached its target: nobody new is asked.',
  items: 'No item is open: nobody new is asked.',
};
const ways = { gain: ['by gain', 'where one more answer helps most'], equal: ['equally', 'where there are fewest answers'] };
const states = { open: 'open', settled: 'settled', full: 'full' };

// "Two more people would settle this."
export function needed(asking) {
  if (asking.state !== 'open') return asking.state === 'full' ? 'It has all the answers that it may have.' : 'One more answer would change little.';
  if (asking.needed === null) return 'Ten more people would not settle this.';
  if (asking.needed === 0) return '';
  const words = ['', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
  return `${words[asking.needed] ?? asking.needed} more ${asking.needed === 1 ? 'person' : 'people'} would settle this.`;
}

// What a whole crowd would probably say.
export const range = (asking) => `${asking.top}: ${percent(asking.share)} (${percent(asking.interval[0])} to ${percent(asking.interval[1])})`;

// The lines about one item on its card.
export function sureness(item) {
  const { asking } = item;
  if (!asking || asking.answers === 0) return null;
  return make('div', { class: `sure ${asking.state}` },
    make('p', {}, make('span', { class: 'state' }, states[asking.state]), ' ', make('span', { dir: 'auto' }, range(asking))),
    make('p', {}, `${seconds(asking.seconds)} of people’s time${asking.pending ? `, ${plural(asking.pending, 'answer', 'answers')} on the way` : ''}. ${needed(asking)}`));
}

function spentTile(status, key, name, show) {
  const spent = status.asking.spent[key];
  const left = status.asking.left[key];
  if (left === null && key === 'money' && !spent) return null;
  return tile(name, show(spent), left === null ? 'no limit' : `${show(left)} left${key === 'answers' ? '; without repeats and checks' : ''}`);
}

export function asking(status) {
  const about = status.asking;
  if (!about) return null;
  const { items, expected } = about;
  const total = items.open + items.settled + items.full;
  const adaptive = about.assignment === 'adaptive';
  const money = (value) => `${decimal(value, 2)} ${status.study.currency ?? ''}`.trim();
  return make('section', {},
    make('h2', {}, adaptive ? 'Choosing items' : 'How sure the labels are'),
    ends[about.end] ? make('p', { class: 'notice', role: 'status' }, ends[about.end]) : null,
    make('dl', { class: 'tiles' },
      adaptive ? tile('Items are chosen', ways[about.way][0], `${ways[about.way][1]}: ${about.because}${about.variation === null ? '' : ` (variation ${decimal(about.variation, 2)})`}`) : null,
      tile('Settled items', `${count(items.settled + items.full)} of ${count(total)}`, `${count(items.open)} open, ${count(items.unanswered)} without an answer`),
      tile('Mean risk', decimal(about.mean_risk, 4), `nats; ${decimal(expected.mean_risk, 4)} expected after ${plural(expected.answers, 'more answer', 'more answers')}${about.target === null ? '' : `; target ${decimal(about.target, 4)}`}`),
      spentTile(status, 'answers', 'Item answers', count),
      spentTile(status, 'seconds', 'People’s time', (value) => (value < 7200 ? `${count(Math.round(value / 60))} min` : `${decimal(value / 3600, 1)} h`)),
      spentTile(status, 'money', 'Paid', money)));
}
