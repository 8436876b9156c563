// The picture of a trial: as large as `size` and the room allow, and larger on request. trial.css
// limits width and height; this module only tells it the shape of the file.

import { make } from './dom.js';
import { say } from './words.js';

// Pictures of the next trials, loaded ahead so that a lost connection does not stop anyone at once.
const held = new Map();
const ahead = 5;

function imageOf(address) {
  const known = held.get(address);
  // A picture that failed while the server was unreachable is requested again.
  if (known && !(known.complete && known.naturalWidth === 0)) return known;
  const image = new Image();
  image.src = address;
  held.set(address, image);
  return image;
}

export function preload(items, from) {
  for (const { image } of items.slice(from, from + ahead)) if (image) imageOf(image);
}

// Every picture has the area of a square of `size`, and no side above twice that, as in
// src/study/session/images.c: `--scale` is the width in units of size, `--diagonal` the diagonal in
// units of the width.
function tellShape(element, { naturalWidth, naturalHeight }) {
  if (!naturalWidth || !naturalHeight) return;
  const ratio = naturalWidth / naturalHeight;
  const scale = Math.min(Math.sqrt(ratio), 2, 2 * ratio);
  const set = (name, value) => element.style.setProperty(name, value.toFixed(4));
  set('--ratio', ratio);
  set('--scale', scale);
  set('--diagonal', Math.hypot(1, 1 / ratio));
}

// A dialog with the picture as large as the window; any press or Escape closes it. The browser
// returns the focus.
function enlarge(place, address) {
  const large = make('img', { src: address, alt: say('trial.alt'), draggable: 'false' });
  const dialog = make(
    'dialog',
    {
      class: 'zoom',
      'aria-label': say('trial.enlarged'),
      click: () => dialog.close(),
      close: () => dialog.remove(),
    },
    large,
    make('button', { type: 'button', class: 'zoom-close' }, say('trial.close')),
  );
  // The small picture shows until the large one has loaded; without a connection it stays.
  const better = new Image();
  better.onload = () => {
    large.src = better.src;
  };
  better.src = `${address}?large=1`;
  place.append(dialog);
  dialog.showModal();
}

// {element, ready, missing()}: ready settles when the picture is visible or has failed to load;
// nobody should judge a missing picture. The stage gets the picture's shape as CSS variables.
export function picture(item, stage) {
  const image = imageOf(item.image);
  image.alt = say('trial.alt');
  image.draggable = false;
  const element = make('div', { class: 'stimulus' });
  const note = make(
    'p',
    { class: 'error', role: 'alert', hidden: true },
    say('trial.image_failed'),
    ' ',
    make('button', { type: 'button', class: 'quiet', click: again }, say('trial.image_again')),
  );
  const show = make(
    'button',
    { type: 'button', class: 'picture', click: () => enlarge(element, item.image) },
    image,
    make('span', { class: 'unseen' }, say('trial.enlarge')),
  );
  function again() {
    note.hidden = true;
    show.hidden = false;
    image.src = `${item.image}?again=${Date.now()}`;
  }
  image.onerror = () => {
    note.hidden = false;
    show.hidden = true;
  };
  image.onload = () => tellShape(stage, image);
  tellShape(stage, image);
  element.append(show, note);
  return {
    element,
    ready: image.decode().catch(() => {}),
    missing() {
      if (note.hidden) return false;
      note.querySelector('button').focus();
      return true;
    },
  };
}
