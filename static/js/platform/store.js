// Copies of unsent answers on this computer. A copy is on the disk before anything is sent and goes only when the
// server has acknowledged that very content. Each open page has copies of its own, so that two windows on one pair
// never overwrite each other; a page that is gone leaves its copies to the next.

import { COPIES, base64, bytes, importKey, seal, transact, unseal } from "./vault.js";

// Where the database is missing, blocked or full.
const SPARE = "bareme:v2:copy";
const FORMER = "bareme:v1:copy";
const WRITE_MS = 5000;
// Less than the distance between two numbers of the database.
const STEP = 1e-6;

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
  /** `key` seals copies; `former`: names under which earlier versions kept this person's. */
  constructor(user, { key = "", former = "" } = {}) {
    this.user = user;
    this.former = former.split(" ").filter(Boolean);
    this.page = uuid();
    this.key = Promise.resolve(importKey(key)).catch(() => null);
    this.slots = new Map();
    this.latest = 0;
    // Held for as long as this page lives: how other windows know that its copies are in use.
    navigator.locks?.request(`bareme:${this.page}`, () => new Promise(() => {})).catch(() => {});
  }

  /**
   * Keep a copy as it stands now. Written at once; what changes while a write is under way goes out together with
   * the next. Resolves when this state or a newer one is on the disk: true, or false where this browser keeps none.
   */
  put(copy) {
    return this.ask(copy.page, copy);
  }

  /** Resolves when the copy is gone. */
  remove(copy) {
    return this.ask(copy.page, null);
  }

  ask(page, copy) {
    const slot = this.slot(page);
    slot.copy = copy;
    slot.asked ??= deferred();
    const { promise } = slot.asked;
    if (!slot.isBusy) this.work(page, slot);
    return promise;
  }

  slot(page) {
    if (!this.slots.has(page)) this.slots.set(page, { orders: [], copy: null, asked: null, isBusy: false });
    return this.slots.get(page);
  }

  async work(page, slot) {
    slot.isBusy = true;
    while (slot.asked) {
      const { resolve } = slot.asked;
      slot.asked = null;
      resolve(await (slot.copy ? this.write(page, slot) : this.erase(page, slot)));
    }
    slot.isBusy = false;
  }

  async write(page, slot) {
    // As it is now: the caller goes on changing it.
    const record = { user: this.user, page, text: JSON.stringify(slot.copy) };
    try {
      const key = await this.key;
      if (key) {
        record.sealed = await seal(key, record.text);
        delete record.text;
      }
      await soon(this.replace(slot, record));
      spare.remove(this.user, page);
      askToStay();
      return true;
    } catch {
      this.latest += STEP;
      return spare.write(record, this.latest);
    }
  }

  async replace(slot, record) {
    const former = [...slot.orders];
    const put = (table) => {
      for (const order of former) table.delete(order);
      return table.add(record);
    };
    const order = await transact(COPIES, "readwrite", put, "strict");
    slot.orders = [...slot.orders.filter((pending) => !former.includes(pending)), order];
    this.latest = order;
  }

  async erase(page, slot) {
    spare.remove(this.user, page);
    const { orders } = slot;
    slot.orders = [];
    if (!orders.length) return true;
    try {
      await transact(COPIES, "readwrite", (table) => void orders.forEach((order) => table.delete(order)));
      return true;
    } catch {
      return false;
    }
  }

  /** Copies of this user that no open page owns, the newest first. */
  async orphans() {
    const owned = await this.openPages();
    return (await this.copies()).filter((copy) => copy.page !== this.page && !owned.has(copy.page));
  }

  /**
   * All copies of this user's answers, the newest first. `notes`: private notes; `unreadable`: those that were sealed with another key; `closed`: how
   * many there are without a key to try.
   */
  async copies() {
    await this.takeFormer();
    const newest = new Map();
    const notes = new Map();
    this.unreadable = [];
    this.closed = 0;
    const key = await this.key;
    for (const record of await this.records()) {
      this.latest = Math.max(this.latest, record.order);
      const copy = await this.opened(record, key);
      // What this page has removed, or written anew, since the records were read is no news.
      if (copy?.answers && !this.slots.get(copy.page)?.isBusy) {
        // A Map keeps the place of what is set again.
        newest.delete(copy.page);
        newest.set(copy.page, copy);
      }
      if (copy?.note && !this.slots.get(copy.page)?.isBusy) notes.set(copy.page, copy);
      if (!copy && key) this.unreadable.push(record);
      else if (!copy) this.closed += 1;
    }
    this.notes = [...notes.values()].reverse();
    return [...newest.values()].reverse();
  }

  /** Private notes of this user that no open page owns, the newest first. */
  async orphanNotes() {
    const owned = await this.openPages();
    await this.copies();
    return this.notes.filter(({ owner }) => owner !== this.page && !owned.has(owner));
  }

  /** The oldest first. */
  async records() {
    let stored = [];
    try {
      stored = await transact(COPIES, "readonly", (table) => table.index("user").getAll(this.user));
    } catch {
      // No database, nothing in it.
    }
    for (const { page, order } of stored) {
      const slot = this.slot(page);
      if (!slot.isBusy && page !== this.page) slot.orders = [...new Set([...slot.orders, order])];
    }
    return [...stored, ...spare.all(this.user)].sort((a, b) => a.order - b.order);
  }

  async opened({ text, sealed }, key) {
    try {
      return JSON.parse(sealed ? await unseal(key, sealed) : text);
    } catch {
      return null;
    }
  }

  /** Forget records that can never be opened again, once that has been told. */
  async dropUnreadable() {
    for (const { order, page } of this.unreadable) {
      spare.remove(this.user, page);
      await transact(COPIES, "readwrite", (table) => table.delete(order)).catch(() => {});
    }
    this.unreadable = [];
  }

  /** Take over what earlier versions kept, in the order in which it was typed. */
  async takeFormer() {
    const owned = await this.openPages();
    const spares = [];
    for (const [name, text] of entries()) {
      const [prefix, user] = [name.slice(0, FORMER.length), name.slice(FORMER.length + 1).split(":")[0]];
      const copy = prefix === FORMER && [this.user, ...this.former].includes(user) ? parsed(text) : null;
      if (copy?.answers && !owned.has(copy.page)) spares.push({ name, copy });
    }
    spares.sort((a, b) => a.copy.changed_at - b.copy.changed_at);
    for (const { name, copy } of spares) if (await this.put(copy)) localStorage.removeItem(name);
  }

  async openPages() {
    if (!navigator.locks) return new Set();
    const { held } = await navigator.locks.query();
    return new Set(held.map((lock) => lock.name.replace(/^bareme:/, "")));
  }
}

/** A disk that takes longer may still take it; whoever waits is told that it has not yet. */
function soon(promise) {
  return Promise.race([promise, new Promise((_, reject) => setTimeout(reject, WRITE_MS))]);
}

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What localStorage holds; nothing where it is blocked. */
function entries() {
  try {
    return Object.entries({ ...localStorage });
  } catch {
    return [];
  }
}

/** localStorage: browsers write it late, so it is only for where there is nothing better. */
const spare = {
  name: (user, page) => `${SPARE}:${user}:${page}`,

  write({ user, page, text, sealed }, order) {
    const held = sealed ? { iv: base64(sealed.iv), data: base64(sealed.data) } : undefined;
    try {
      localStorage.setItem(this.name(user, page), JSON.stringify({ user, page, text, sealed: held, order }));
      return true;
    } catch {
      return false;
    }
  },

  remove(user, page) {
    try {
      localStorage.removeItem(this.name(user, page));
    } catch {
      // There was nothing to remove then.
    }
  },

  all(user) {
    const own = entries().filter(([name]) => name.startsWith(`${SPARE}:${user}:`));
    const records = own.map(([, text]) => parsed(text)).filter(Boolean);
    for (const { sealed } of records) {
      if (sealed) Object.assign(sealed, { iv: bytes(sealed.iv), data: bytes(sealed.data) });
    }
    return records;
  },
};

let isAsked = false;

/** Ask the browser not to clear this site's storage when the disk is short. Firefox asks the person, so only once. */
async function askToStay() {
  if (isAsked || !navigator.storage?.persist) return;
  isAsked = true;
  try {
    if (localStorage.getItem("bareme:v2:asked") || (await navigator.storage.persisted())) return;
    localStorage.setItem("bareme:v2:asked", "1");
    await navigator.storage.persist();
  } catch {
    // It was only a wish.
  }
}

/** Whether anything of this person waits on this computer: without opening it. */
export async function isWaiting(user, former) {
  const names = [`${SPARE}:${user}:`, ...[user, ...former].map((account) => `${FORMER}:${account}:`)];
  if (entries().some(([name]) => names.some((start) => name.startsWith(start)))) return true;
  return Boolean(await transact(COPIES, "readonly", (table) => table.index("user").count(user)).catch(() => 0));
}
