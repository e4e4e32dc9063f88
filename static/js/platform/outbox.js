// Sending a copy until the server has all of it. A save that was sent but not acknowledged may have
// arrived: it is sent again under the same key, unchanged, before anything newer goes out. So nothing
// counts twice, and our own lost acknowledgement is never mistaken for another window's save.

import { spoken } from "./language.js";
import { uuid } from "./store.js";

/** No request holds what comes after it up for longer. */
export const TIMEOUT_MS = 20000;
// Browsers refuse to keep a bigger request alive when the page goes.
const KEEPALIVE_LIMIT = 60000;

/** The server did not answer, or something that is not the server did: try again later. */
export class Unreached extends Error {
  constructor(status = 0) {
    super();
    this.isFull = status === 507;
  }
}

/** The server answered that a person has to decide something first. */
export class Halt extends Error {
  constructor(reason, body = {}) {
    super(reason);
    this.reason = reason;
    this.body = body;
  }
}

export function isDirty(copy) {
  return Boolean(copy.aside) || copy.intent === "submit" || fingerprint(copy.answers) !== copy.acknowledged;
}

async function post(url, save, token) {
  const body = JSON.stringify(save);
  let answer;
  try {
    answer = await fetch(url, {
      method: "POST",
      body,
      keepalive: body.length < KEEPALIVE_LIMIT,
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": token, ...spoken },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    throw new Unreached();
  }
  const members = await answer.json().catch(() => null);
  // A save that was taken has a revision.
  const isOurs = answer.status === 200 ? Number.isInteger(members?.revision) : isRefusal(members);
  return { status: answer.status, body: members ?? {}, isOurs };
}

/** Whether the server itself refused: a proxy that answers in its stead, while it starts anew, says nothing of the pair. */
export function isRefusal(members) {
  return typeof members?.type === "string";
}

function snapshot(copy) {
  return {
    kind: copy.intent,
    key: uuid(),
    base_revision: copy.base_revision,
    answers: copy.answers,
    active_seconds: copy.active_seconds,
    // What its annotator decided against, where two versions stood side by side.
    ...(copy.aside && { aside: [...copy.aside] }),
    ...(copy.aids && { aids: secondsAgo(copy.aids) }),
    // Of a kept page that the server does not know to have been shown.
    ...(copy.opened && secondsAgo({ opened: copy.opened })),
  };
}

/** Moments by name, as the server takes them: this computer's clock may be wrong, its seconds are not. */
export function secondsAgo(moments) {
  const ago = (moment) => Math.max(0, Math.round((Date.now() - moment) / 1000));
  return Object.fromEntries(Object.entries(moments).map(([name, moment]) => [name, ago(moment)]));
}

/**
 * Send everything in the copy. Returns the last acknowledgement; raises `Unreached` or `Halt`. The copy is gone, or
 * on the disk as it now is, when this ends.
 */
export async function deliver(copy, { store, session, keep = () => store.put(copy), onSaved = () => {} }) {
  let last = null;
  while (copy.sent || isDirty(copy)) {
    if (!copy.sent) {
      // Of a copy that an earlier version left.
      copy.answers = storable(copy.answers);
      copy.sent = snapshot(copy);
      // The save's key is on the disk before it goes out: what is sent again after a crash is the same save. Sent again,
      // it is there: written once more, an older window's words would be the newest of this pair.
      await keep();
    }
    const { kind } = copy.sent;
    const body = await send(copy, session).catch((error) => {
      const { reason, body } = error;
      // No other try helps.
      if (["closed", "gone"].includes(reason)) copy.unsendable = { reason, type: body.type, at: Date.now() };
      throw error;
    });
    delete copy.unsendable;
    acknowledge(copy, body);
    last = { kind, body };
    onSaved(body, kind);
  }
  // Gone before the next page looks for what earlier ones left.
  await store.remove(copy);
  // Whoever changed something meanwhile, and asked that it be sent, was given this promise.
  return isDirty(copy) ? deliver(copy, { store, session, keep, onSaved }) : last;
}

async function send(copy, session, isSecondTry = false) {
  const { kind, ...save } = copy.sent;
  // Each has its moment, but those that an earlier version left.
  save.aside &&= save.aside.map(({ changed_at, ...aside }) => ({ ...aside, ...(changed_at && secondsAgo({ typed_ago: changed_at })) }));
  const url = kind === "submit" ? copy.submit_url : copy.draft_url;
  // Who answered goes along, so that the server can refuse it from whoever is logged in instead; and what they answered,
  // so that it is not taken for an answer to whatever stands at that position by now.
  const whose = { user: session.user, ...(copy.assignment && { assignment: copy.assignment }) };
  const { status, body, isOurs } = await post(url, { ...save, ...whose }, session.token);
  if (status === 200 && isOurs) {
    session.isOthers = false;
    return body;
  }
  if (body.type === "other_user") throw new Halt("other_user", body);
  if (status === 403 && !isSecondTry) {
    await session.renew();
    return send(copy, session, true);
  }
  throw refusal(copy, status, body, isOurs);
}

function refusal(copy, status, body, isOurs) {
  if (!isOurs || status >= 500 || status === 403 || status === 429) return new Unreached(status);
  if (status === 401) return new Halt("login", body);
  if (status === 404) return new Halt("gone", body);
  if (status === 413) return new Halt("too_large", release(copy, body));
  if (body.type === "stale") return new Halt("stale", release(copy, body));
  if (body.type === "study_closed") return new Halt("closed", release(copy, body));
  if (status === 422) {
    // The draft was kept; only the submission was refused.
    acknowledge(copy, body);
    return new Halt("refused", body);
  }
  return new Halt("malformed", release(copy, body));
}

/** It certainly was not stored: the next attempt is a new save. */
function release(copy, body) {
  copy.sent = null;
  return body;
}

function acknowledge(copy, body) {
  const { kind, answers, aside } = copy.sent;
  if (aside && fingerprint(aside) === fingerprint(copy.aside)) delete copy.aside;
  copy.base_revision = body.revision;
  copy.acknowledged = fingerprint(answers);
  // What was changed and submitted again meanwhile is still to be submitted.
  if (kind === "submit" && fingerprint(copy.answers) === copy.acknowledged) copy.intent = "draft";
  copy.sent = null;
}

/**
 * Without what no database holds, as it comes now and then with what is pasted: NUL goes, half of a surrogate pair becomes
 * the sign that stands for a lost character.
 */
export function storable(value) {
  if (typeof value === "string") return value.replaceAll("\0", "").replace(/[\ud800-\udfff]/gu, "\ufffd");
  if (Array.isArray(value)) return value.map(storable);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, storable(part)]));
}

/** The same answers always give the same text, whatever the order of their names. */
export function fingerprint(answers) {
  const sorted = (value) =>
    Array.isArray(value)
      ? value.map(sorted)
      : value && typeof value === "object"
        ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
        : typeof value === "string"
          ? value.replace(/\r\n/g, "\n")
          : value;
  return JSON.stringify(sorted(answers));
}
