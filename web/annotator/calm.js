// Nothing moves while a pointer is down: a line that appeared or vanished between press and release
// would move the button away, and the click would be lost.

let down = false;
const waiting = new Map();

const press = () => {
  down = true;
};
const release = () => {
  down = false;
  // After the click that this release causes.
  setTimeout(() => {
    if (down) return;
    const all = [...waiting.values()];
    waiting.clear();
    for (const run of all) run();
  });
};
// On touch screens the field loses focus only with the mouse events that follow, so both count.
for (const type of ['pointerdown', 'mousedown']) window.addEventListener(type, press, true);
for (const type of ['pointerup', 'pointercancel', 'mouseup', 'dragend'])
  window.addEventListener(type, release, true);
// Only the window's own blur: that of a field does not bubble.
window.addEventListener('blur', release);

// Run now, or when the pointer is released; of several calls with one key only the last runs.
export function calmly(key, run) {
  waiting.delete(key);
  if (down) waiting.set(key, run);
  else run();
}
