// Several of several: digits and clicks put an option in and take it out again. "None of these" is an answer of its
// own, which takes every option out; it goes as soon as one is put in.

import { Field, changed, define } from "../form.js";
import { Cards } from "./choice.js";

export class Choices extends Field {
  constructor(element, form) {
    super(element, form);
    this.none = element.querySelector("[data-none]");
    this.boxes = this.inputs.filter((input) => input !== this.none);
    this.width = Math.max(...this.boxes.map(({ dataset }) => dataset.digits.length));
    this.pending = "";
    // Before the form reads what stands here.
    const chosen = ({ target }) => {
      this.settleNow();
      this.settle(target);
    };
    element.addEventListener("change", chosen, { capture: true });
    // Before the page sends what stands there.
    window.addEventListener("pagehide", () => this.settleNow());
    if (this.width === 1) for (const input of this.inputs) input.setAttribute("aria-keyshortcuts", input.dataset.digits);
    const card = form.querySelector(`[data-card="${this.name}"]`);
    if (card) new Cards(this, card);
  }

  settle(box) {
    if (box === this.none && box.checked) for (const each of this.boxes) each.checked = false;
    else if (box.checked && this.boxes.includes(box)) this.none.checked = false;
  }

  read() {
    const chosen = this.boxes.filter(({ checked }) => checked).map(({ value }) => Number(value));
    return chosen.length || this.none.checked ? chosen : null;
  }

  write(value) {
    for (const box of this.boxes) box.checked = Boolean(value?.includes(Number(box.value)));
    this.none.checked = value?.length === 0;
  }

  get takesDigits() {
    return true;
  }

  get checked() {
    return this.boxes.find(({ checked }) => checked) ?? null;
  }

  summary(answers) {
    if (!this.isAnswered(answers)) return "";
    const said = (this.none.checked ? [this.none] : this.boxes.filter(({ checked }) => checked)).map((box) =>
      box.closest("label").querySelector("[data-label]").textContent.trim(),
    );
    return said.join(", ");
  }

  /** Puts the option in, or takes it out; 0 says that none holds. Stays where it is: more may follow. */
  digit(key) {
    const typed = this.pending + key;
    this.pending = typed.length < this.width ? typed : "";
    if (this.pending) return true;
    return this.turn(Number(typed));
  }

  /** A digit that another might have followed is a number by itself, whatever comes in its place: Enter, another key,
      a click, another step, another page. */
  settleNow() {
    const { pending } = this;
    this.pending = "";
    return pending !== "" && this.turn(Number(pending));
  }

  turn(number) {
    const box = number ? this.boxes.find(({ dataset }) => Number(dataset.digits) === number) : this.zero;
    if (!box?.matches(":enabled")) return false;
    box.checked = !box.checked;
    this.settle(box);
    box.closest(".option").scrollIntoView({ block: "nearest" });
    changed(box);
    return true;
  }

  /** What 0 stands for: an option of that number, where there is one. */
  get zero() {
    return this.boxes.find(({ dataset }) => Number(dataset.digits) === 0) ?? this.none;
  }

  forget() {
    this.settleNow();
  }

  leave() {
    this.settleNow();
  }
}

define("choices", Choices);
