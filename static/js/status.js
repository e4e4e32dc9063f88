// One line that always says where the answers are: on the server and since when, or only here.

import { say } from "./form.js";

// How each state is coloured; the sentence says it in words.
const SHADES = { submitting: "sending", submitWaiting: "local", notKept: "problem" };

export class SaveStatus {
  constructor() {
    this.line = document.getElementById("save-status");
    this.time = "";
  }

  /** `state` names a sentence; a saved state may bring its time of day. */
  show(state, time = this.time) {
    this.time = time;
    this.line.dataset.state = SHADES[state] ?? state;
    const text = state === "saved" && !time ? "" : say(state, { time });
    // Only a real change is announced.
    if (this.line.textContent !== text) this.line.textContent = text;
  }

  /** Not sent yet: will it be kept, and sent as what? */
  showLocal({ isKept, isSubmission }) {
    if (!isKept) this.show("notKept");
    else this.show(isSubmission ? "submitWaiting" : "local");
  }
}
