// The database in this browser (IndexedDB), and how a copy in it is sealed for its owner alone: AES-GCM under a
// key that the server gives to their own session. Over plain http a browser has no such means; copies are open then.

const NAME = "bareme";
const VERSION = 1;
// Some browsers neither open the database nor say that they cannot.
const PATIENCE_MS = 4000;
export const COPIES = "copies";
export const KEYS = "keys";
export const PAGES = "pages";

export const canSeal = Boolean(globalThis.crypto?.subtle);
let opening = null;

function database() {
  opening ??= open().catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

function open() {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("The database does not open.")), PATIENCE_MS);
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      // Its numbers only grow, whatever the clock says: of two copies the one with the higher number is newer.
      const copies = request.result.createObjectStore(COPIES, { keyPath: "order", autoIncrement: true });
      copies.createIndex("user", "user");
      request.result.createObjectStore(KEYS, { keyPath: "user" });
      request.result.createObjectStore(PAGES, { keyPath: "path" });
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const { result } = request;
      result.onclose = () => (opening = null);
      result.onversionchange = () => {
        result.close();
        opening = null;
      };
      resolve(result);
    };
  });
}

/** Run `work` on a table; resolves with what its request gave once all of it is stored, and in strict mode on the disk. */
export async function transact(table, mode, work, durability = "relaxed") {
  const opened = await database();
  return new Promise((resolve, reject) => {
    const transaction = opened.transaction(table, mode, { durability });
    let result;
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => reject(transaction.error);
    const request = work(transaction.objectStore(table));
    if (request) request.onsuccess = () => (result = request.result);
    // Of a reading that is committed, Chromium never gives a value of 64 KiB or more: it keeps those in files of
    // their own, on the disk, and has not fetched them when all is complete.
    if (mode === "readwrite") transaction.commit?.();
  });
}

/** The key as the server writes it, made usable and no longer readable; null where there is none or no cryptography. */
export async function importKey(text) {
  if (!canSeal || !text) return null;
  return crypto.subtle.importKey("raw", bytes(text), "AES-GCM", false, ["encrypt", "decrypt"]);
}

export async function seal(key, text) {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(text));
  return { iv, data: new Uint8Array(data) };
}

/** Raises where the key is another one. */
export async function unseal(key, { iv, data }) {
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, data));
}

/** Bytes as text, for where only text can be kept. */
export function base64(array) {
  return btoa(Array.from(array, (byte) => String.fromCharCode(byte)).join(""));
}

export function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Forget what only a log-in may open: keys, and pages that were kept for reading without a network. */
export async function forget() {
  for (const table of [KEYS, PAGES]) await transact(table, "readwrite", (rows) => rows.clear()).catch(() => {});
}

/** Forget what was kept for anybody else. */
export async function forgetOthers(user) {
  const rows = await transact(PAGES, "readonly", (table) => table.getAll()).catch(() => []);
  const theirs = rows.filter((row) => row.user !== user);
  if (theirs.length) await transact(PAGES, "readwrite", (table) => void theirs.forEach(({ path }) => table.delete(path)));
}
