// Shared by the sections about one person, one item and all comments: they ask the server
// themselves when the study has changed.
import { Watched } from './api.js';
import { make, sentence, update as redraw } from './dom.js';

// `render(value, status)` returns the children of the section; `context` is that of every section.
export function detail(path, context, render) {
  const watched = new Watched(path);
  const element = make('div', { class: 'view' }, make('p', { class: 'hint', role: 'status' }, 'Loading…'));
  let value = null;
  let status = null;

  async function look() {
    try {
      value = (await watched.look()) ?? value;
      redraw(element, ...render(value, status));
    } catch (refused) {
      if (refused.status === 401) context.leave();
      else if (refused.status === 404 || !value)
        redraw(element, make('h1', {}, 'Nothing to show'), make('p', { role: 'alert' }, sentence(refused.message)));
      else if (refused.status === undefined) throw refused;
    }
  }

  return {
    element,
    update(next) {
      status = next;
      look();
    },
  };
}
