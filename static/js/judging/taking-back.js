// "Pair 12 submitted · Undo", or "kept for later", on the page that comes after it: what this tab did last with a pair,
// for ten minutes.

import { say } from "./form.js";
import { isOffered, toast } from "./notices.js";

const NAME = "bareme:v1:submitted";
const WITHIN_MS = 10 * 60 * 1000;
let last = null;

/** Read what this tab submitted, or kept for later, last; with a value, remember that instead. */
export function remembered(value) {
  try {
    if (value) sessionStorage.setItem(NAME, JSON.stringify(value));
    else if (value !== undefined) sessionStorage.removeItem(NAME);
    return JSON.parse(sessionStorage.getItem(NAME));
  } catch {
    return null;
  }
}

/** Said once, on the study's next page; undone from there for ten minutes (see `takeBack`). */
export function offerToTakeBack(session, study) {
  const submission = remembered();
  if (!submission || submission.user !== session.user || submission.study !== study || Date.now() - submission.at > WITHIN_MS) return;
  if (submission.isTakenBack) {
    remembered(null);
    return toast(say(submission.isLater ? "undone" : "takenBack", submission));
  }
  last = { ...submission, session };
  if (submission.isSaid) return;
  remembered({ ...submission, isSaid: true });
  takeBack();
}

/**
 * Take the last submission of this tab back and go to its pair, where the foot offers just that; otherwise offer it,
 * so that one "Z" too many among the answers of this pair does nothing to another. False where there is none.
 */
export function takeBack() {
  if (!last) return false;
  if (!isOffered(takeBack)) {
    toast(say(last.isLater ? "keptForLater" : "submittedNow", last), takeBack);
    return true;
  }
  const { session, ...submission } = last;
  last = null;
  send(submission, session);
  return true;
}

async function send(submission, session, isSecondTry = false) {
  const { url, number, submission: index, user, isLater } = submission;
  const headers = { Accept: "application/json", "X-CSRFToken": session.token };
  if (!isLater) headers["Content-Type"] = "application/json";
  const body = isLater ? new URLSearchParams({ take_up: "1" }) : JSON.stringify({ number, submission: index, user });
  const answer = await fetch(url, { method: "POST", body, headers }).catch(() => null);
  const members = (await answer?.json().catch(() => null)) ?? {};
  if (answer?.ok) {
    remembered(null);
    // Another window has taken it back, or something else stands there by now.
    if (members.taken_back === false) return toast(say("notTakenBack"));
    // Said where one arrives.
    remembered({ ...submission, isTakenBack: true });
    return location.assign(members.url ?? members.next_url);
  }
  if (answer?.status === 403 && !isSecondTry && members.type !== "other_user") {
    await session.renew().catch(() => {});
    return send(submission, session, true);
  }
  return toast(members.problems?.[0]?.message ?? members.title ?? say("notTakenBack"));
}
