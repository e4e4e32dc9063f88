// What one does with a pair beside judging it: keep it for later, write something down for oneself. The note is asked
// for when its field is opened, and saved by itself; what could not be sent waits on this computer, sealed like answers.

import { mend, say } from "./form.js";
import { toast } from "./notices.js";
import { remembered } from "./taking-back.js";
import { measure } from "./too-long.js";
import { ask, merged } from "../platform/notes.js";
import { isRefusal, storable } from "../platform/outbox.js";

const PAUSE_MS = 800;
const AGAIN_MS = 5000;

/** Keep the pair of this `page` for later, which the next one says; whether the page is left: without a network it stays. */
export async function keepForLater(form, page, session, leave) {
  const button = form.querySelector("button");
  if (button.disabled) return true;
  button.disabled = true;
  try {
    await leave();
    const { ok, status, body } = await ask(form.action, session, new URLSearchParams());
    if (ok) {
      const { user, study, pairName: pair } = page;
      remembered({ user, study, pair, url: form.action, isLater: true, at: Date.now() });
      location.assign(body.next_url);
      return true;
    }
    if (status === 401) session.askLogin();
    else toast(body.title ?? say("unreachable"));
  } catch {
    toast(say("laterFailed"));
  }
  button.disabled = false;
  return false;
}

export class Note {
  /** For a box that has just been opened. */
  constructor(box, url, session, store) {
    Object.assign(this, { box, url, session, store, revision: null, stored: "", isSending: false, timer: 0 });
    this.field = this.box.querySelector("textarea");
    this.state = this.box.querySelector("[role=status]");
    this.box.addEventListener("toggle", () => this.toggled());
    this.box.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    for (const kind of ["input", "change"]) {
      this.field.addEventListener(kind, (event) => {
        mend(event);
        this.changed();
      });
    }
    window.addEventListener("online", () => this.send());
    window.addEventListener("pagehide", () => this.send());
    window.addEventListener("beforeunload", (event) => this.isUnsent && !this.isKept && event.preventDefault());
    // Typed before this script was there.
    if (this.isUnsent) this.changed();
    this.toggled();
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
      const { ok, status, body } = await ask(this.url, this.session);
      if (status === 404 && isRefusal(body)) return void this.refused(body);
      if (!ok) throw new Error(body.title);
      Object.assign(this, { revision: body.revision, stored: body.text });
      // What was typed while it was on its way stands below it.
      const typed = this.field.value;
      this.field.value = [body.text, typed].filter(Boolean).join("\n");
      this.tell("");
      if (typed) this.changed();
    } catch {
      await this.adopt();
      this.wait();
      this.later(() => this.load());
    }
  }

  /** What an earlier page left, as long as the server does not answer: it goes on as this page's own. */
  async adopt() {
    const left = (await this.store.orphanNotes()).filter(({ note }) => note.url === this.url);
    if (!left.length) return;
    this.field.value = [...left.map(({ note }) => note.text).reverse(), this.field.value].filter(Boolean).join("\n");
    await this.keep();
    for (const copy of left) await this.store.remove(copy);
  }

  get copy() {
    const { store, url, revision, field } = this;
    return { page: `${store.page}:note`, owner: store.page, note: { url, base_revision: revision, text: field.value } };
  }

  async keep() {
    this.isKept = false;
    this.isKept = await this.store.put(this.copy);
  }

  /** The pair is not this person's any more, which the server says: no wait helps. What was typed stays here. */
  refused({ title }) {
    this.state.textContent = title;
  }

  wait() {
    this.tell(this.isUnsent && this.isKept ? "noteKept" : "noteWaits");
  }

  changed() {
    clearTimeout(this.timer);
    measure(this.field);
    if (!this.isUnsent) return void this.store.remove(this.copy);
    this.keep();
    this.tell("noteUnsaved");
    this.timer = setTimeout(() => this.send(), PAUSE_MS);
  }

  async send() {
    if (!this.isUnsent || this.isSending || !this.field.validity.valid) return;
    if (this.revision === null) {
      this.load();
      return;
    }
    this.isSending = true;
    const text = storable(this.field.value);
    try {
      const request = { text, base_revision: this.revision, user: this.session.user };
      const { ok, status, body } = await ask(this.url, this.session, request);
      if (status === 404 && isRefusal(body)) return void this.refused(body);
      if (status === 409 && body.current) this.merge(body.current);
      else if (!ok) throw new Error(body.title);
      else Object.assign(this, { revision: body.revision, stored: text });
      if (storable(this.field.value) === text) this.stored = this.field.value;
      this.tell(this.isUnsent ? "noteUnsaved" : "noteSaved");
      if (!this.isUnsent) await this.store.remove(this.copy);
      if (this.isUnsent) this.later(() => this.send(), PAUSE_MS);
    } catch {
      this.wait();
      this.session.renew().catch(() => {});
      this.later(() => this.send());
    } finally {
      this.isSending = false;
    }
  }

  /** Another window wrote too: both stay, theirs first. */
  merge(current) {
    this.field.value = merged(current, { text: this.field.value });
    Object.assign(this, { revision: current.revision, stored: current.text });
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
