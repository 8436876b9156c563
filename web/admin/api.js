// What the page asks of the server. Errors carry the server's one sentence.

let csrf = '';

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  let reply;
  try {
    reply = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch {
    throw new Refused(0, 'The server cannot be reached. Is it still running?');
  }
  const body = await reply.json().catch(() => ({}));
  if (!reply.ok) {
    const wait = Number(reply.headers.get('Retry-After'));
    const sentence = body.error || `The server answered ${reply.status}.`;
    throw new Refused(reply.status, wait ? `${sentence} (${wait} s)` : sentence);
  }
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

export const session = () => ask('/admin/session');
export const status = () => ask('/admin/status');
export const logIn = (password) => send('/admin/login', { password });
export const logOut = () => send('/admin/logout', {});
