// Ways to ask. A screen is a function of {session, item, ask, previous, submit(answer), changed(),
// button(), showButton(visible), showKeys(sentence)}; `ask` says in which person and of what to ask
// (wording.js), `previous` is an answer or a draft, `changed` is for changes without an event. It
// returns
//   intro   what stands above the questions (text, or nodes in a list), or null; introId: its id
//   keys    which keys help, one sentence, or nothing
//   parts   elements in order; every input lies in an element with data-input
//   layout  "ring" or nothing
//   drawn   an element to stand with the picture, or nothing
//   focus() to the first question
//   draft() what is filled in so far, as `previous` takes it
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
