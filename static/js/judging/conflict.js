// Two versions of one pair side by side, for their annotator to choose between: all of one, or question by
// question. Fetched when there is something to choose; the server draws it from the protocol's fields.

import { say } from "./form.js";
import { pause } from "./keyboard.js";
import { settled, toast } from "./notices.js";
import { spoken } from "../platform/language.js";
import { Halt, TIMEOUT_MS, Unreached, fingerprint, isRefusal, secondsAgo } from "../platform/outbox.js";

/** Have somebody choose between what this page holds and what the server has, or `left`, where they differ. Raises as
    `compared`. */
export async function decide(sync, left) {
  const { copy, store, autosave } = sync;
  const comparison = await compared(sync, left);
  if (!comparison.differ) {
    // Both say the same: nothing to choose.
    follow(copy, comparison.current);
    stand(comparison, copy.answers);
    if (left) store.remove(left);
    return autosave.flushNow();
  }
  const { answers: mine } = copy;
  const dialog = await drawn(comparison);
  await pause();
  if (copy.answers !== mine) {
    dialog.remove();
    return decide(sync, left);
  }
  const { chosen, answers } = await choose(dialog, comparison.theirs, mine);
  return chosen === "later" ? undefined : settle(sync, comparison, answers, left);
}

/** From here on saves build on what the server has. */
function follow(copy, current) {
  copy.base_revision = current.revision;
  copy.acknowledged = fingerprint(current.answers);
  settled();
}

/** What this page holds beside what the server has, or beside `left`, a copy that was found here: as the server puts them,
    anew where somebody typed on meanwhile. Raises `Unreached` and `Halt`. */
async function compared(sync, left) {
  await pause();
  const { compareUrl: url, session, copy } = sync;
  const { assignment, answers: mine, changed_at: mineAt } = copy;
  const other = left && { theirs: left.answers, theirsAt: left.changed_at };
  const comparison = await fetchComparison({ url, session, assignment, mine, mineAt, ...other });
  return copy.answers === mine ? comparison : compared(sync, left);
}

async function fetchComparison(request, isSecondTry = false) {
  const { url, session, assignment, mine, mineAt, theirs = null, theirsAt = mineAt } = request;
  const agos = secondsAgo({ mine_ago: mineAt, theirs_ago: theirsAt });
  const body = JSON.stringify({ user: session.user, assignment, mine, theirs, ...agos });
  let answer;
  try {
    const headers = { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": session.token, ...spoken };
    answer = await fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    throw new Unreached();
  }
  const members = await answer.json().catch(() => null);
  if (answer.ok && members) return members;
  if (members?.type === "other_user") throw new Halt("other_user", members);
  if (answer.status === 401 && isRefusal(members)) throw new Halt("login", members);
  if (answer.status === 403 && !isSecondTry) {
    await session.renew();
    return fetchComparison(request, true);
  }
  throw new Unreached();
}

/** The comparison, still closed. */
async function drawn({ html }) {
  const dialog = parsed(html).querySelector("dialog");
  document.getElementById("judge").append(dialog);
  await loaded(dialog.querySelector("link"));
  return dialog;
}

/** Show it; what was `chosen` ("mine", "theirs", "mixed" or "later"), and the answers that it gives. */
async function choose(dialog, theirs, mine) {
  // Whoever was typing when it opened must not choose by it: Enter acts only where somebody went to a button.
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.repeat || !event.target.closest("button, summary"))) event.preventDefault();
  });
  const closed = new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  dialog.showModal();
  await closed;
  const answers = { mine, theirs, mixed: mixed(dialog, mine, theirs) }[dialog.returnValue];
  dialog.remove();
  return answers ? { chosen: dialog.returnValue, answers } : { chosen: "later", answers: mine };
}

/** Parsed apart, so that nothing in it can run. */
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

/** Say on the page what is submitted, as it would be said if it were opened now: these answers, or others that they would
    correct. True where they are but a draft of that; undefined where nothing is submitted. */
function stand({ html, is_submitted: isSubmitted, in_force: inForce }, answers) {
  if (!isSubmitted) return undefined;
  const isDraft = fingerprint(inForce) !== fingerprint(answers);
  const { content, dataset } = parsed(html).querySelector(`template[data-draft="${Number(isDraft)}"]`);
  document.getElementById("submitted")?.remove();
  document.getElementById("notices").append(content);
  document.getElementById("submit").firstChild.data = `${dataset.submit} `;
  return isDraft;
}

/** Its style, which comes with it: shown before, it would jump. */
function loaded(sheet) {
  return new Promise((done) => {
    for (const kind of ["load", "error"]) sheet.addEventListener(kind, done, { once: true });
  });
}

function mixed(dialog, mine, theirs) {
  const answers = { ...mine };
  for (const row of dialog.querySelectorAll("[data-names]")) {
    const [main, ...qualifying] = row.dataset.names.split(" ");
    const picked = row.querySelector("input:checked")?.value;
    if (picked === "both") answers[main] = united(mine[main], theirs[main]);
    else if (picked === "theirs") for (const name of [main, ...qualifying]) answers[name] = theirs[name];
  }
  return answers;
}

/** The entries of both lists, those that both have once. */
function united(left, right) {
  const known = new Set(left.map(fingerprint));
  return [...left, ...right.filter((edit) => !known.has(fingerprint(edit)))];
}

/** Go on from what was chosen; what was not is put aside, with the save and in its transaction. */
async function settle(sync, comparison, answers, left) {
  const { copy, store, autosave } = sync;
  const { answers: before, intent } = copy;
  const isDraft = stand(comparison, answers) ?? (intent === "submit" || left?.intent === "submit");
  follow(copy, comparison.current);
  putAside(copy, before, answers);
  if (left) putAside(copy, comparison.theirs, answers, { found: true, changed_at: left.changed_at });
  // Here first: whatever becomes of the save, both versions are on this computer.
  if ((await take(sync, answers)) && left) store.remove(left);
  const undo = async () => {
    putAside(copy, copy.answers, before);
    await take(sync, before);
    stand(comparison, before);
    toast(say("undone"));
    autosave.flushNow();
  };
  const isSame = fingerprint(before) === fingerprint(answers);
  // These very answers were to be submitted: they are. Of any others their annotator has not said so.
  if (isSame && intent === "submit") return autosave.submit();
  const link = { href: `${copy.href}history/`, label: say("formerVersions") };
  toast(say(isDraft ? "versionNotSubmitted" : "versionKept"), isSame ? null : undo, link);
  return autosave.flushNow();
}

function putAside(copy, answers, chosen, { found = false, changed_at = copy.changed_at } = {}) {
  copy.aside ??= [];
  if (fingerprint(answers) === fingerprint(chosen)) return;
  copy.aside.push({ answers, found, changed_at });
}

/** Make these the answers here; true once they are on the disk. */
function take({ copy, show, store }, answers) {
  Object.assign(copy, { answers, intent: "draft", changed_at: Date.now() });
  show(answers);
  return store.put(copy);
}
