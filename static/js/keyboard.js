// One place for every key. Bare letters and digits are never taken from a field that takes text;
// the two texts are no such field: nothing can be typed there.

const TYPING = "input:not([type=radio], [type=checkbox], [type=button], [type=submit]), textarea, select";
const KEYS_OFF = "bareme:v1:keys-off";
const ACTS_BY_ITSELF = "button, a, summary, select, textarea";

/** Bind every key of the judging page to its parts. */
export function bindKeys({ form, main, panels, steps, classes, scale, errorList, marking, reading, submit, save }) {
  const doubt = form.elements.doubt;
  const confirmed = form.elements.simplicity_confirmed;
  const addError = document.getElementById("add-error");
  const single = singleKeys();
  // By name, lower case, "ctrl+" before it where held; false leaves the key to the browser.
  const keys = {
    "ctrl+enter": submit,
    "ctrl+s": save,
    "?": () => reading.openHelp(),
    g: () => void reading.toggleGuide(),
    d: () => reading.toggleDifferences(),
    t: () => reading.toggleTerm(),
    r: () => reading.aid("toggle-renderings"),
    l: () => reading.aid("look-up"),
    v: () => reading.aid("toggle-voice"),
    o: () => panels.original.focus(),
    s: () => panels.simplification.focus(),
    e: () => addError.checkVisibility() && addError.click(),
    u: () => press(doubt),
    l: () => document.getElementById("later")?.click(),
    n: () => document.querySelector("#private-note summary")?.click(),
    k: () => scale.answerCrossing("kept") || press(confirmed),
    m: () => scale.answerCrossing("moved"),
    z: () => errorList.undo(),
  };

  function enter(target) {
    if (target.matches("[data-side]")) {
      const index = marking.markAtCaret();
      if (marking.isOpen) marking.enter();
      else if (index !== null) errorList.focusRow(index);
    } else if (target.id !== "term" && !classes.settleNow()) steps.goOn();
    return true;
  }

  function escape(target) {
    if (marking.isOpen) marking.close();
    else if (!reading.escape() && target !== document.body) main.focus({ preventScroll: true });
    return true;
  }

  function digit(key) {
    if (steps.current !== 1) return steps.choose(key);
    classes.digit(key);
    return true;
  }

  function act({ key, target, ctrlKey, metaKey }) {
    if (ctrlKey || metaKey) return run(keys[`ctrl+${key.toLowerCase()}`]);
    if (key === "Escape") return escape(target);
    if (key === "Enter") return !target.matches(ACTS_BY_ITSELF) && enter(target);
    if (target.matches(TYPING) || (!single.checked && !marking.menu.contains(target))) return false;
    // While words are selected, the menu beside them comes first.
    if (marking.isOpen && key.length === 1 && marking.key(key)) return true;
    return /^[0-9]$/.test(key) ? digit(key) : run(keys[key.toLowerCase()]);
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    if (document.querySelector("dialog:modal")) return;
    if (!main.contains(event.target) && event.target !== document.body) return;
    if (act(event)) event.preventDefault();
  });
}

/** Keys without Ctrl can be switched off: who speaks to their computer would press them by accident. */
function singleKeys() {
  const box = document.getElementById("single-keys");
  box.checked = remembered(KEYS_OFF) !== "1";
  box.addEventListener("change", () => remembered(KEYS_OFF, box.checked ? "0" : "1"));
  return box;
}

function remembered(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function run(handler) {
  return handler ? handler() !== false : false;
}

function press(input) {
  if (!input.checkVisibility() || !input.matches(":enabled")) return false;
  input.click();
  return true;
}
