// The form is the only place where answers live; this reads and writes it, and fills sentences.

export { fingerprint } from "../platform/fingerprint.js";

const SPANS = ["original_start", "original_end", "simplification_start", "simplification_end"];
export const EMPTY_ERROR = { type: "", note: "", ...Object.fromEntries(SPANS.map((name) => [name, null])) };
const strings = document.getElementById("strings").dataset;

/** A sentence of the page with its {names} filled. */
export function say(name, values = {}) {
  return strings[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

const number = (value) => (value === "" || value == null ? null : Number(value));
const control = (form, name) => form.elements[name];

function chosen(form, name) {
  return form.querySelector(`input[name="${name}"]:checked`);
}

export function rows(form) {
  return [...form.querySelectorAll("[data-error]")];
}

export function readRow(row) {
  const value = (name) => row.querySelector(`[data-name="${name}"]`).value;
  const spans = Object.fromEntries(SPANS.map((name) => [name, number(value(name))]));
  return { type: value("type"), note: value("note"), ...spans };
}

export function writeRow(row, error) {
  for (const name of ["type", "note", ...SPANS]) row.querySelector(`[data-name="${name}"]`).value = error[name] ?? "";
}

/** The answers as the server takes them. */
export function readAnswers(form) {
  return {
    simplicity: number(chosen(form, "simplicity")?.value),
    simplicity_confirmed: control(form, "simplicity_confirmed").checked,
    characterization: number(chosen(form, "characterization")?.value),
    explanation: control(form, "explanation").value,
    bracket: number(chosen(form, "bracket")?.value),
    errors: rows(form).map(readRow),
    crossing_answer: chosen(form, "crossing_answer")?.value ?? "",
    moved_from: number(control(form, "moved_from")?.value),
    comment: control(form, "comment").value,
    doubt: control(form, "doubt").checked,
  };
}

export function choose(form, name, value) {
  for (const input of form.querySelectorAll(`input[name="${name}"]`)) input.checked = input.value === String(value ?? "");
}

/** Put answers into the form. `drawErrors` makes the rows: how a row looks is the error list's affair. */
export function writeAnswers(form, answers, drawErrors) {
  for (const name of ["simplicity", "characterization", "bracket", "crossing_answer"]) choose(form, name, answers[name]);
  for (const name of ["simplicity_confirmed", "doubt"]) control(form, name).checked = Boolean(answers[name]);
  for (const name of ["explanation", "comment"]) control(form, name).value = answers[name] ?? "";
  const movedFrom = control(form, "moved_from");
  if (movedFrom) movedFrom.value = answers.moved_from ?? "";
  drawErrors(answers.errors ?? []);
}

/** Tell everybody that the form changed otherwise than by its own controls. */
export function changed(form) {
  form.dispatchEvent(new Event("change", { bubbles: true }));
}
