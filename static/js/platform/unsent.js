// Answers that wait on this computer, on a page that is not theirs: counted, sent, and said how it ended.

import { recount } from "./counted.js";
import { named, sendLeft } from "./left.js";
import { Halt, isDirty } from "./outbox.js";
import { QuietSession } from "./quiet-session.js";
import { Store } from "./store.js";
import { controls, download } from "./unsendable.js";

const RETRY_MS = 15000;

/** What sending needs on this page. Without the server's key copies can be counted, but not opened. */
export async function open(box) {
  const session = new QuietSession(box.dataset);
  await session.renew().catch(() => {});
  return { session, store: new Store(session.user, { key: session.key, former: box.dataset.former }) };
}

export async function start(box) {
  let parts = null;
  let isRunning = false;
  let isDueAgain = false;
  let timer = 0;
  // What waited when that was last looked at, and whether the page's counts are from before something left.
  let known = 0;
  let isOvertaken = false;
  const outcomes = new Map();

  async function run() {
    // What changed meanwhile is looked at when this look has ended.
    isDueAgain = isRunning;
    if (isRunning) return;
    isRunning = true;
    try {
      do {
        isDueAgain = false;
        if (!parts?.session.key) parts = await open(box);
        await send();
      } while (isDueAgain);
    } finally {
      isRunning = false;
    }
  }

  async function send() {
    const { store, session } = parts;
    const before = await waiting(store);
    const redraw = (left) => draw(box, left, outcomes, { store, removed: again });
    redraw(before);
    const tell = (outcome, copy, reason) => {
      outcomes.set(place(copy), { outcome, copy, reason });
      // What needs a decision has changed nothing there.
      if (outcome !== "unsentPair") isOvertaken = true;
    };
    if (session.key) await sendLeft(store, session, { tell, isHere: isSettled });
    if (store.unreadable.length) {
      outcomes.set("unreadable", { outcome: "unreadable", copy: { count: store.unreadable.length } });
      await store.dropUnreadable();
    }
    const left = await waiting(store);
    redraw(left);
    // Another window may have sent it.
    if (left < Math.max(before, known)) isOvertaken = true;
    known = left;
    if (isOvertaken) isOvertaken = !(await recounted(session));
    // While somebody else is logged in here it waits for a page of its own person.
    clearTimeout(timer);
    if ((left || isOvertaken) && !session.isOthers) timer = setTimeout(run, RETRY_MS);
  }

  // A round that is closed, or a study that was left, is asked about once: it may be open again, but hardly while this page
  // stands there.
  const isSettled = (copy) => outcomes.get(place(copy))?.copy.page === copy.page && Boolean(copy.unsendable);

  /** A copy was removed: another one of its pair is told of in its place. */
  function again(copy) {
    outcomes.delete(place(copy));
    run();
  }

  // What needs a decision waits for its person, not for the network.
  async function waiting(store) {
    const copies = (await store.orphans()).filter((copy) => copy.sent || isDirty(copy));
    return store.closed + store.notes.length + copies.filter((copy) => outcomes.get(place(copy))?.outcome !== "unsentPair").length;
  }

  window.addEventListener("online", run);
  await run();
}

/** Whether the page's counts are those of now, or will never be: it is asked first, for the sake of what is told once to
 *  whoever asks for a page, whose log-in this is. */
async function recounted(session) {
  try {
    await session.renew();
  } catch (problem) {
    return problem instanceof Halt && Boolean(session.isOthers);
  }
  return recount(session.user);
}

const place = (copy) => `${copy.study}:${copy.position}:${copy.assignment ?? ""}`;

function draw(box, left, outcomes, { store, removed }) {
  const say = (name, values) => box.dataset[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  const lines = [...outcomes.values()].map(({ outcome, copy, reason }) => {
    const line = document.createElement("p");
    line.textContent = say({ gone: "gonePair", closed: "closedPair" }[reason] ?? outcome, named(copy));
    if (outcome !== "unsentPair") return line;
    const link = Object.assign(document.createElement("a"), { href: copy.href, textContent: box.dataset.openPair });
    // The server has no page any more of what is not this person's.
    if (reason !== "gone") line.append(" ", link);
    const ways = copy.unsendable ? controls(copy, { store, words: box.dataset, removed: () => removed(copy) }) : [download(copy, box.dataset)];
    line.append(" ", ...ways);
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
