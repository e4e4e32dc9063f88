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

/** Said once, on the study's next page; undone from there for ten minutes (see `takeBack`), by what `send` sends. */
export function offerToTakeBack(session, study, send) {
  const submission = remembered();
  if (!submission || submission.user !== session.user || submission.study !== study || Date.now() - submission.at > WITHIN_MS) return;
  if (submission.isTakenBack) {
    remembered(null);
    return toast(say(submission.isLater ? "undone" : "takenBack", submission));
  }
  last = { ...submission, send };
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
  const { send, ...submission } = last;
  const again = last;
  last = null;
  send(submission).catch(() => {
    last = again;
    toast(say("notTakenBack"), takeBack);
  });
  return true;
}
