// The answers given to this pair, one after the other: each can be taken back and given again, to any depth.
// What is typed into one field in one go is one answer; while one types, the browser's own undo is at hand.

import { fingerprint } from "../platform/outbox.js";

export class History {
  /** `apply` puts answers on the page; it is told what stood there before. */
  constructor(answers, apply) {
    Object.assign(this, { apply, now: answers, past: [], next: [], field: "" });
  }

  /** New answers; `field` names the text field that is being typed into, if any. */
  note(answers, field = "") {
    if (fingerprint(answers) === fingerprint(this.now)) return;
    if (!field || field !== this.field) this.past.push(this.now);
    Object.assign(this, { now: answers, next: [], field });
  }

  /** What comes next is another answer, even in the same field. */
  pause() {
    this.field = "";
  }

  /** Take the last answer back; false where there is none. */
  undo() {
    return this.go(this.past, this.next);
  }

  redo() {
    return this.go(this.next, this.past);
  }

  go(from, to) {
    if (!from.length) return false;
    const before = this.now;
    to.push(before);
    this.now = from.pop();
    this.field = "";
    this.apply(this.now, before);
    return true;
  }
}
