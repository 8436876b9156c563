// Longer lists than this become a field to type in.
export const longestList = 15;

// Which keys help: `sentence` for a list, another where one types.
export function keysFor(classes, sentence) {
  return classes.length > longestList
    ? 'Type a few letters; arrow keys and Enter choose.'
    : sentence;
}

// The n-th class has the n-th digit, the tenth 0, those after it none.
export function digitOf(index) {
  return index < 10 ? String((index + 1) % 10) : '';
}
