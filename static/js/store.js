// Copies of unsent answers on this computer. A copy is written before anything is sent and goes only
// when the server has acknowledged that very content. Each open page has copies of its own, so that
// two windows on one pair never overwrite each other; a page that is gone leaves its copies to the next.

const PREFIX = "bareme:v1:copy";

/** A random UUID; randomUUID is missing where a study runs over plain http in a local network. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export class Store {
  constructor(user) {
    this.user = user;
    this.page = uuid();
    // Held for as long as this page lives: how other windows know that its copies are in use.
    navigator.locks?.request(`bareme:${this.page}`, () => new Promise(() => {})).catch(() => {});
  }

  name(copy) {
    return `${PREFIX}:${this.user}:${copy.study}:${copy.position}:${copy.page}`;
  }

  /** Write a copy; false where this browser keeps none (private window, full disk). */
  put(copy) {
    try {
      localStorage.setItem(this.name(copy), JSON.stringify(copy));
      return true;
    } catch {
      return false;
    }
  }

  remove(copy) {
    try {
      localStorage.removeItem(this.name(copy));
    } catch {
      // There was nothing to remove then.
    }
  }

  /** Copies of this user that no open page owns, the newest first. */
  async orphans() {
    const owned = await this.openPages();
    return this.copies()
      .filter((copy) => copy.page !== this.page && !owned.has(copy.page))
      .sort((a, b) => b.changed_at - a.changed_at);
  }

  copies() {
    const found = [];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const name = localStorage.key(i);
        if (!name.startsWith(`${PREFIX}:${this.user}:`)) continue;
        const copy = parsed(localStorage.getItem(name));
        if (copy?.answers) found.push(copy);
      }
    } catch {
      // No storage, no copies.
    }
    return found;
  }

  async openPages() {
    if (!navigator.locks) return new Set();
    const { held } = await navigator.locks.query();
    return new Set(held.map((lock) => lock.name.replace(/^bareme:/, "")));
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Seconds that were counted but not sent yet, by pair. */
export function keptSeconds(name, seconds) {
  const key = `bareme:v1:seconds:${name}`;
  try {
    if (seconds === undefined) return Number(localStorage.getItem(key)) || 0;
    if (seconds === null) localStorage.removeItem(key);
    else localStorage.setItem(key, String(Math.round(seconds)));
  } catch {
    // Only a little time is lost.
  }
  return 0;
}
