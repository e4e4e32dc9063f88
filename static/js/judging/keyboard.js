// One place for every key. Bare letters and digits are never taken from a field that takes text;
// the two texts are no such field: nothing can be typed there. A key that is held acts once.


export const TYPING = "input:not([type=radio], [type=checkbox], [type=range], [type=button], [type=submit]), textarea";
// What moves about in a list and opens it is the browser's, whatever somebody has put on these keys; arrows, Tab, Enter
// and Escape nobody can.
const WITHIN_LIST = /^( |home|end|pageup|pagedown|f4)$/i;
const KEYS_OFF = "bareme:v1:keys-off";
const ACTS_BY_ITSELF = "button, a, summary, select, textarea";
// Everywhere else they take back and give again; in a field they stay the browser's own.
const ALWAYS = { "ctrl+z": "undo", "ctrl+y": "redo", "ctrl+shift+z": "redo" };
// Whoever writes a sentence rests no longer than this between two words.
const PAUSE_MS = 1800;
const POLL_MS = 100;

let typedAt = -PAUSE_MS;
const noteTyped = () => (typedAt = performance.now());
for (const kind of ["keydown", "input"]) document.addEventListener(kind, noteTyped, { capture: true });

/** Until nobody is writing: what opens takes the focus, and the rest of their sentence would be lost in it. They rest,
    leave the field, or submit or save by key. */
export async function pause() {
  const isWriting = () => document.activeElement?.matches(TYPING) && performance.now() - typedAt < PAUSE_MS;
  while (isWriting()) await new Promise((done) => setTimeout(done, POLL_MS));
}

/** Bind every key of the judging page. `actions` holds what each of the map's names does; false leaves the key alone. */
export function bindKeys({ keymap, actions, main, steps, marking, reading }) {
  const held = new Set();

  function enter(target) {
    if (target.matches("[data-side]")) marking?.enterText();
    else if (target.id !== "term" && !steps.settleNow()) steps.goOnFrom(target);
    return true;
  }

  function escape(target) {
    if (marking?.isOpen) marking.close();
    else if (!reading.escape() && target !== document.body) main.focus({ preventScroll: true });
    return true;
  }

  // On a closed list the browser's search by letters would rewrite the answer under a key that means something else
  // here ("O": go to the original), so no sign reaches it: the page's keys act as everywhere, and one that is none does
  // nothing. Digits choose in the list, as they do in the menu beside a passage: one that it does not have answers no
  // other question. With single keys switched off the search stays.
  function onList(event, name) {
    const { key, target } = event;
    if (WITHIN_LIST.test(key)) return false;
    steps.forget();
    marking?.follow();
    const isSign = key.length === 1;
    if (isSign && marking?.isOpen && marking.key(name)) return true;
    if (/^[0-9]$/.test(key)) return choose(target, Number(key));
    return run(actions[keymap.action(name)]) || isSign;
  }

  function act(event) {
    const { key, target } = event;
    const name = keyName(event);
    // An opened list has all its keys, its search too: who hears the page expects it there, the choice is in sight, and
    // nothing holds before it is taken.
    if (target.matches("select") && isOpened(target)) return false;
    if (event.ctrlKey || event.metaKey) {
      const typed = target.matches(TYPING) ? undefined : ALWAYS[name];
      const action = keymap.action(name) ?? typed;
      if (action) typedAt = -PAUSE_MS;
      return run(actions[action]);
    }
    if (key === "Escape") return escape(target);
    if (key === "Enter") return (!target.matches(ACTS_BY_ITSELF) || steps.isUnwritten(target)) && enter(target);
    if (target.matches(TYPING)) {
      // Whoever writes has left the field that took the digits before.
      steps.forget();
      return false;
    }
    if (!areSingleKeysOn() && !marking?.menu.contains(target)) return false;
    if (target.matches("select")) return onList(event, name);
    // What is selected at this very moment, whether or not the page was told of it yet: its menu comes first.
    marking?.follow();
    if (marking?.isOpen && key.length === 1 && marking.key(name)) return true;
    if (/^[0-9]$/.test(key) || (key === "-" && steps.field?.takesMinus)) return steps.digit(key);
    if (key.startsWith("Arrow") && target.matches(".step__title")) return steps.enterOptions();
    steps.forget();
    return run(actions[keymap.action(name)]);
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    if (document.querySelector("dialog:modal")) return;
    if (!main.contains(event.target) && event.target !== document.body) return;
    if (event.repeat) {
      // Pressed here or on the page before: either way it has had its turn. A button would answer each repetition.
      if (held.has(event.code) || (event.key === "Enter" && !event.target.matches("textarea"))) event.preventDefault();
      return;
    }
    if (!act(event)) return;
    held.add(event.code);
    event.preventDefault();
  });
  document.addEventListener("keyup", (event) => held.delete(event.code));
}

/** Keys without Ctrl can be switched off: who speaks to their computer would press them by accident. */
export function areSingleKeysOn(isOn) {
  try {
    if (isOn !== undefined) localStorage.setItem(KEYS_OFF, isOn ? "0" : "1");
    return localStorage.getItem(KEYS_OFF) !== "1";
  } catch {
    return true;
  }
}

/** Whether a list is dropped down. Chromium keeps its keys from the page then; Firefox does not, and says this from 136 on. */
function isOpened(select) {
  try {
    return select.matches(":open");
  } catch {
    return false;
  }
}

/** The nth that a list offers, after its first line, which offers nothing; true whether or not there is one. */
function choose(select, digit) {
  const option = digit && select.options[digit];
  if (option && !option.disabled) {
    select.value = option.value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }
  return true;
}

function run(handler) {
  return handler ? handler() !== false : false;
}

/** Press a control as its user would; false where it cannot be pressed now. */
export function press(input) {
  if (!input.checkVisibility() || !input.matches(":enabled")) return false;
  input.click();
  return true;
}

// Which key does what: as it is printed on the page, unless the person has chosen otherwise.

/** Same names and keys as annotation/web/judging/keys.py. */
export const DEFAULTS = {
  submit: "ctrl+enter",
  save: "ctrl+s",
  undo: "z",
  redo: "shift+z",
  back: "backspace",
  filter: "/",
  original: "o",
  simplification: "s",
  add_error: "e",
  keep: "k",
  move: "m",
  doubt: "u",
  later: "l",
  private_note: "n",
  renderings: "r",
  look_up: "y",
  voice: "v",
  differences: "d",
  term: "t",
  guide: "g",
  help: "?",
  attach: "a",
  find: "t",
};
// These act on selected words only, so that their keys may be those of others. The types of marks are the protocol's:
// each has its letter in the menu beside the words.
const ON_WORDS = /^(type_|attach$|find$)/;

/** A pressed key by its name: "g", "shift+z", "ctrl+enter". Shift counts where the key has no sign of its own for it. */
export function keyName({ key, ctrlKey, metaKey, shiftKey }) {
  const plain = key.toLowerCase();
  const isShifted = shiftKey && (key.length > 1 || plain !== key.toUpperCase());
  return `${ctrlKey || metaKey ? "ctrl+" : ""}${isShifted ? "shift+" : ""}${plain}`;
}

export const isOnWords = (action) => ON_WORDS.test(action);

const isTakenBy = (own, key) => Object.entries(own).some(([action, chosen]) => isOnWords(action) && chosen === key);

export class KeyMap {
  constructor(own = {}) {
    this.own = own;
    const letters = [...document.querySelectorAll("#error-menu [data-letter]")];
    const typed = letters.map(({ dataset, textContent }) => [dataset.key, textContent.toLowerCase()]);
    /** Every action with the key that is printed at first. */
    this.defaults = { ...DEFAULTS, ...Object.fromEntries(typed.filter(([action]) => action.startsWith("type_"))) };
  }

  /** A letter of marks that nobody chose yields to a chosen key; undefined then. */
  of(action) {
    const key = this.own[action] ?? this.defaults[action];
    const isTaken = action.startsWith("type_") && !this.own[action] && isTakenBy(this.own, key);
    return isTaken ? undefined : key;
  }

  /** What a key does on the page; undefined for nothing. */
  action(name) {
    return Object.keys(this.defaults).find((action) => !isOnWords(action) && this.of(action) === name);
  }

  /** Tell assistive technology: the controls carry the keys, their names do not. */
  announce(root) {
    const spoken = (name) => name.replace("ctrl", "Control").replace(/(^|\+)(.)/g, (whole, plus, letter) => plus + letter.toUpperCase());
    for (const control of root.querySelectorAll("[data-key]:not(kbd)")) {
      const name = this.of(control.dataset.key);
      if (name) control.setAttribute("aria-keyshortcuts", spoken(name));
    }
  }
}
