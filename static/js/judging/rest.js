// A pair is at rest from the moment it is submitted until that is answered: nothing changes its answers then. After that,
// and on a pair that one comes to from another, keys rest until nobody types: fingers are faster than a page, and a digit
// that was meant for one pair is no answer to another, nor to what nobody has read yet.

import { say } from "./form.js";
import { TYPING } from "./keyboard.js";
import { mention, unread } from "./notices.js";
import { SETTLE_MS } from "./steps.js";
import { TIMEOUT_MS } from "../platform/outbox.js";

const PAIR = /\/annotate\/[^/]+\/\d+\/$/;
const ACTING = /^(?:.|Enter|Backspace|Delete)$/u;
const PRESSED = "a, button, summary, input[type=checkbox], input[type=radio]";

export class Rest {
  constructor(main, form, user) {
    Object.assign(this, { main, form, timer: 0 });
    // Before any field hears of it.
    document.addEventListener("keydown", (event) => this.hold(event), { capture: true });
    // The next page is there too soon for it to be read here.
    window.addEventListener("pagehide", () => this.isOn && this.early && unread.add(user, this.early));
    if (PAIR.test(document.referrer)) this.settle();
    else this.wake();
  }

  get isOn() {
    return this.form.inert;
  }

  /** Until `end`: what comes of so many requests, each of which may take its time, keeps nobody from their pair longer. */
  begin(requests = 1) {
    if (!this.isOn) this.from = document.activeElement;
    this.form.inert = true;
    this.until(requests * TIMEOUT_MS, () => this.end());
  }

  end() {
    if (!this.isOn) return;
    this.form.inert = false;
    this.early = null;
    if (document.activeElement === document.body) this.from.focus({ preventScroll: true });
    this.settle();
  }

  settle() {
    this.until(SETTLE_MS, () => this.wake());
  }

  until(delay, act) {
    this.main.dataset.resting = "";
    clearTimeout(this.timer);
    this.timer = setTimeout(act, delay);
  }

  wake() {
    delete this.main.dataset.resting;
    this.main.dataset.ready = "1";
  }

  /** A key that would answer, or go on to what answers. What is typed in a field is typed, and what has the focus to be
      pressed is pressed. */
  hold(event) {
    const { key, target, repeat } = event;
    const { main, form } = this;
    if (!("resting" in main.dataset) || event.ctrlKey || event.metaKey || event.altKey || !ACTING.test(key)) return;
    const isHere = target === document.body || target === main || form.contains(target) || target.closest("[data-side]");
    const isOwn = target.matches(TYPING) || (/^(?:Enter| )$/.test(key) && target.matches(PRESSED));
    if (!isHere || isOwn || document.querySelector("dialog:modal")) return;
    event.preventDefault();
    event.stopPropagation();
    if (!this.isOn) this.settle();
    if (key.length > 1 || repeat) return;
    this.early = [say("tooEarly")];
    mention(...this.early);
  }
}
