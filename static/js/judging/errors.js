// The list of errors: rows are added, edited, removed and brought back; never more than the form holds.

import { EMPTY_ERROR, changed, readRow, rows, say, writeRow } from "./form.js";
import { areSingleKeysOn } from "./keyboard.js";
import { hush, settleProblems, toast } from "./notices.js";

export class ErrorList {
  /** `undo` takes the last answer back; `reveal` shows a row, whichever step is open. */
  constructor(form, panels, { undo, reveal }) {
    Object.assign(this, { undo, reveal });
    this.form = form;
    this.panels = panels;
    this.list = document.getElementById("error-list");
    this.empty = document.getElementById("errors-empty");
    this.template = document.getElementById("error-row-template");
    this.active = this.untyped = null;
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("focusin", (event) => this.activate(event.target.closest("[data-error]")));
    this.list.addEventListener("change", (event) => this.typed(event.target));
    this.list.addEventListener("keydown", (event) => this.keyed(event));
    document.getElementById("add-error").addEventListener("click", (event) => {
      event.preventDefault();
      this.add({});
    });
    this.renumber();
  }

  get errors() {
    return rows(this.form).map(readRow);
  }

  clicked(event) {
    const row = event.target.closest("[data-error]");
    const side = event.target.closest("[data-unmark]")?.dataset.unmark;
    if (event.target.closest("[data-remove]")) {
      event.preventDefault();
      this.remove(row);
    } else if (side) {
      this.respan(row, side, null, null);
      row.querySelector("select").focus();
    }
  }

  keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=text]")) return;
    if (event.key === "Delete") this.remove(event.target.closest("[data-error]"));
    else if (!this.chooseType(event.target, event.key)) return;
    event.preventDefault();
  }

  /** The digits of the menu beside a passage choose in a row's own menu too; false where this is none of them. */
  chooseType(select, key) {
    const option = /^[1-9]$/.test(key) && select.matches("select") && areSingleKeysOn() && select.options[Number(key)];
    if (!option) return false;
    select.value = option.value;
    changed(select);
    return true;
  }

  /** The type that the message asked for has been chosen. */
  typed(select) {
    if (select.value && select.matches("select") && this.untyped?.contains(select)) hush();
    if (this.untyped?.contains(select)) this.untyped = null;
  }

  add(error) {
    const row = this.draw({ ...EMPTY_ERROR, ...error });
    this.renumber();
    this.activate(row);
    const select = row.querySelector("select");
    const values = { number: this.numberOf(row), type: select.selectedOptions[0].textContent };
    row.scrollIntoView({ block: "nearest" });
    toast(say(error.type ? "errorAdded" : "errorAddedUntyped", values), () => this.undo());
    changed(this.form);
    this.untyped = error.type ? null : row;
    // What has a type and a passage is complete: stay in the text, ready for the next one.
    if (!error.type) select.focus();
  }

  /** Give the active error a passage on one side. */
  attach(side, start, end) {
    this.respan(this.active, side, start, end);
    toast(say("errorAttached", { number: this.numberOf(this.active) }), () => this.undo());
  }

  respan(row, side, start, end) {
    writeRow(row, { ...readRow(row), [`${side}_start`]: start, [`${side}_end`]: end });
    changed(this.form);
  }

  remove(row) {
    const number = this.numberOf(row);
    const neighbour = row.nextElementSibling ?? row.previousElementSibling;
    // Of the rows after it too: they are called by their numbers, which change.
    for (const each of rows(this.form).slice(number - 1)) settleProblems(each);
    row.remove();
    this.active = null;
    this.renumber();
    toast(say("errorRemoved", { number }), () => this.undo());
    changed(this.form);
    (neighbour?.querySelector("select") ?? document.getElementById("add-error")).focus();
  }

  activate(row) {
    this.active = row;
    for (const each of rows(this.form)) each.toggleAttribute("data-active", each === row);
  }

  numberOf(row) {
    return rows(this.form).indexOf(row) + 1;
  }

  focusRow(index) {
    const row = rows(this.form)[index];
    if (!row) return;
    this.reveal(row);
    row.querySelector("select").focus();
  }

  /** Replace every row. */
  write(errors) {
    this.list.replaceChildren();
    this.active = null;
    errors.forEach((error) => this.draw(error));
    this.renumber();
  }

  draw(error) {
    const row = this.template.content.firstElementChild.cloneNode(true);
    writeRow(row, error);
    return this.list.appendChild(row);
  }

  renumber() {
    rows(this.form).forEach((row, index) => {
      row.id = `id_errors.${index}`;
      for (const place of row.querySelectorAll("[data-number]")) place.textContent = index + 1;
      for (const control of row.querySelectorAll("[data-name]")) {
        control.name = `error-${index}-${control.dataset.name}`;
        control.id = `id_errors.${index}.${control.dataset.name}`;
      }
      for (const label of row.querySelectorAll("[data-of]")) label.htmlFor = `id_errors.${index}.${label.dataset.of}`;
      row.querySelector("[data-remove]").value = `remove_error_${index}`;
    });
    this.empty.hidden = this.list.children.length > 0;
  }

  /** Show in the rows what their hidden offsets say. */
  refresh() {
    for (const row of rows(this.form)) {
      const error = readRow(row);
      row.dataset.type = error.type;
      for (const [side, panel] of Object.entries(this.panels)) {
        const line = row.querySelector(`[data-span="${side}"]`);
        const start = error[`${side}_start`];
        line.hidden = start === null;
        if (start !== null) line.querySelector("[data-quote]").textContent = panel.quote(start, error[`${side}_end`]);
      }
    }
  }
}
