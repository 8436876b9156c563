// What the pages say, in the study's language: the server writes the words into the page.

const words = JSON.parse(document.getElementById('words').textContent);

// The text under a key, with `values` in its places: say('trial.number', { n: 3, total: 25 }).
// Where a text depends on a number there are two keys, and the caller chooses.
export function say(key, values = {}) {
  if (!known(key)) throw new Error(`no words for ${key}`);
  return words[key].replace(/\{([a-z_]+)\}/g, (place, name) => values[name] ?? place);
}

export const known = (key) => Object.hasOwn(words, key);
