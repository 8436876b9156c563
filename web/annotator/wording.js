// The questions by framing, and number formats. The questions `collins.*` are those of figure 7 of
// Collins et al. (2022), since wording is part of the instrument; in the first person they ask the
// same about the annotator's own view.

import { known, say } from './words.js';

const places = { maximumFractionDigits: 2, useGrouping: false };

export const number = (value) =>
  new Intl.NumberFormat(document.documentElement.lang || 'en', places).format(value);

// What the questions call an item: "image", "text", or "span" for a marked part of a text.
export function thingOf(item) {
  if (item.text === undefined) return 'image';
  return item.span ? 'span' : 'text';
}

// A question in the study's framing. Questions that name the item have one sentence per kind of item.
export function ask(name, { framing, thing }, values) {
  const key = `ask.${framing}.${name}`;
  return say(known(`${key}.${thing}`) ? `${key}.${thing}` : key, values);
}
