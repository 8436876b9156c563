// What is asked, by framing, and how numbers are written. The questions `collins.*` are those of
// figure 7 of Collins et al. (2022), since wording is part of the instrument; the first person asks
// the same of oneself.

import { known, say } from './words.js';

const places = { maximumFractionDigits: 2, useGrouping: false };

export const number = (value) =>
  new Intl.NumberFormat(document.documentElement.lang || 'en', places).format(value);

// What an item is to the questions: "image", "text", or "span", a marked part of a text.
export function thingOf(item) {
  if (item.text === undefined) return 'image';
  return item.span ? 'span' : 'text';
}

// A question in the study's person. Those that name what is shown have a sentence for each thing.
export function ask(name, { framing, thing }, values) {
  const key = `ask.${framing}.${name}`;
  return say(known(`${key}.${thing}`) ? `${key}.${thing}` : key, values);
}
