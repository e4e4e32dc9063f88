// The log-in behind a page that is no judging page: whose it is, how long it lasts, its token. Asking about it does not
// prolong it.

import { spoken } from "./language.js";
import { Halt, TIMEOUT_MS, Unreached, isRefusal } from "./outbox.js";

export class QuietSession {
  constructor({ user, sessionUrl }) {
    Object.assign(this, { user, url: sessionUrl, token: "", key: "" });
  }

  renew() {
    return this.ask("GET");
  }

  /** What the server says of it; a POST prolongs it. Raises `Halt` where it has ended or is somebody else's, `Unreached`. */
  async ask(method) {
    const headers = { Accept: "application/json", "X-CSRFToken": this.token, ...spoken };
    const options = { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) };
    const answer = await fetch(this.url, options).catch(() => null);
    const body = await answer?.json().catch(() => null);
    if (answer?.status === 401 && isRefusal(body)) throw new Halt("login");
    if (!answer?.ok || !body) throw new Unreached();
    this.isOthers = body.user !== this.user;
    if (this.isOthers) throw new Halt("other_user");
    Object.assign(this, { token: body.csrf_token, key: body.copy_key });
    return body;
  }
}
