// Ways to ask. A screen is a function of {session, item, words, previous, submit(answer), button(),
// showButton(visible), showKeys(sentence)} that returns
//   intro   what stands above the questions (text, or nodes in a list), or null
//   keys    which keys help, one sentence, or nothing
//   parts   elements in order; every input lies in an element with data-input
//   layout  "ring" or nothing
//   focus() to the first question
//   read()  {answer} or {problems: [{field, text}]}, in the order of the page
// To add one: a module, a row here and a row in the server's table.

import { bars } from './bars.js';
import { collins } from './collins.js';
import { fast } from './fast.js';
import { hard } from './hard.js';
import { mix, mixPlus } from './mix.js';
import { select2 } from './select2.js';
import { soft } from './soft.js';

export const screens = {
  collins,
  'collins+': (context) => soft(context, 'impossible'),
  possible: (context) => soft(context, 'possible'),
  bars,
  fast,
  hard,
  select2,
  mix,
  'mix+': mixPlus,
  mixsoft: (context) => collins({ ...context, mixed: true }),
};
