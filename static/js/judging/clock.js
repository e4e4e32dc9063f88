// Active time on this pair: it runs while the page is visible and somebody did something within the
// last minute. Past the study's guidance it says so, quietly, once.

import { say } from "./form.js";

const IDLE_MS = 60000;
const KEEP_EVERY = 5;
const KEPT = "bareme:v2:seconds";
// Named by position, which a pair may share with one that stood there before it: nobody can say whose these are.
const FORMER = "bareme:v1:seconds:";

export class Clock {
  constructor({ name, seconds, guidance }) {
    this.name = name;
    dropFormer();
    this.elapsed = Math.max(seconds, keptSeconds(name));
    this.guidance = guidance;
    this.shown = document.querySelector("[data-clock]");
    this.notice = document.getElementById("guidance");
    this.seen = performance.now();
    this.ticked = this.seen;
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "scroll"]) {
      document.addEventListener(kind, () => this.wake(), { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", () => this.tick());
    this.timer = setInterval(() => this.tick(), 1000);
    this.show();
  }

  get seconds() {
    return Math.floor(this.elapsed);
  }

  wake() {
    this.seen = performance.now();
  }

  tick() {
    const now = performance.now();
    // A machine that slept comes back with one long tick; that time was not spent here.
    const passed = Math.min((now - this.ticked) / 1000, 2);
    this.ticked = now;
    if (document.visibilityState !== "visible" || now - this.seen > IDLE_MS) return void this.breaks?.rest();
    const before = this.seconds;
    this.elapsed += passed;
    this.breaks?.work(passed);
    if (this.seconds === before) return;
    this.show();
    if (this.seconds % KEEP_EVERY === 0) keptSeconds(this.name, this.elapsed);
  }

  show() {
    const [minutes, seconds] = [Math.floor(this.seconds / 60), this.seconds % 60];
    this.shown.textContent = `${minutes}:${String(seconds).padStart(2, "0")}`;
    if (this.guidance && this.seconds >= this.guidance && !this.notice.textContent) {
      this.notice.textContent = say("guidance", { minutes: Math.round(this.guidance / 60) });
    }
  }

  stop() {
    clearInterval(this.timer);
    keptSeconds(this.name, null);
  }
}

/** Seconds that were counted but not sent yet, by assignment. */
function keptSeconds(name, seconds) {
  const key = `${KEPT}:${name}`;
  try {
    if (seconds === undefined) return Number(localStorage.getItem(key)) || 0;
    if (seconds === null) localStorage.removeItem(key);
    else localStorage.setItem(key, String(Math.round(seconds)));
  } catch {
    // Only a little time is lost.
  }
  return 0;
}

function dropFormer() {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(FORMER)) localStorage.removeItem(key);
  } catch {
    // Nothing is read from them.
  }
}
