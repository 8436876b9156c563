// The texts of the pages in the study's language; the server writes them into the page.

const words = JSON.parse(document.getElementById('words').textContent);

// The text under a key, with `values` filled in: say('trial.number', { n: 3, total: 25 }). A text that
// depends on a number has two keys, and the caller chooses.
export function say(key, values = {}) {
  if (!known(key)) throw new Error(`no words for ${key}`);
  return words[key].replace(/\{([a-z_]+)\}/g, (place, name) => values[name] ?? place);
}

export const known = (key) => Object.hasOwn(words, key);
