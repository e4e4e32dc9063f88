// Copies that can be sent no more, told of on a judging page: fetched where there are any.

import { say } from "./form.js";
import { TYPING } from "./keyboard.js";
import { choice, countMessages, download, mention, settled } from "./notices.js";
import { TIMEOUT_MS } from "../platform/outbox.js";
import { controls } from "../platform/unsendable.js";

const AGAIN_MS = 30000;
let isAwaited = false;

/** Another pair's: it is taken away or removed from among the messages, where it stands on every page; in the foot it is
    said once. `values` fill in the sentence. */
export function tell(left, values, reason, isKnown, store) {
  // The server has no page any more of what is not this person's.
  const [text, href] = reason === "gone" ? [say("gonePair", values), ""] : [say("unsentPair", values), left.href];
  const box = document.getElementById("other-notices");
  const count = box.childElementCount;
  mention(text, href, isKnown);
  const line = box.children[count];
  const removed = () => {
    line.remove();
    countMessages();
  };
  // One that stands there already has them.
  line?.append(" ", ...controls(left, { store, words: document.getElementById("strings").dataset, removed }));
}

/** The round is closed, and the page is only read. */
export function readOnly(sync, status) {
  reloadOnceOpen(sync.store.user);
  return offerUnsent(sync, status);
}

/** What was never sent of the pair at hand can still be taken away, or removed. `status`: the line that would tell of the
    server's answers alone. */
async function offerUnsent(sync, status) {
  const { store } = sync;
  const isUnsent = (copy) => sync.isHere(copy) && (copy.intent === "submit" || sync.differs(copy));
  const left = (await store.orphans()).find(isUnsent);
  if (!left) return;
  status.show("unsendable");
  const act = () => store.remove(left).then(() => location.reload());
  const ask = () => choice(say("removeSure"), [{ label: say("removeForGood"), act }]);
  choice(say("closed"), [download(left), { label: say("removeCopy"), act: ask }]);
}

/** The round was closed while the pair stood open: said now, and asked after until it is opened again. What waits here
    is sent then. */
export function awaitOpening(sync) {
  choice(say("closed"), [download(sync.copy)]);
  if (isAwaited) return;
  isAwaited = true;
  const timer = setInterval(lookAgain, AGAIN_MS);
  document.addEventListener("visibilitychange", lookAgain);

  async function lookAgain() {
    if (document.hidden || !(await isOpen(sync.store.user))) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", lookAgain);
    isAwaited = false;
    // Somebody may have tried it themselves meanwhile, or been asked something else.
    const dialog = document.getElementById("choice-dialog");
    if (dialog.querySelector("[data-text]").textContent === say("closed")) {
      settled();
      dialog.close();
    }
    if (sync.autosave.halted === "closed") await sync.autosave.flushNow();
  }
}

/** Once its annotator comes back to the page and the round is open again, it is loaded anew. What they are writing for
    themselves meanwhile is not interrupted. */
function reloadOnceOpen(user) {
  const isWriting = () => document.activeElement?.matches(TYPING);

  async function look() {
    if (!document.hidden && !isWriting() && (await isOpen(user)) && !isWriting()) location.reload();
  }

  document.addEventListener("visibilitychange", look);
  window.addEventListener("focus", look);
}

/** Asked of what says which pairs come next: it notes nothing. */
async function isOpen(user) {
  const { aheadUrl } = document.getElementById("judge").dataset;
  const options = { headers: { Accept: "application/json", "X-Bareme-Keep": user }, signal: AbortSignal.timeout(TIMEOUT_MS) };
  return fetch(aheadUrl, options).then(({ ok }) => ok, () => false);
}
