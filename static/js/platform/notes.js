// A private note on its way: asked for, sent, and what of it waits on this computer sent from whatever page is open.

import { spoken } from "./language.js";
import { TIMEOUT_MS, storable } from "./outbox.js";

/** What the server says: a GET, or a POST of that body. */
export async function ask(url, session, body = null) {
  // Whose page asks goes along: whoever is logged in by now has notes of their own.
  const headers = { Accept: "application/json", "X-Bareme-User": session.user, ...spoken };
  const options = { headers, signal: AbortSignal.timeout(TIMEOUT_MS) };
  if (body !== null) {
    const isForm = body instanceof URLSearchParams;
    Object.assign(options, { method: "POST", body: isForm ? body : JSON.stringify(body), keepalive: true });
    options.headers["X-CSRFToken"] = session.token;
    if (!isForm) options.headers["Content-Type"] = "application/json";
  }
  const answer = await fetch(url, options);
  return { ok: answer.ok, status: answer.status, body: await answer.json() };
}

/** What was typed upon `base`, on top of what stands there now: nothing of either is lost, theirs first. */
export function merged(current, { text, base_revision: base }) {
  if (base === current.revision || text.includes(current.text)) return text;
  return `${current.text}\n${text}`;
}

/** Send a copy that an earlier page left; true once the server has it and the copy is gone. */
export async function sendNote(copy, store, session) {
  try {
    const { ok, body } = await ask(copy.note.url, session);
    if (body.type === "other_user") session.isOthers = true;
    if (!ok) return false;
    const request = { text: storable(merged(body, copy.note)), base_revision: body.revision, user: session.user };
    if (!(await ask(copy.note.url, session, request)).ok) return false;
  } catch {
    return false;
  }
  return store.remove(copy);
}
