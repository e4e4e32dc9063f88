// Sending what earlier pages left on this computer, from whatever page is open.

import { Halt, deliver, isDirty } from "./outbox.js";

// A pair that was taken out may be there again.
const GONE_MS = 24 * 3600000;

/** The copy, called so that it can be told from others on this page: pairs of every study are numbered from 1. */
export function named(copy) {
  const { pair, study, study_title: title } = copy;
  // An earlier version kept no title.
  if (!title || location.pathname.startsWith(`/annotate/${study}/`)) return copy;
  return { ...copy, pair: `${pair} (${title})` };
}

/**
 * Send all of it but what `isHere`; one window at a time does. `tell(outcome, copy, reason, isKnown)` is called for each
 * copy that was sent ("sentPair", "submittedPair") or needs its annotator ("unsentPair", and the `reason` of its `Halt`;
 * `isKnown` where an earlier try had said so). What the server could not be reached for, or somebody else's log-in stands
 * before, waits for another time.
 */
export async function sendLeft(store, session, { isHere = () => false, tell = () => {} }) {
  const work = async (lock) => {
    if (lock === null) return;
    const left = (await store.orphans()).filter((copy) => !isHere(copy));
    for (const copy of left) {
      const isKnown = Boolean(copy.unsendable);
      const [outcome, reason] = isGone(copy) ? ["unsentPair", "gone"] : await sendOne(copy, store, session);
      if (outcome === "later") return;
      if (outcome) tell(outcome, copy, reason, isKnown);
    }
    await sendNotes(store, session);
  };
  if (!navigator.locks) return void (await work());
  const once = async (lock) => (await work(lock), lock !== null);
  const isMine = await navigator.locks.request("bareme:outbox", { ifAvailable: true }, once);
  // Whoever sends it may be a page that is just going: nobody waits for that, but what it leaves is sent after it.
  if (!isMine) navigator.locks.request("bareme:outbox", work).catch(() => {});
}

/** What is not this person's any more is not asked about on every page. Whoever had left the study may be taken back, and
    finds their pairs there again. */
const isGone = ({ unsendable: { reason, type, at } = {} }) => reason === "gone" && type !== "withdrawn" && Date.now() - at < GONE_MS;

async function sendOne(left, store, session) {
  if (!left.sent && !isDirty(left)) {
    await store.remove(left);
    return [];
  }
  try {
    const last = await deliver(left, { store, session });
    return [last.kind === "submit" ? "submittedPair" : "sentPair"];
  } catch (error) {
    // Whoever sends by the clock stops: no try can help until a page of its own person is opened.
    if (error instanceof Halt && error.reason === "other_user") session.isOthers = true;
    if (!(error instanceof Halt) || error.reason === "login" || error.reason === "other_user") return ["later"];
    if (error.reason === "refused" && !isDirty(left)) await store.remove(left);
    else await store.put(left);
    return ["unsentPair", error.reason];
  }
}

async function sendNotes(store, session) {
  for (const copy of await store.orphanNotes()) {
    const { sendNote } = await import("./notes.js");
    await sendNote(copy, store, session);
  }
}
