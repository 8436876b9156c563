// Requests to the server; docs/internals/study.md lists the routes.

const patience = 20000; // ms without a reply until a request counts as lost

export class ApiError extends Error {
  // status 0: the server was not reached.
  constructor(status, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter; // ms
  }

  // Whether the same request may succeed later without anybody's action.
  get temporary() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  // Which words of the frame say why nothing is saved at the moment.
  get trouble() {
    return this.status === 0 || this.status === 408 ? 'connection' : 'busy';
  }
}

async function call(path, options) {
  const timer = new AbortController();
  const clock = setTimeout(() => timer.abort(), patience);
  let reply;
  let body;
  try {
    reply = await fetch(path, {
      ...options,
      signal: timer.signal,
      credentials: 'same-origin',
      cache: 'no-store',
    });
    body = await reply.text();
  } catch {
    throw new ApiError(0, 'The server cannot be reached');
  } finally {
    clearTimeout(clock);
  }
  let value = null;
  try {
    value = JSON.parse(body);
  } catch {
    // A proxy's own error page, perhaps: the status says enough.
    if (reply.ok) throw new ApiError(502, 'The reply cannot be read');
  }
  if (!reply.ok)
    throw new ApiError(
      reply.status,
      value?.error || `status ${reply.status}`,
      1000 * Number(reply.headers.get('Retry-After') || 0),
    );
  return value;
}

export function getSession() {
  return call('api/session', {});
}

export function post(name, body, keepalive = false) {
  return call(`api/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    keepalive,
  });
}

// Growing pauses between tries: 1 s, 2 s, 4 s ... at most 30 s. Each is shortened at random by up to
// half, so that many pages do not come back at the same moment.
export function pauseAfter(failures, error) {
  const longest = Math.min(30000, 1000 * 2 ** Math.min(failures - 1, 5));
  return Math.max(error?.retryAfter || 0, longest * (0.5 + Math.random() / 2));
}
