// What is asked, by framing. The questions of `collins` are those of figure 7 of Collins et al.
// (2022), since wording is part of the instrument; the first person asks the same of oneself. Words
// between asterisks are strong.

const third = {
  intro: (thing) =>
    `Imagine 100 crowdsourced workers are asked to *identify what category the ${thing} below belongs to*.`,
  introPlain: (thing) =>
    `Imagine 100 crowdsourced workers are asked to *identify what category the ${thing} below belongs to*.`,
  introMixed: (thing) =>
    `This ${thing} is a combination of other images. Imagine 100 crowdsourced workers, who do not know that, ` +
    `are asked to *identify what category the ${thing} belongs to*.`,
  top: (thing) =>
    `What category do you think they would select as *most probably* being the true category of the ${thing}?`,
  topPercent: (thing) =>
    'What *percent probability (between 0 and 100)* do you think they would assign to the category you ' +
    `selected being the true category of the ${thing}?`,
  second: (thing) =>
    'What *alternate* category, if any, do you think they would select as being the *second most probable* of ' +
    `being the true category of the ${thing}?`,
  secondPercent: (thing) =>
    `If you selected an alternate category for the ${thing}, what *percent probability (between 0 and 100)* ` +
    `do you think they would assign to the category you selected being the true category represented in the ${thing}?`,
  impossible: (thing) =>
    'Are there one or more categories you think the crowdsourced annotators would say are *definitely not* ' +
    `the true category of the ${thing}?`,
  impossibleHint:
    'Please click *ALL* categories you think the annotators would say have *zero probability* of being the true category.',
  possible: 'Which *other* categories would some of them still think possible?',
  possibleHint:
    'Tick every category that is not ruled out. What you leave unticked counts as impossible.',
  bars: (thing) => `Out of 100 workers, how many would choose each category for this ${thing}?`,
  fast: 'Which category would *all* of them choose?',
  fastHint: 'If they would not all agree, say so below.',
  hard: 'Which category would most of 100 crowdsourced workers choose?',
  select2: 'Which *two* categories would they think most probable?',
  mixIntro: (a, b) =>
    `Imagine 100 crowdsourced workers are told that the image below is a combination of two images: one of the ` +
    `category ${a}, one of the category ${b}.`,
  mixing: 'What combination of the two would they say was used to make this image?',
  confidence: 'How confident would they be?',
};

const first = {
  intro: (thing) =>
    `Please *identify what category the ${thing} below belongs to*, and say how sure you are.`,
  introPlain: (thing) => `Please *identify what category the ${thing} below belongs to*.`,
  introMixed: (thing) =>
    `This ${thing} is a combination of other images. Please *identify what category it looks like*, and say ` +
    'how sure you are.',
  top: (thing) =>
    `What category do you think is *most probably* the true category of the ${thing}?`,
  topPercent: (thing) =>
    `How sure are you, *in percent (between 0 and 100)*, that this is the true category of the ${thing}?`,
  second: (thing) =>
    `What *alternate* category, if any, do you think is the *second most probable* true category of the ${thing}?`,
  secondPercent: (thing) =>
    'If you selected an alternate category, how sure are you, *in percent (between 0 and 100)*, that it is the ' +
    `true category of the ${thing}?`,
  impossible: (thing) =>
    `Are there one or more categories that are *definitely not* the true category of the ${thing}?`,
  impossibleHint:
    'Please click *ALL* categories that in your view have *zero probability* of being the true category.',
  possible: 'Which *other* categories do you still think possible?',
  possibleHint:
    'Tick every category that is not ruled out. What you leave unticked counts as impossible.',
  bars: (thing) => `How probable is each category for this ${thing}, in percent?`,
  fast: 'Which category are you *certain* of?',
  fastHint: 'If you are not certain, say so below.',
  hard: 'Which category is it?',
  select2: 'Which *two* categories do you think most probable?',
  mixIntro: (a, b) =>
    `The image below is a combination of two images: one of the category ${a}, one of the category ${b}.`,
  mixing: 'What combination of the two do you think was used to make this image?',
  confidence: 'How confident are you?',
};

const framings = { third, first };

// The sentences for one item: those that name the thing shown have its name in them already.
export function wordsFor(framing, item) {
  const thing = item.text === undefined ? 'image' : item.span ? 'highlighted text' : 'text';
  const words = {};
  for (const [name, value] of Object.entries(framings[framing] || third))
    words[name] = typeof value === 'function' && value.length === 1 ? value(thing) : value;
  return words;
}
