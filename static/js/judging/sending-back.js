// What taking back asks of the server: fetched when it is asked for.

import { say } from "./form.js";
import { toast } from "./notices.js";
import { remembered } from "./taking-back.js";
import { spoken } from "../platform/language.js";
import { TIMEOUT_MS, Unreached, isRefusal } from "../platform/outbox.js";

/** Take back what this tab did last with a pair, and go there. Raises `Unreached`. */
export async function sendBack(submission, session, isSecondTry = false) {
  const { url, number, submission: index, user, isLater } = submission;
  const headers = { Accept: "application/json", "X-CSRFToken": session.token, ...spoken };
  if (!isLater) headers["Content-Type"] = "application/json";
  const body = isLater ? new URLSearchParams({ take_up: "1" }) : JSON.stringify({ number, submission: index, user });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { method: "POST", body, headers, signal }).catch(() => null);
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
    return sendBack(submission, session, true);
  }
  // A proxy that answers while the server starts anew says nothing of the pair.
  if (!isRefusal(members) || answer.status >= 500) throw new Unreached(answer?.status);
  return toast(members.problems?.[0]?.message ?? members.title ?? say("notTakenBack"));
}
