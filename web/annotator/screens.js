// The screens: ways to ask. A screen is a function of {session, item, ask, previous, submit(answer),
// changed(), button(), showButton(visible), showKeys(sentence)}; `ask` gives the framing and the kind
// of item (wording.js), `previous` is an answer or a draft, `changed` reports changes that fire no
// event. It returns
//   intro   what stands above the questions (text, or a list of nodes), or null; introId: its id
//   keys    one sentence on the keys that help, or nothing
//   parts   elements in order; every input lies in an element with data-input
//   layout  "ring" or nothing
//   drawn   an element to show with the picture, or nothing
//   focus() to the first question
//   draft() the inputs so far, in the form of `previous`
//   read()  {answer} or {problems: [{field, text}]}, in the order of the page
// To add a screen: a module, a row here and a row in the server's table.

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
