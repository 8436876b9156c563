// Values that survive a reload: in localStorage or, if that is full or forbidden, in memory as long as
// the page lives.

export function openStorage() {
  const memory = new Map();
  return {
    get(key) {
      try {
        return localStorage.getItem(key) ?? memory.get(key) ?? null;
      } catch {
        return memory.get(key) ?? null;
      }
    },
    set(key, value) {
      memory.delete(key);
      try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
      } catch {
        if (value !== null) memory.set(key, value);
      }
    },
  };
}

// The value under a key, or `otherwise` if there is none or it cannot be parsed.
export function readJson(storage, key, otherwise) {
  try {
    return JSON.parse(storage.get(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}
