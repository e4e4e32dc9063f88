// How long somebody has worked today and since their last break, over all their pairs and windows on this computer. Past
// the length that they chose a word stands in the bar; nothing else happens. Fetched when everything else is there.

import { say } from "./form.js";

const KEEP_EVERY = 5;
// So long without anything done is a break.
const REST_MS = 5 * 60000;

export class Breaks {
  /** Of the judging page, which says who works there and how long they work without a break. */
  constructor({ user, breakMinutes }) {
    Object.assign(this, { name: `bareme:v1:worked:${user}`, limit: breakMinutes * 60, unkept: 0 });
    this.line = document.getElementById("break-hint");
    document.addEventListener("visibilitychange", () => this.rest());
  }

  get day() {
    const now = new Date();
    return `${now.getFullYear()}-${now.getMonth() + 1}-${now.getDate()}`;
  }

  /** So many active seconds more. */
  work(seconds) {
    this.unkept += seconds;
    if (this.unkept < KEEP_EVERY) return;
    const worked = this.read();
    if (worked.day !== this.day) Object.assign(worked, { day: this.day, today: 0 });
    if (Date.now() - worked.at > REST_MS) worked.since = 0;
    worked.today += this.unkept;
    worked.since += this.unkept;
    worked.at = Date.now();
    this.unkept = 0;
    this.write(worked);
    this.show(worked);
  }

  /** Nothing was done for a while: after a break no word of it is due. */
  rest() {
    if (this.line?.textContent && Date.now() - this.read().at > REST_MS) this.line.textContent = "";
  }

  show({ today, since }) {
    if (!this.line) return;
    const isDue = this.limit > 0 && since >= this.limit;
    const text = isDue ? say("breakDue", { today: Math.floor(today / 60), since: Math.floor(since / 60) }) : "";
    if (this.line.textContent !== text) this.line.textContent = text;
  }

  read() {
    const empty = { day: this.day, today: 0, since: 0, at: Date.now() };
    try {
      return { ...empty, ...JSON.parse(localStorage.getItem(this.name) ?? "{}") };
    } catch {
      return this.kept ?? empty;
    }
  }

  write(worked) {
    this.kept = worked;
    try {
      localStorage.setItem(this.name, JSON.stringify(worked));
    } catch {
      // Counted within this page only then.
    }
  }
}
