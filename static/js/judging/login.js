// Logging in again without leaving the page: what the dialog sends. Fetched when it is sent, or kept before (keeping.js).

import { say } from "./form.js";
import { spoken } from "../platform/language.js";
import { TIMEOUT_MS, Unreached } from "../platform/outbox.js";

/** Log in with what stands in the form of this session's dialog; what is wrong is said there. */
export async function enter(session, form) {
  const problem = document.getElementById("login-problem");
  problem.hidden = true;
  try {
    const body = await tryLogin(session, new URLSearchParams(new FormData(form)));
    form.reset();
    session.login.querySelector("[data-code]").hidden = true;
    session.login.close();
    session.onLogin(body.user === session.user);
    session.check().catch(() => {});
  } catch (error) {
    problem.textContent = error instanceof Unreached ? say("unreachable") : error.message || say("loginRefused");
    problem.hidden = false;
  }
}

function askCode(session) {
  const field = session.login.querySelector("[data-code]");
  field.hidden = false;
  field.querySelector("input").focus();
}

async function tryLogin(session, fields, isSecondTry = false) {
  let answer;
  try {
    fields.set("csrfmiddlewaretoken", session.token);
    const headers = { Accept: "application/json", "X-CSRFToken": session.token, ...spoken };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    answer = await fetch(session.loginUrl, { method: "POST", body: fields, headers, signal });
  } catch {
    throw new Unreached();
  }
  const body = await answer.json().catch(() => null);
  if (answer.ok && body?.user) {
    session.isOthers = body.user !== session.user;
    if (body.user === session.user) session.token = body.csrf_token;
    return body;
  }
  if (answer.status === 403 && !isSecondTry) {
    await session.renew().catch(() => {});
    return tryLogin(session, fields, true);
  }
  if (answer.status === 429) throw new Error(say("locked"));
  if (!body) throw new Unreached();
  if (body.problems?.[0]?.field === "code") askCode(session);
  throw new Error(body.problems?.[0]?.message ?? body.title);
}
