// The sheet of keys, fetched when it is first asked for, and keys of one's own: each action can be given another
// one, kept with the account. The keys that the page prints follow.

import { areSingleKeysOn, isOnWords, keyName } from "./keyboard.js";
import { spoken } from "../platform/language.js";

// What chooses, goes on, leaves and moves about stays with its key.
const RESERVED = /^(ctrl\+|shift\+)*([0-9]|enter|escape|tab|arrow\w+| )$/;
const MODIFIERS = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock"]);

let sheet = null;

/** Show the sheet; fetch it before the first time. */
export async function openKeys(person) {
  const dialog = await loadKeys(person);
  if (!dialog || dialog.open) return;
  leaveOut(dialog, person.main);
  dialog.showModal();
}

/** Keys of one's own, as the page opens: the sheet brings the words for them. */
export function loadKeys(person) {
  sheet ??= fetched(person);
  return sheet.catch(() => (sheet = null));
}

async function fetched(person) {
  const answer = await fetch(person.url, { headers: { Accept: "text/html", ...spoken } });
  if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const dialog = page.querySelector("dialog");
  person.main.append(dialog);
  bind(dialog, person);
  printKeys(person);
  return dialog;
}

// Rows of what this study, this browser or this pair may not have: they stand where the page offers it.
const OFFERED = ":not([hidden], [hidden] > kbd, dialog *)";

function leaveOut(dialog, main) {
  for (const row of dialog.querySelectorAll("[data-of-page]")) {
    row.hidden = !main.querySelector(`[data-key="${row.dataset.action}"]${OFFERED}`);
  }
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
  const sentence = (name, values = {}) => dialog.dataset[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  const say = (name) => (find("[data-said]").textContent = sentence(name));
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
    return send(person.url, { keys: JSON.stringify(own) });
  };
  find("[data-reset]").addEventListener("click", () => keep({}).then(say));
  find("[data-customize]").addEventListener("click", ({ target }) => {
    const isOn = target.getAttribute("aria-pressed") !== "true";
    target.setAttribute("aria-pressed", String(isOn));
    find("[data-reset]").hidden = !isOn || !Object.keys(keymap.own).length;
    for (const row of dialog.querySelectorAll("[data-action]")) {
      for (const part of row.querySelectorAll("button, [role=status]")) part.remove();
      if (isOn) row.querySelector("dd").append(" ", ...changer(row));
    }
  });

  // The list is longer than the window: what is to be said of a row is said in it.
  function changer(row) {
    const said = Object.assign(document.createElement("span"), { role: "status" });
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button button--small", textContent: dialog.dataset.change });
    button.setAttribute("aria-label", dialog.dataset.changeOf.replace("{action}", () => row.querySelector("dd").textContent.trim()));
    const tell = (text) => {
      said.textContent = text;
      // It may take more lines than the row had, below the button.
      row.scrollIntoView({ block: "nearest" });
    };
    const end = () => {
      button.removeAttribute("aria-pressed");
      said.textContent = "";
    };
    // What listens above gives up its line once this click has landed: before, it would move the button from under it.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      button.focus({ preventScroll: true });
      button.setAttribute("aria-pressed", "true");
      tell(sentence("press"));
    });
    button.addEventListener("blur", () => isListening(button) && end());
    button.addEventListener("keydown", (event) => {
      if (!isListening(button) || MODIFIERS.has(event.key) || event.key === "Tab") return;
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      if (event.key === "Escape") return end();
      const { action } = row.dataset;
      const name = keyName(event);
      const refusal = refused(name, action);
      // Until there is a key that it can have, the next one is meant for it as well.
      if (refusal) return tell(`${refusal} ${sentence("pressAnother")}`);
      end();
      const { [action]: former, ...rest } = keymap.own;
      keep(name === keymap.defaults[action] ? rest : { ...rest, [action]: name }).then((how) => {
        // Pressed again meanwhile: the row asks for the next key.
        if (!isListening(button)) tell(sentence(how));
      });
    });
    return [button, said];
  }

  const isListening = (button) => button.getAttribute("aria-pressed") === "true";

  /** Why this action cannot have this key; "" where it can. */
  function refused(name, action) {
    const key = printed(name, dialog.dataset);
    if (RESERVED.test(name) && keymap.defaults[action] !== name) return sentence("reserved", { key });
    const other = Object.keys(keymap.defaults).find(
      (each) => each !== action && isOnWords(each) === isOnWords(action) && keymap.of(each) === name,
    );
    if (!other) return "";
    const does = dialog.querySelector(`[data-action="${other}"] dd`);
    // The sheet does not name what this protocol has no use for.
    return does ? sentence("taken", { key, action: does.firstChild.textContent.trim() }) : sentence("reserved", { key });
  }
}

/** Store with the account; the name of the sentence that says how it went. */
async function send(url, fields) {
  const token = document.querySelector("input[name=csrfmiddlewaretoken]").value;
  const body = new URLSearchParams({ ...fields, csrfmiddlewaretoken: token });
  const answer = await fetch(url, { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null);
  return answer?.ok ? "stored" : "failed";
}
