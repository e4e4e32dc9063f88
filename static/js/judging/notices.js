// What the page tells beside its controls: a passing message, a choice to make, problems at their fields.

import { say } from "./form.js";
import { pause } from "./keyboard.js";

const TOAST_MS = 8000;
let toastTimer = 0;
let undo = null;

const byId = (id) => document.getElementById(id);

/** A passing message; with `onUndo` it offers to take the thing back, with `link` ({ href, label }) a way on. One that
    `stays` is there until the next. */
export function toast(text, onUndo = null, link = null, stays = false) {
  const box = byId("toast");
  const button = box.querySelector("[data-undo]");
  const line = box.querySelector("[data-text]");
  line.textContent = link ? `${text} ` : text;
  if (link) line.append(Object.assign(document.createElement("a"), { href: link.href, textContent: link.label }));
  button.hidden = !onUndo;
  undo = onUndo;
  button.onclick = () => undo?.();
  box.setAttribute("data-shown", "");
  clearTimeout(toastTimer);
  if (!stays) toastTimer = setTimeout(hush, TOAST_MS);
}

/** Whether the foot offers to undo by `onUndo` right now. */
export const isOffered = (onUndo) => undo === onUndo && byId("toast").hasAttribute("data-shown");

/** What the message asked for is done: it is said no more. */
export function hush() {
  byId("toast").removeAttribute("data-shown");
  sayNext();
}

/** What waits for its annotator: asked now, and again at each attempt. Put off, it leaves a button in the bar. */
let waiting = null;

function mark() {
  const again = byId("choice-again");
  again.hidden = !waiting;
  again.onclick = () => waiting?.();
  byId("judge").toggleAttribute("data-waiting", Boolean(waiting));
}

/** `open` shows the question; it stays with the page until `settled`. */
export function ask(open) {
  remind(open);
  return open();
}

/** The same without asking now: the button in the bar is all. */
export function remind(open) {
  waiting = open;
  mark();
}

export function settled() {
  waiting = null;
  mark();
}

/** A sentence with buttons, in the middle of the window. Escape and "later" put it off. */
export function choice(text, actions) {
  const dialog = byId("choice-dialog");
  const show = async () => {
    await pause();
    // Another question came, or this one is answered.
    if (waiting !== show) return;
    dialog.querySelector("[data-text]").textContent = text;
    dialog.querySelector("[data-actions]").replaceChildren(...actions.map((action) => control(action, dialog)));
    if (!dialog.open) dialog.showModal();
  };
  ask(show);
}

function control({ label, act, href, download }, dialog) {
  const made = document.createElement(href ? "a" : "button");
  made.className = "button";
  made.textContent = label;
  if (href) Object.assign(made, { href, ...(download && { download }) });
  else {
    made.type = "button";
    made.addEventListener("click", () => {
      settled();
      dialog.close();
      byId("judge").focus({ preventScroll: true });
      act();
    });
  }
  return made;
}

/** For `choice`: take a copy of answers away as a file. */
export function download(copy) {
  const blob = new Blob([JSON.stringify(copy, null, 2)], { type: "application/json" });
  return { label: say("download"), href: URL.createObjectURL(blob), download: `${copy.study}-${copy.pair}.json` };
}

/** Sentences of `mention` that have not been said yet: one at a time, and none in place of what can still be undone. */
const unsaid = [];

function sayNext() {
  if (unsaid.length && !byId("toast").hasAttribute("data-shown")) toast(...unsaid.shift());
}

/** A sentence about another pair or window, with the way there: said in the foot, and kept behind a button in the bar. It
    comes while somebody reads, whose texts may not move. What stands there already is not said again. */
export function mention(text, href = "", isKnown = false) {
  const box = byId("other-notices");
  if ([...box.children].some(({ firstChild }) => firstChild.data === `${text} `)) return;
  const line = document.createElement("p");
  line.className = "notice";
  line.textContent = `${text} `;
  const link = href ? { href, label: say("openPair") } : null;
  if (link) line.append(Object.assign(document.createElement("a"), { href, textContent: link.label }));
  box.append(line);
  countMessages();
  if (isKnown) return;
  const sentence = [text, null, link];
  unsaid.push(sentence);
  sayNext();
  // Who hears the page need not wait until the foot is free; at rest, it says nothing to them.
  if (unsaid.includes(sentence) || byId("toast").closest("[inert]")) byId("messages-aloud").textContent = text;
}

export function countMessages() {
  const { length } = byId("other-notices").children;
  const messages = byId("messages");
  messages.hidden = !length;
  messages.querySelector("[data-count]").textContent = length;
}

/** What of other pairs is still to be sent, among the messages as long as it is; "" once nothing is. */
export function mentionWaiting(text) {
  const box = byId("other-notices");
  const former = box.querySelector("[data-waits]");
  if ((former?.textContent ?? "") === text) return;
  former?.remove();
  if (text) {
    const line = Object.assign(document.createElement("p"), { className: "notice notice--warn", textContent: text });
    line.dataset.waits = "";
    box.prepend(line);
    byId("messages-aloud").textContent = text;
  }
  countMessages();
}

const UNREAD = "bareme:v1:unread";
// One that waited for another to be said, and was said for too short a time.
const READ_MS = 5000 + TOAST_MS;

/** Sentences for `mention` that stood on this tab's page before for too short a time to be read. */
export const unread = {
  add(user, line) {
    this.write([...this.since(Date.now()), { user, line, at: Date.now() }]);
  },

  take(user) {
    const own = this.since(performance.timeOrigin).filter((notice) => notice.user === user);
    this.write([]);
    return own.map(({ line }) => line);
  },

  since(moment) {
    try {
      return (JSON.parse(sessionStorage.getItem(UNREAD)) ?? []).filter(({ at }) => at > moment - READ_MS);
    } catch {
      return [];
    }
  },

  write(lines) {
    try {
      sessionStorage.setItem(UNREAD, JSON.stringify(lines));
    } catch {
      // They stand on the page that was there.
    }
  },
};

const ROW = "[data-error], [data-edit]";
/** Of each problem that stands on the page: what it is of, and what says so (problems.js). */
export const shownProblems = new Set();

export function clearProblems() {
  shownProblems.clear();
  for (const box of document.querySelectorAll("[data-problems], [data-row-problems]")) box.replaceChildren();
  byId("problems").replaceChildren();
}

/** A control was answered, or a row goes: what was said of it is said no more. Whether it is right is found when it is
    submitted. Of a list that changed, the rows settle by themselves. */
export function settleProblems(control) {
  const isOf = ({ target }) =>
    target?.contains(control) || (control.contains(target) && (control.matches(ROW) || !target.closest(ROW)));
  for (const problem of shownProblems) {
    if (!isOf(problem)) continue;
    shownProblems.delete(problem);
    for (const element of [problem.said, problem.item]) element.remove();
  }
  if (!shownProblems.size) byId("problems").replaceChildren();
}
