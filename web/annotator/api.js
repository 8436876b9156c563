// Talking to the server: docs/internals/study.md says what there is.

const patience = 20000; // ms until a request that hears nothing counts as lost

export class ApiError extends Error {
  // status 0: the server was not reached.
  constructor(status, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter; // ms
  }

  // Whether the same request may succeed later without anyone doing anything.
  get temporary() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  // Why nothing is saved at present: which of the frame's words say it.
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

// Growing pauses between tries, each somewhere between half and all of its length so that many
// pages do not come back in the same moment: 1 s, 2 s, 4 s ... at most 30 s.
export function pauseAfter(failures, error) {
  const longest = Math.min(30000, 1000 * 2 ** Math.min(failures - 1, 5));
  return Math.max(error?.retryAfter || 0, longest * (0.5 + Math.random() / 2));
}
