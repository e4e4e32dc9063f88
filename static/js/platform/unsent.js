// Answers that wait on this computer, on a page that is not theirs: counted, sent, and said how it ended.

import { sendLeft } from "./left.js";
import { Halt, Unreached, isDirty } from "./outbox.js";
import { Store } from "./store.js";

const RETRY_MS = 15000;

/** The log-in behind the page, as far as sending needs it. Asking about it does not prolong it. */
class QuietSession {
  constructor({ user, sessionUrl }) {
    Object.assign(this, { user, url: sessionUrl, token: "", key: "" });
  }

  async renew() {
    const answer = await fetch(this.url, { headers: { Accept: "application/json" } }).catch(() => null);
    const body = await answer?.json().catch(() => null);
    if (answer?.status === 401) throw new Halt("login");
    if (!answer?.ok || !body) throw new Unreached();
    if (body.user !== this.user) throw new Halt("other_user");
    Object.assign(this, { token: body.csrf_token, key: body.copy_key });
  }
}

/** What sending needs on this page. Without the server's key copies can be counted, but not opened. */
export async function open(box) {
  const session = new QuietSession(box.dataset);
  await session.renew().catch(() => {});
  return { session, store: new Store(session.user, { key: session.key, former: box.dataset.former }) };
}

export async function start(box) {
  let parts = null;
  let isRunning = false;
  const outcomes = new Map();

  async function run() {
    if (isRunning) return;
    isRunning = true;
    try {
      if (!parts?.session.key) parts = await open(box);
      await send();
    } finally {
      isRunning = false;
    }
  }

  async function send() {
    const { store, session } = parts;
    draw(box, await waiting(store), outcomes);
    if (session.key) await sendLeft(store, session, { tell: (outcome, copy) => outcomes.set(place(copy), { outcome, copy }) });
    if (store.unreadable.length) {
      outcomes.set("unreadable", { outcome: "unreadable", copy: { count: store.unreadable.length } });
      await store.dropUnreadable();
    }
    const left = await waiting(store);
    draw(box, left, outcomes);
    if (left) setTimeout(run, RETRY_MS);
  }

  // What needs a decision waits for its person, not for the network.
  async function waiting(store) {
    const copies = (await store.orphans()).filter((copy) => copy.sent || isDirty(copy));
    return store.closed + store.notes.length + copies.filter((copy) => outcomes.get(place(copy))?.outcome !== "unsentPair").length;
  }

  window.addEventListener("online", run);
  await run();
}

const place = (copy) => `${copy.study}:${copy.position}`;

function draw(box, left, outcomes) {
  const say = (name, values) => box.dataset[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  const lines = [...outcomes.values()].map(({ outcome, copy }) => {
    const line = document.createElement("p");
    line.textContent = `${say(outcome, copy)} `;
    if (outcome === "unsentPair") {
      const link = document.createElement("a");
      Object.assign(link, { href: copy.href, textContent: box.dataset.openPair });
      line.append(link);
    }
    return line;
  });
  if (left) {
    const line = document.createElement("p");
    line.textContent = say(left === 1 ? "one" : "many", { count: left });
    lines.unshift(line);
  }
  box.replaceChildren(...lines);
  box.hidden = !lines.length;
  box.classList.toggle("notice--warn", left > 0 || [...outcomes.values()].some(({ outcome }) => outcome.startsWith("un")));
}
