// "Pair 12 submitted · Undo", on the page that comes after a submission: this tab's last one, for ten minutes.

import { say } from "./form.js";
import { toast } from "./notices.js";

const NAME = "bareme:v1:submitted";
const WITHIN_MS = 10 * 60 * 1000;
let last = null;

/** Read what this tab submitted last; with a value, remember that instead. */
export function remembered(value) {
  try {
    if (value?.number) sessionStorage.setItem(NAME, JSON.stringify(value));
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
  last = { ...submission, session };
  if (submission.isSaid) return;
  remembered({ ...submission, isSaid: true });
  toast(say("submittedNow", submission), () => void takeBack());
}

/** Take the last submission of this tab back and go to its pair; false where there is none. */
export function takeBack() {
  if (!last) return false;
  const { url, number, submission, user, session } = last;
  last = null;
  send(url, { number, submission, user }, session);
  return true;
}

async function send(url, body, session, isSecondTry = false) {
  const headers = { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": session.token };
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body), headers }).catch(() => null);
  const members = (await answer?.json().catch(() => null)) ?? {};
  if (answer?.ok) {
    remembered(null);
    // Another window has taken it back, or something else stands there by now.
    if (members.taken_back === false) return toast(say("notTakenBack"));
    return location.assign(members.url);
  }
  if (answer?.status === 403 && !isSecondTry && members.type !== "other_user") {
    await session.renew().catch(() => {});
    return send(url, body, session, true);
  }
  return toast(members.problems?.[0]?.message ?? members.title ?? say("notTakenBack"));
}
