// Which key does what: as it is printed on the page, unless the person has chosen otherwise.

/** Same names and keys as annotation/web/keys.py. */
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
  type_hallucination: "h",
  type_omission: "o",
  type_incoherence: "i",
  type_confusion: "c",
  attach: "a",
  find: "t",
};
// These act on selected words only, so that their keys may be those of others.
const ON_WORDS = /^(type_|attach$|find$)/;

/** A pressed key by its name: "g", "shift+z", "ctrl+enter". Shift counts where the key has no sign of its own for it. */
export function keyName({ key, ctrlKey, metaKey, shiftKey }) {
  const plain = key.toLowerCase();
  const isShifted = shiftKey && (key.length > 1 || plain !== key.toUpperCase());
  return `${ctrlKey || metaKey ? "ctrl+" : ""}${isShifted ? "shift+" : ""}${plain}`;
}

export const isOnWords = (action) => ON_WORDS.test(action);

export class KeyMap {
  constructor(own = {}) {
    this.own = own;
  }

  of(action) {
    return this.own[action] ?? DEFAULTS[action];
  }

  /** What a key does on the page; undefined for nothing. */
  action(name) {
    return Object.keys(DEFAULTS).find((action) => !isOnWords(action) && this.of(action) === name);
  }

  /** Tell assistive technology: the controls carry the keys, their names do not. */
  announce(root) {
    const spoken = (name) => name.replace("ctrl", "Control").replace(/(^|\+)(.)/g, (whole, plus, letter) => plus + letter.toUpperCase());
    for (const control of root.querySelectorAll("[data-key]:not(kbd)")) {
      const name = this.of(control.dataset.key);
      if (name) control.setAttribute("aria-keyshortcuts", spoken(name));
    }
    for (const input of root.querySelectorAll("input[name=simplicity], input[name=bracket]")) {
      input.setAttribute("aria-keyshortcuts", input.value);
    }
  }
}
