// Two versions of one pair side by side, for their annotator to choose between: all of one, or question by
// question. Fetched when there is something to choose; the server draws it from the protocol's fields.

import { Halt, Unreached, fingerprint } from "../platform/outbox.js";

const TIMEOUT_MS = 20000;

/** `theirs`: a copy that was found here; without it, what the server has. Raises `Unreached` and `Halt`. */
export async function fetchComparison({ url, session, mine, mineAt, theirs = null, theirsAt = 0 }, isSecondTry = false) {
  const at = (milliseconds) => new Date(milliseconds || Date.now()).toISOString();
  const body = JSON.stringify({ user: session.user, mine, mine_at: at(mineAt), theirs, theirs_at: at(theirsAt) });
  let answer;
  try {
    const headers = { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": session.token };
    answer = await fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    throw new Unreached();
  }
  const members = await answer.json().catch(() => null);
  if (answer.ok && members) return members;
  if (members?.type === "other_user") throw new Halt("other_user", members);
  if (answer.status === 401) throw new Halt("login", members ?? {});
  if (answer.status === 403 && !isSecondTry) {
    await session.renew();
    return fetchComparison({ url, session, mine, mineAt, theirs, theirsAt }, true);
  }
  throw new Unreached();
}

/** Show the comparison; what was `chosen` ("mine", "theirs", "mixed" or "later"), and the answers that it gives. */
export async function choose({ html, theirs }, mine) {
  // Parsed apart, so that nothing in it can run.
  const dialog = new DOMParser().parseFromString(html, "text/html").querySelector("dialog");
  document.getElementById("judge").append(dialog);
  await loaded(dialog.querySelector("link"));
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
