// The sheet of keys, fetched when it is first asked for, and keys of one's own: each action can be given another
// one, kept with the account. The keys that the page prints follow.

import { areSingleKeysOn, isOnWords, keyName } from "./keyboard.js";

// What chooses, goes on, leaves and moves about stays with its key.
const RESERVED = /^(ctrl\+|shift\+)*([0-9]|enter|escape|tab|arrow\w+| )$/;
const MODIFIERS = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock"]);

let sheet = null;

/** Show the sheet; fetch it before the first time. */
export async function openKeys(person) {
  const dialog = await loadKeys(person);
  if (dialog && !dialog.open) dialog.showModal();
}

/** Keys of one's own, as the page opens: the sheet brings the words for them. */
export function loadKeys(person) {
  sheet ??= fetched(person);
  return sheet.catch(() => (sheet = null));
}

async function fetched(person) {
  const answer = await fetch(person.url, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const dialog = page.querySelector("dialog");
  person.main.append(dialog);
  bind(dialog, person);
  printKeys(person);
  return dialog;
}

// Print each action's key wherever the page names it.
function printKeys(person) {
  const { keymap, main } = person;
  for (const place of main.querySelectorAll("kbd[data-key]")) {
    const action = place.dataset.key;
    // Untouched ones stand there in words of the page's language already.
    if (action in keymap.defaults && (action in keymap.own || place.dataset.reprinted)) {
      place.textContent = printed(keymap.of(action), main.querySelector("#help-dialog")?.dataset);
      place.dataset.reprinted = "1";
    }
  }
  keymap.announce(main);
}

/** "ctrl+enter" as it stands on a keyboard. */
function printed(name, words = {}) {
  const parts = name === "+" ? ["+"] : name.split("+");
  const word = (part) => words[`key${part[0].toUpperCase()}${part.slice(1)}`] ?? part[0].toUpperCase() + part.slice(1);
  return parts.map((part) => (part.length > 1 ? word(part) : part.toUpperCase())).join(" + ");
}

function bind(dialog, person) {
  const { keymap, state } = person;
  const find = (selector) => dialog.querySelector(selector);
  const say = (name, values = {}) => {
    find("[data-said]").textContent = dialog.dataset[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  };
  find("[data-close]").addEventListener("click", () => dialog.close());
  find("#single-keys").checked = areSingleKeysOn();
  find("#single-keys").addEventListener("change", ({ target }) => areSingleKeysOn(target.checked));
  find("#auto-advance").checked = state.advance !== false;
  find("#auto-advance").addEventListener("change", ({ target }) => {
    state.advance = target.checked;
    send(person.main.dataset.preferencesUrl, { auto_advance: target.checked ? "True" : "False" }).then(say);
  });
  const keep = (own) => {
    keymap.own = own;
    printKeys(person);
    find("[data-reset]").hidden = !Object.keys(own).length;
    send(person.url, { keys: JSON.stringify(own) }).then(say);
  };
  find("[data-reset]").addEventListener("click", () => keep({}));
  find("[data-customize]").addEventListener("click", ({ target }) => {
    const isOn = target.getAttribute("aria-pressed") !== "true";
    target.setAttribute("aria-pressed", String(isOn));
    find("[data-reset]").hidden = !isOn || !Object.keys(keymap.own).length;
    for (const row of dialog.querySelectorAll("[data-action]")) {
      row.querySelector("button")?.remove();
      if (isOn) row.querySelector("dd").append(" ", changer(row));
    }
  });

  function changer(row) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button button--small", textContent: dialog.dataset.change });
    button.setAttribute("aria-label", `${dialog.dataset.change}: ${row.querySelector("dd").textContent.trim()}`);
    button.addEventListener("click", () => say("press"));
    button.addEventListener("click", () => button.setAttribute("aria-pressed", "true"));
    button.addEventListener("blur", () => button.removeAttribute("aria-pressed"));
    button.addEventListener("keydown", (event) => listen(event, button, row.dataset.action));
    return button;
  }

  function listen(event, button, action) {
    if (button.getAttribute("aria-pressed") !== "true" || MODIFIERS.has(event.key) || event.key === "Tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    button.removeAttribute("aria-pressed");
    if (event.key === "Escape") return;
    const name = keyName(event);
    const key = printed(name, dialog.dataset);
    const other = Object.keys(keymap.defaults).find(
      (each) => each !== action && isOnWords(each) === isOnWords(action) && keymap.of(each) === name,
    );
    if (RESERVED.test(name) && keymap.defaults[action] !== name) say("reserved", { key });
    else if (other) say("taken", { key, action: dialog.querySelector(`[data-action="${other}"] dd`).firstChild.textContent.trim() });
    else {
      const { [action]: former, ...rest } = keymap.own;
      keep(name === keymap.defaults[action] ? rest : { ...rest, [action]: name });
    }
  }
}

/** Store with the account; the name of the sentence that says how it went. */
async function send(url, fields) {
  const token = document.querySelector("input[name=csrfmiddlewaretoken]").value;
  const body = new URLSearchParams({ ...fields, csrfmiddlewaretoken: token });
  const answer = await fetch(url, { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null);
  return answer?.ok ? "stored" : "failed";
}
