import { say } from './words.js';

// A list with more classes than this becomes a field to type in.
export const longestList = 15;

// The sentence about keys: `sentence` for a list, another one for a field to type in.
export function keysFor(classes, sentence) {
  return classes.length > longestList ? say('choice.keys_type') : sentence;
}

// The n-th class has the n-th digit, the tenth has 0, later ones have none.
export function digitOf(index) {
  return index < 10 ? String((index + 1) % 10) : '';
}

// A list to search in is in alphabetical order, by the rules of the page's language.
export function sorted(classes) {
  const { compare } = new Intl.Collator(document.documentElement.lang || 'en', { numeric: true });
  return [...classes].sort(compare);
}

// Widths of words in em, so that no button is narrower than a word in it. Words longer than
// `longestWord` are set smaller and may break: one of them must not make all buttons wide.
export const longestWord = 9;
const ink = document.createElement('canvas').getContext('2d');

function wordWidth(name) {
  ink.font = `500 100px ${getComputedStyle(document.body).fontFamily}`;
  return Math.max(...name.split(/\s+/).map((word) => ink.measureText(word).width / 100));
}

export function widestWord(classes) {
  const widths = classes.map(wordWidth).filter((width) => width <= longestWord);
  // A little more, since widths in em do not scale exactly with the font size.
  return (Math.max(2, ...widths) + 0.1).toFixed(2);
}

export const hasLongWord = (name) => wordWidth(name) > longestWord;

// Attributes for the name of a class on a button; each name has its own writing direction.
export function tag(name) {
  return { dir: 'auto', class: hasLongWord(name) ? 'name name-long' : 'name' };
}
