// The edits one below the other: what each is, which words it holds, its note, and what can be done with it. Rows are
// kept and rewritten, so that the focus stays where it is and two hundred of them cost little.

import { areSingleKeysOn } from "../keyboard.js";
import { settleProblems } from "../notices.js";

const SIDES = ["original", "simplification"];

export class List {
  /** `edits` is the field that owns it. */
  constructor(element, edits) {
    Object.assign(this, { edits, element });
    this.list = element.querySelector("[data-list]");
    this.template = element.querySelector("template[data-row]").content.firstElementChild;
    this.empty = element.querySelector("[data-empty]");
    this.drawn = [];
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("focusin", ({ target }) => edits.light(this.indexOf(target)));
    this.list.addEventListener("mouseover", ({ target }) => edits.glance(this.indexOf(target)));
    this.list.addEventListener("mouseleave", () => edits.glance(-1));
    // Before the form hears of it, and reads what stands here.
    for (const kind of ["input", "change"]) this.list.addEventListener(kind, ({ target }) => this.typed(target));
    this.list.addEventListener("keydown", (event) => this.keyed(event));
  }

  get rows() {
    return [...this.list.children];
  }

  indexOf(target) {
    return this.rows.indexOf(target.closest("[data-edit]"));
  }

  clicked(event) {
    const { act } = event.target.closest("button")?.dataset ?? {};
    const index = this.indexOf(event.target);
    if (index < 0) return;
    if (act) event.preventDefault();
    if (act === "type") this.edits.askType(index, event.target.closest("button"));
    else if (act === "take") this.edits.take(this.edits.hand === index ? -1 : index);
    else if (act === "split") this.edits.split(index);
    else if (act === "remove") this.edits.remove(index);
    else if (!event.target.closest("input, select")) this.edits.goTo(index);
  }

  typed(target) {
    const { part } = target.dataset;
    if (part) this.edits.put(this.indexOf(target), { [part]: target.value || (part === "note" ? "" : null) });
  }

  /** On a row: Delete removes it, a digit begins the number of its operation. */
  keyed(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select")) return;
    const index = this.indexOf(target);
    if (key === "Delete") this.edits.remove(index);
    else if (/^[0-9]$/.test(key) && areSingleKeysOn()) this.edits.askType(index, target, key);
    else return;
    event.preventDefault();
  }

  focus(index, part = "type") {
    const row = this.rows[index];
    row?.querySelector(`[data-act="${part}"]`)?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    return Boolean(row);
  }

  draw(edits, state) {
    for (const row of this.rows.slice(edits.length)) {
      settleProblems(row);
      row.remove();
    }
    this.drawn.length = Math.min(this.drawn.length, edits.length);
    edits.forEach((edit, index) => {
      const row = this.rows_(index);
      const signature = JSON.stringify(edit);
      if (this.drawn[index] !== signature) {
        settleProblems(row);
        this.write(row, edit, index);
      }
      this.drawn[index] = signature;
      row.querySelector("[data-act=take]").setAttribute("aria-pressed", String(state.hand === index));
      row.toggleAttribute("data-hand", state.hand === index);
    });
    this.empty.hidden = edits.length > 0;
  }

  rows_(index) {
    return this.list.children[index] ?? this.list.appendChild(this.made(index));
  }

  made(index) {
    const row = this.template.cloneNode(true);
    const id = `id_${this.edits.name}.${index}`;
    row.id = id;
    row.dataset.hue = index % 8;
    for (const place of row.querySelectorAll("[data-number]")) place.textContent = index + 1;
    for (const control of row.querySelectorAll("[data-name]")) control.id = `${id}.${control.dataset.name}`;
    return row;
  }

  write(row, edit, index) {
    const { edits } = this;
    const operation = edits.types.byType.get(edit.type);
    const said = operation ? operation.label : edit.type || edits.words("untyped");
    row.querySelector("[data-type-label]").textContent = said;
    row.toggleAttribute("data-untyped", !edit.type);
    row.toggleAttribute("data-suggested", edit.source === "suggested");
    for (const side of SIDES) {
      const place = row.querySelector(`[data-quote="${side}"]`);
      const isAsked = edits.lacks(edit, side);
      place.textContent = edits.quoted(edit, side) || (isAsked ? edits.words("lacking") : "∅");
      place.toggleAttribute("data-none", !edit[side].length);
      place.toggleAttribute("data-lacking", isAsked);
    }
    const isSplit = SIDES.some((side) => edits.places(edit, side).length > 1);
    row.querySelector("[data-act=split]").disabled = !isSplit;
    for (const part of ["note", "severity"]) {
      const control = row.querySelector(`[data-part="${part}"]`);
      if (control && control.value !== (edit[part] ?? "")) control.value = edit[part] ?? "";
    }
    row.setAttribute("aria-label", edits.words("named", { number: index + 1, type: said }));
  }

  light(index) {
    this.rows.forEach((row, each) => row.toggleAttribute("data-lit", each === index));
  }
}
