// Nothing moves under a pointer that is down: a line that came or went between pressing and letting
// go would take the button away, and the click would be lost.

let down = false;
const waiting = new Map();

const press = () => {
  down = true;
};
const release = () => {
  down = false;
  // After the click that belongs to it.
  setTimeout(() => {
    if (down) return;
    const all = [...waiting.values()];
    waiting.clear();
    for (const run of all) run();
  });
};
// Of a finger the field is left only with the mouse events that follow, so both count.
for (const type of ['pointerdown', 'mousedown']) window.addEventListener(type, press, true);
for (const type of ['pointerup', 'pointercancel', 'mouseup', 'dragend'])
  window.addEventListener(type, release, true);
// Of the window alone: that of a field does not bubble.
window.addEventListener('blur', release);

// Run now, or once the pointer is up; of several under one key only the last.
export function calmly(key, run) {
  waiting.delete(key);
  if (down) waiting.set(key, run);
  else run();
}
