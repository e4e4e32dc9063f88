// The form is the only place where answers live. Each of its fields says in the page what it is (data-field,
// data-kind, conditions), and this reads and writes it; what a kind does beyond a native control stands in kinds/.

import { storable } from "../platform/outbox.js";
import { press } from "./keyboard.js";

export { fingerprint } from "../platform/outbox.js";

const strings = document.getElementById("strings").dataset;

/** A sentence of the page with its {names} filled. */
export function say(name, values = {}) {
  return strings[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

const number = (value) => (value === "" || value == null ? null : Number(value));

/** Whether this value of a field is an answer. 0 is one, and so is an empty list of several. */
export const isAnswer = (value) =>
  typeof value === "string" ? value.trim() !== "" : value !== null && value !== false && value !== undefined;

/** A condition of the page's fields (`When` in protocols/kinds/field.py): one of the values, or any answer. */
function holds({ field, values }, answers) {
  const value = answers[field];
  if (!values.length) return isAnswer(value) && value?.length !== 0;
  // Of marks, what they are: their types.
  return Array.isArray(value) ? value.some((element) => values.includes(element?.type ?? element)) : values.includes(value);
}

/** A field as native controls hold it: radio buttons, a box to tick, a list, a line or a page of text. */
export class Field {
  constructor(element, form, page) {
    const { field, kind = "", shownWhen, requiredWhen, confirms } = element.dataset;
    Object.assign(this, { element, form, page, name: field, kind, confirms });
    this.isRequired = "required" in element.dataset;
    this.isNumber = "number" in element.dataset;
    this.isRemark = "remark" in element.dataset;
    this.shownWhen = shownWhen ? JSON.parse(shownWhen) : null;
    this.requiredWhen = requiredWhen ? JSON.parse(requiredWhen) : null;
    const step = element.closest("[data-step]");
    /** The step it belongs to, from 0; undefined for those at the foot. */
    this.step = step ? Number(step.dataset.step) - 1 : undefined;
    // Before anything is made of the change: a click brings an input and a change, a digit the latter alone.
    const chosenAnew = ({ target }) => target.name === confirms && this.chosenAnew();
    if (confirms) for (const kind of ["input", "change"]) form.addEventListener(kind, chosenAnew, { capture: true });
  }

  get inputs() {
    return [...this.form.querySelectorAll(`[name="${this.name}"]`)];
  }

  get checked() {
    return this.form.querySelector(`input[name="${this.name}"]:checked`);
  }

  /** What is brought into view, and where a problem of it belongs. */
  get target() {
    return document.getElementById(`id_${this.name}`);
  }

  read() {
    const [first] = this.inputs;
    if (first?.type === "checkbox") return first.checked;
    const value = first?.type === "radio" ? (this.checked?.value ?? "") : (first?.value ?? "");
    if (this.isWrong) return null;
    return this.isNumber ? number(value) : value;
  }

  /** A number outside of its bounds, or none: it stands there, with what is wrong with it, and is not sent. */
  get isWrong() {
    const [first] = this.inputs;
    return first?.type === "number" && !first.validity.valid;
  }

  write(value) {
    const [first] = this.inputs;
    if (value === null && this.isWrong) return;
    if (first?.type === "checkbox") first.checked = Boolean(value);
    else if (first?.type === "radio") choose(this.form, this.name, value);
    else if (first) first.value = value ?? "";
  }

  isAnswered(answers) {
    return isAnswer(answers[this.name]);
  }

  /** Whether somebody answered it, rather than that leaving it alone is an answer as well. */
  isGiven(answers) {
    return this.isAnswered(answers);
  }

  /** The choice that this field confirms, where one is made. */
  get confirmed() {
    return this.form.querySelector(`input[name="${this.confirms}"]:checked`);
  }

  /** What a machine sees that contradicts the answer which this field confirms, as the server found for each option. */
  get finding() {
    return this.confirmed?.dataset.finding ?? "";
  }

  /** A confirmation is of one answer: another one is asked about again, though the finding be the same. Going back and
      forth among answers, and taking a version over, brings both together. */
  chosenAnew() {
    if (this.confirmed?.value !== this.upheld) this.write(false);
  }

  isShown(answers) {
    if (this.confirms) return Boolean(this.finding);
    return !this.shownWhen || holds(this.shownWhen, answers);
  }

  needs(answers) {
    if (this.requiredWhen && holds(this.requiredWhen, answers)) return true;
    return (this.isRequired || Boolean(this.confirms)) && this.isShown(answers);
  }

  /** What is to be attended to before the step is complete; null where nothing is. */
  missing(answers) {
    if (this.isWrong) return this.target;
    return this.needs(answers) && !this.isAnswered(answers) ? this.target : null;
  }

  /** Draw its own rows, before anything below them is brought into view. */
  grow() {}

  /** Show what follows from the answers. What was typed is never hidden. */
  refresh(answers) {
    this.element.querySelector("[data-wrong]")?.toggleAttribute("hidden", !this.isWrong);
    if (this.confirms) this.refreshFinding(answers);
    else if (this.shownWhen) this.element.hidden = !this.isShown(answers) && !this.isAnswered(answers);
  }

  refreshFinding(answers) {
    const { element, finding } = this;
    this.upheld = this.confirmed?.value;
    const isNew = element.hidden && finding;
    element.hidden = !finding;
    element.querySelector("[data-finding-text]").textContent = finding;
    if (isNew) element.scrollIntoView({ block: "nearest" });
    // A confirmation is of one finding; without it, it means nothing.
    if (!finding && answers[this.name]) this.write(false);
  }

  /** The answer in a few words, for the line of steps. */
  summary() {
    return "";
  }

  /** Whether digits typed anywhere answer it. */
  get takesDigits() {
    return false;
  }

  /** Whether a number typed anywhere may begin with its sign. */
  get takesMinus() {
    return false;
  }

  /** A digit (or "-"), or an action of the map of keys: true where it was for this field. */
  digit() {
    return false;
  }

  /** A confirmation given by key goes on as the answer that it upholds would have. */
  act(action) {
    if (!this.confirms || action !== "keep" || !press(this.target)) return false;
    if (this.read()) this.page.answered(this);
    return true;
  }

  /** Whether an answer goes on by itself where it is given by this pointer ("" for a key). */
  goesOn() {
    return Boolean(this.confirms);
  }

  /** Enter ends a number that is being typed: true where there was one. */
  settleNow() {
    return false;
  }

  /** Whatever else is pressed, or another step opens. */
  forget() {}

  leave() {}

  /** What it draws on a text of the pair. */
  layers() {
    return [];
  }

  /** The server has computed a score for these answers. */
  confirm() {}
}

const kinds = new Map();

/** Called by the script of a kind before the page is put together. */
export function define(kind, control) {
  kinds.set(kind, control);
}

/** The fields of the form, in the order in which they stand in it. `page`: what kinds may need of it. */
export const fields = [];

export function bindFields(form, page) {
  for (const element of form.querySelectorAll("[data-field]")) {
    fields.push(new (kinds.get(element.dataset.kind) ?? Field)(element, form, page));
  }
  return fields;
}

/** The answers as the server takes them. */
export const readAnswers = () => Object.fromEntries(fields.map((field) => [field.name, storable(field.read())]));

/** Take out of a field what could not be stored, as soon as it was pasted, or somebody has finished typing. */
export function mend({ target, type, inputType = "" }) {
  // Half a character in the midst of typing may be half of one that is on its way.
  if (!target.matches("textarea, input:is([type=text], :not([type]))") || (type === "input" && !/Paste|Drop/.test(inputType))) return;
  const clean = storable(target.value);
  if (clean === target.value) return;
  const [start, end] = [target.selectionStart, target.selectionEnd].map((at) => storable(target.value.slice(0, at)).length);
  target.value = clean;
  target.setSelectionRange(start, end);
}

export function writeAnswers(answers) {
  for (const field of fields) field.write(answers[field.name]);
}

export function choose(form, name, value) {
  for (const input of form.querySelectorAll(`input[name="${name}"]`)) input.checked = input.value === String(value ?? "");
}

/** Tell everybody that the form changed otherwise than by its own controls. */
export function changed(form) {
  form.dispatchEvent(new Event("change", { bubbles: true }));
}
