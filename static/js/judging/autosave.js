// When to save and what to say about it. Every change is at once written to this computer, then sent: a moment after
// the last one, at most every few seconds, at once when the page goes away.

import { Halt, Unreached, deliver, fingerprint, isDirty } from "../platform/outbox.js";
import { say } from "./form.js";

const PAUSE_MS = 800;
const APART_MS = 5000;
// While somebody types, the line does not change with every letter.
const QUIET_MS = 200;
const RETRY_SECONDS = [1, 2, 4, 8, 16, 30];
// What another answer may mend; the other halts wait for a person.
const MENDABLE = new Set(["refused", "malformed", "too_large"]);
// What is not sent before somebody has chosen, or not at all.
const STUCK = {
  stale: "undecided",
  other_user: "undecided",
  closed: "unsendable",
  gone: "unsendable",
  malformed: "unsendable",
  too_large: "unsendable",
};

export class Autosave {
  /** `copy` is this page's own; `on` holds what to do when something is saved or needs a person. */
  constructor(copy, { store, session, clock, on }) {
    Object.assign(this, { copy, store, session, clock, on });
    this.status = new SaveStatus();
    this.timer = this.failures = this.turn = 0;
    this.sentAt = -APART_MS;
    this.running = null;
    this.isLeaving = false;
    this.halted = "";
    // Whether what stands here now is on this computer's disk: null while it is being written.
    this.isKept = true;
  }

  get isUnsent() {
    return Boolean(this.copy.sent) || isDirty(this.copy);
  }

  changed(answers) {
    const { copy } = this;
    if (fingerprint(answers) === fingerprint(copy.answers)) return;
    Object.assign(copy, { answers, changed_at: Date.now(), intent: "draft" });
    if (!this.isUnsent) {
      this.turn += 1;
      this.store.remove(copy);
      this.status.show("saved");
      return;
    }
    this.keep();
    if (MENDABLE.has(this.halted)) this.halted = "";
    this.showLocal();
    // While the server is away, the next attempt is planned already.
    if (this.failures || this.halted) return;
    const now = performance.now();
    if (!this.timer) this.dirtySince = now;
    const pause = Math.min(PAUSE_MS, this.dirtySince + APART_MS - now);
    this.schedule(Math.max(pause, this.sentAt + APART_MS - now));
  }

  keep() {
    this.copy.active_seconds = this.clock.seconds;
    const turn = ++this.turn;
    const since = performance.now();
    this.isKept = null;
    const kept = this.store.put(this.copy);
    kept.then((isKept) => {
      // What changed since is being written in its turn, and says so itself.
      if (turn !== this.turn) return;
      this.isKept = isKept;
      setTimeout(() => turn === this.turn && this.showKept(), QUIET_MS - (performance.now() - since));
    });
    // A page that is going cannot wait for it.
    return this.isLeaving ? null : kept;
  }

  showKept() {
    if (this.isUnsent && !this.status.isSending) this.showLocal();
  }

  schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), delay);
  }

  get backOff() {
    return RETRY_SECONDS[Math.min(this.failures, RETRY_SECONDS.length) - 1] * 1000;
  }

  retry() {
    if (this.halted === "login") this.halted = "";
    return this.flush();
  }

  /** The page goes out of sight, perhaps for good. */
  leave() {
    if (!this.isUnsent || this.running || this.halted) return;
    this.isLeaving = true;
    this.flush().finally(() => (this.isLeaving = false));
  }

  /** Submit what stands here; the same submission however often it is asked for. */
  submit() {
    if (this.copy.intent !== "submit") {
      this.copy.intent = "submit";
      this.copy.changed_at = Date.now();
      // Behind a save that is on its way already, this is on the disk as well.
      if (this.copy.sent) this.keep();
    }
    return this.flushNow();
  }

  /** Because somebody asked for it: even where an earlier answer had halted us. */
  flushNow() {
    this.halted = "";
    this.failures = 0;
    if (this.copy.intent === "submit" && !this.on.isHeld()) this.on.submitting();
    return this.flush();
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.halted) return Promise.resolve();
    // What changes while a save is under way is sent by the same loop.
    this.running ??= this.run().finally(() => (this.running = null));
    return this.running;
  }

  async run() {
    if (!this.isUnsent) return;
    if (this.on.isHeld()) {
      this.halted = "malformed";
      return void this.showLocal();
    }
    this.sentAt = performance.now();
    this.status.show(this.copy.intent === "submit" ? "submitting" : "sending");
    const { store, session } = this;
    try {
      // The disk may have room again.
      if (this.isKept === false) await this.keep();
      let isSubmitted = false;
      const onSaved = (body, kind) => {
        isSubmitted ||= kind === "submit";
        this.on.saved(body, kind);
      };
      const last = await deliver(this.copy, { store, session, keep: () => this.keep(), onSaved });
      this.failures = 0;
      this.isFull = false;
      this.saved(last.body);
      if (last.kind === "submit") this.on.submitted(last.body);
      // Submitted, and changed since: the server's page says which is in force.
      else if (isSubmitted) location.reload();
    } catch (error) {
      if (error instanceof Unreached) this.unreached(error);
      else if (error instanceof Halt) this.halt(error);
      else throw error;
    }
  }

  saved({ saved_at_text: time }) {
    this.status.show("saved", time);
  }

  showLocal() {
    if (STUCK[this.halted] && this.isKept !== false) return this.status.show(STUCK[this.halted]);
    const isAway = this.failures > 0 || Boolean(this.halted);
    if (this.isFull && this.isKept) return this.status.show("full");
    return this.status.showLocal({ isKept: this.isKept, isSubmission: this.copy.intent === "submit", isAway });
  }

  unreached({ isFull }) {
    this.failures += 1;
    this.isFull = isFull;
    this.showLocal();
    this.schedule(this.backOff);
    this.on.unreached();
  }

  halt({ reason, body = {} }) {
    this.halted = reason;
    if (reason === "refused") {
      if (!this.isUnsent) this.store.remove(this.copy);
      this.saved(body);
    } else {
      this.keep();
      this.showLocal();
    }
    // Somebody may log in again in another window.
    if (reason === "login") setTimeout(() => this.retry(), 30000);
    this.on.halted(reason, body);
  }
}

// One line that always says where the answers are: on the server and since when, or only here. It never says that
// they are kept before the disk has them.

// How each state is coloured; the sentence says it in words.
const SHADES = {
  submitting: "sending",
  submitWaiting: "local",
  waiting: "local",
  notKept: "problem",
  undecided: "problem",
  unsendable: "problem",
  full: "problem",
  overtaken: "problem",
};
// What comes and goes while one types is to be seen, not to be read aloud.
const ROUTINE = new Set(["pending", "kept", "sending", "waiting"]);

export class SaveStatus {
  constructor() {
    this.line = document.getElementById("save-status");
    this.aloud = document.getElementById("save-aloud");
    this.time = "";
    this.isSending = false;
  }

  /** `state` names a sentence; a saved state may bring its time of day. */
  show(state, time = this.time) {
    this.time = time;
    this.isSending = state === "sending" || state === "submitting";
    this.line.dataset.state = SHADES[state] ?? state;
    const text = state === "saved" && !time ? "" : say(state, { time });
    if (this.line.textContent === text) return;
    this.line.textContent = this.line.title = text;
    if (!ROUTINE.has(state)) this.aloud.textContent = text;
  }

  /** Not sent yet: is it kept (null: not known yet), is the server away, and as what will it be sent? */
  showLocal({ isKept, isSubmission, isAway }) {
    if (isKept === false) this.show("notKept");
    else if (isSubmission) this.show(isAway ? "submitWaiting" : "submitting");
    else if (isAway) this.show(isKept ? "local" : "waiting");
    else this.show(isKept ? "kept" : "pending");
  }
}
