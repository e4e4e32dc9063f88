// What one does with a pair beside judging it: keep it for later, write something down for oneself. The note is asked
// for when its field is opened, and saved by itself; what could not be sent waits in the page and is sent again.

import { say } from "./form.js";
import { mention } from "./notices.js";

const PAUSE_MS = 800;
const AGAIN_MS = 5000;
const TIMEOUT_MS = 20000;

async function ask(url, session, body = null) {
  const options = { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT_MS) };
  if (body !== null) {
    const isForm = body instanceof URLSearchParams;
    Object.assign(options, { method: "POST", body: isForm ? body : JSON.stringify(body), keepalive: true });
    options.headers["X-CSRFToken"] = session.token;
    if (!isForm) options.headers["Content-Type"] = "application/json";
  }
  const answer = await fetch(url, options);
  return { ok: answer.ok, status: answer.status, body: await answer.json() };
}

/** The button that keeps the pair for later; without a network the page stays. */
export function bindLater(session, leave) {
  const form = document.getElementById("later-form");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.disabled) return;
    button.disabled = true;
    try {
      await leave();
      const { ok, body } = await ask(form.action, session, new URLSearchParams());
      if (ok) return location.assign(body.next_url);
      mention(body.title ?? say("unreachable"));
    } catch {
      mention(say("laterFailed"));
    }
    button.disabled = false;
    return undefined;
  });
}

export class Note {
  constructor(page, session) {
    Object.assign(this, { url: page.noteUrl, session, revision: null, stored: "", isSending: false, timer: 0 });
    this.box = document.getElementById("private-note");
    if (!this.box) return;
    this.field = this.box.querySelector("textarea");
    this.state = this.box.querySelector("[role=status]");
    this.box.addEventListener("toggle", () => this.toggled());
    this.box.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    this.field.addEventListener("input", () => this.changed());
    window.addEventListener("online", () => this.send());
    window.addEventListener("pagehide", () => this.send());
    window.addEventListener("beforeunload", (event) => this.isUnsent && event.preventDefault());
  }

  get isUnsent() {
    return this.field.value !== this.stored;
  }

  toggled() {
    if (!this.box.open) return;
    this.field.focus();
    this.load();
  }

  close() {
    this.box.open = false;
    this.box.querySelector("summary").focus();
  }

  async load() {
    if (this.revision !== null) return;
    try {
      const { ok, body } = await ask(this.url, this.session);
      if (!ok) throw new Error(body.title);
      Object.assign(this, { revision: body.revision, stored: body.text });
      // What was typed while it was on its way stands below it.
      const typed = this.field.value;
      this.field.value = [body.text, typed].filter(Boolean).join("\n");
      this.tell("");
      if (typed) this.changed();
    } catch {
      this.tell("noteWaits");
      this.later(() => this.load());
    }
  }

  changed() {
    clearTimeout(this.timer);
    if (!this.isUnsent) return;
    this.tell("noteUnsaved");
    this.timer = setTimeout(() => this.send(), PAUSE_MS);
  }

  async send() {
    if (!this.isUnsent || this.isSending) return;
    if (this.revision === null) {
      this.load();
      return;
    }
    this.isSending = true;
    const text = this.field.value;
    try {
      const sent = { text, base_revision: this.revision, user: this.session.user };
      const { ok, status, body } = await ask(this.url, this.session, sent);
      if (status === 409) this.merge(body.current);
      else if (!ok) throw new Error(body.title);
      else Object.assign(this, { revision: body.revision, stored: text });
      this.tell(this.isUnsent ? "noteUnsaved" : "noteSaved");
      if (this.isUnsent) this.later(() => this.send(), PAUSE_MS);
    } catch {
      this.tell("noteWaits");
      this.session.renew().catch(() => {});
      this.later(() => this.send());
    } finally {
      this.isSending = false;
    }
  }

  /** Another window wrote too: both stay, theirs first. */
  merge(current) {
    const mine = this.field.value;
    Object.assign(this, { revision: current.revision, stored: current.text });
    this.field.value = mine.includes(current.text) ? mine : `${current.text}\n${mine}`;
  }

  later(act, delay = AGAIN_MS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, delay);
  }

  tell(state) {
    const text = state ? say(state) : "";
    if (this.state.textContent !== text) this.state.textContent = text;
  }
}
