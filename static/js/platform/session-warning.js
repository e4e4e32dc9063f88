// A word before the log-in ends, and once it has, on every page but the judging page (which also logs in again in place).
// Nothing here loads the page anew: what somebody has typed is on this page alone.

import { Halt } from "./outbox.js";
import { QuietSession } from "./quiet-session.js";

const WARN_SECONDS = 300;
const RETRY_MS = 15000;
const MAX_DELAY_MS = 2 ** 31 - 1;
// As on the judging page (keyboard.js).
const PAUSE_MS = 1800;
const POLL_MS = 100;

const warning = document.getElementById("session-warning");
const ended = document.getElementById("session-ended");
const problem = warning.querySelector("[data-problem]");
const session = new QuietSession(warning.dataset);
let timer = 0;
let isEnded = false;
let typedAt = -PAUSE_MS;
/** The dialog that is to open; another takes its place, and so does that all is well. */
let wanted = null;

for (const kind of ["keydown", "input"]) {
  document.addEventListener(kind, () => (typedAt = performance.now()), { capture: true });
}

/** Once nobody is writing: it takes the focus, and the rest of their sentence would be lost in it. */
async function open(dialog) {
  wanted = dialog;
  const isWriting = () => document.activeElement?.matches(":read-write") && performance.now() - typedAt < PAUSE_MS;
  while (isWriting()) await new Promise((done) => setTimeout(done, POLL_MS));
  if (wanted === dialog && !dialog.open) dialog.showModal();
}

function plan(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(check, Math.min(Math.max(0, milliseconds), MAX_DELAY_MS));
}

const planWarning = (seconds) => plan((seconds - WARN_SECONDS) * 1000);

// Another tab may have renewed the session in the meantime, or have logged in again: the server knows.
async function check() {
  try {
    const { seconds_left: left } = await session.renew();
    goOn();
    if (left > WARN_SECONDS + 30) return planWarning(left);
    open(warning);
    // It says whole seconds.
    plan((left + 1) * 1000);
  } catch (error) {
    if (error instanceof Halt) end(error.reason);
    else plan(RETRY_MS);
  }
  return undefined;
}

/** The log-in is this person's still, or again. Its forms may be of one that ended since. */
function goOn() {
  isEnded = false;
  wanted = null;
  problem.hidden = true;
  ended.close();
  for (const input of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) input.value = session.token;
}

function end(reason) {
  clearTimeout(timer);
  warning.close();
  for (const part of ended.querySelectorAll("[data-reason]")) part.hidden = part.dataset.reason !== reason;
  // Who has closed it is copying what they typed.
  if (!isEnded) open(ended);
  isEnded = true;
}

warning.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await session.renew();
    const { seconds_left: left } = await session.ask("POST");
    goOn();
    warning.close();
    planWarning(left);
  } catch (error) {
    if (error instanceof Halt) end(error.reason);
    else problem.hidden = false;
  }
});

// The server would send whoever is not logged in to the log-in, without what they sent.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (!isEnded || form.getAttribute("method") !== "post" || "logout" in form.dataset) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!ended.open) ended.showModal();
    check();
  },
  { capture: true },
);
window.addEventListener("focus", () => isEnded && check());
for (const dialog of [warning, ended]) dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
planWarning(Number(warning.dataset.seconds));
