// One line that always says where the answers are: on the server and since when, or only here. It never says that
// they are kept before the disk has them.

import { say } from "./form.js";

// How each state is coloured; the sentence says it in words.
const SHADES = {
  submitting: "sending",
  submitWaiting: "local",
  waiting: "local",
  notKept: "problem",
  undecided: "problem",
  unsendable: "problem",
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
