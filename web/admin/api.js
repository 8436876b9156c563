// The requests of the page. An error carries the server's sentence.

let csrf = '';

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The reply, if it is no refusal; 304 counts as a success.
async function reach(path, options = {}) {
  let reply;
  try {
    reply = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch {
    throw new Refused(0, 'The server cannot be reached. Is it still running?');
  }
  if (reply.ok || reply.status === 304) return reply;
  const body = await reply.json().catch(() => ({}));
  const wait = Number(reply.headers.get('Retry-After'));
  const sentence = body.error || `The server answered ${reply.status}.`;
  throw new Refused(reply.status, wait ? `${sentence} (${wait} s)` : sentence);
}

async function ask(path, options) {
  const reply = await reach(path, options);
  const body = await reply.json().catch(() => ({}));
  if (body.csrf) csrf = body.csrf;
  return body;
}

function send(path, body) {
  return ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf },
    body: JSON.stringify(body),
  });
}

export const session = () => ask('admin/session');
export const logIn = (password) => send('admin/login', { password });
export const logOut = () => send('admin/logout', {});
export const previews = () => ask('admin/previews');
export const words = () => ask('admin/words');
export const saveWords = (changed) => send('admin/words', { words: changed });

// Something that is polled: look() returns its value if it has changed since the last look,
// otherwise null. The server compares.
export class Watched {
  #path;
  #tag = null;

  constructor(path) {
    this.#path = path;
  }

  async look() {
    const reply = await reach(this.#path, this.#tag ? { headers: { 'If-None-Match': this.#tag } } : {});
    if (reply.status === 304) return null;
    const value = await reply.json().catch(() => null);
    if (!value) throw new Refused(0, 'The connection was lost. Please try again.');
    this.#tag = reply.headers.get('ETag');
    return value;
  }
}

// Fetch a whole file. With a plain link the browser would leave the page on a refusal, or save the
// error as the file.
export async function download(path) {
  const reply = await reach(path);
  try {
    return await reply.blob();
  } catch {
    throw new Refused(0, 'The connection was lost. Please try again.');
  }
}
