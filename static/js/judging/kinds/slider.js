// A whole number on a line, or typed. The line has no position before somebody gives it one: its handle is not to
// be seen, and what counts is the number beside it, which stays empty.

import { Field, changed, define, say } from "../form.js";

// How many steps a Page key goes.
const PAGE = 10;

export class Slider extends Field {
  constructor(element, form) {
    super(element, form);
    this.line = element.querySelector("[data-range]");
    this.number = this.target;
    this.invalid = element.querySelector("[data-invalid]");
    [this.lowest, this.highest, this.step_] = ["min", "max", "step"].map((name) => Number(this.number[name]));
    this.line.addEventListener("input", () => this.take(this.line.value));
    // A click where the hidden handle lies moves nothing, and is an answer all the same.
    this.line.addEventListener("click", () => this.isUnset && this.take(this.line.value, true));
    this.line.addEventListener("keydown", (event) => this.keyed(event));
    this.number.addEventListener("keydown", (event) => this.keyed(event));
    // A wheel over a field that has the focus would change its number.
    this.number.addEventListener("wheel", (event) => event.preventDefault(), { passive: false });
    this.draw();
  }

  get isUnset() {
    return "unset" in this.line.dataset;
  }

  get isWrong() {
    return !this.invalid.hidden;
  }

  isAllowed(value) {
    return Number.isInteger(value) && value >= this.lowest && value <= this.highest && !((value - this.lowest) % this.step_);
  }

  take(value, tells = false) {
    this.number.value = value;
    this.draw();
    if (tells) changed(this.number);
  }

  /** The line as the number says; a number that is none leaves the line without a position. */
  draw() {
    const value = this.read();
    this.line.toggleAttribute("data-unset", value === null);
    if (value !== null) this.line.value = value;
    this.line.setAttribute("aria-valuetext", value === null ? say("noAnswer") : String(value));
    const isWrong = value === null && (this.number.value !== "" || this.number.validity.badInput);
    this.invalid.hidden = !isWrong;
    if (isWrong) this.number.setAttribute("aria-invalid", "true");
    else this.number.removeAttribute("aria-invalid");
  }

  /** A number outside of the scale is no answer: it stands there, with what is wrong with it, and is not sent. */
  read() {
    const value = this.number.value === "" ? NaN : Number(this.number.value);
    return this.isAllowed(value) ? value : null;
  }

  write(value) {
    if (value === null && this.isWrong) return;
    this.number.value = value ?? "";
    this.draw();
  }

  get takesDigits() {
    return true;
  }

  get takesMinus() {
    return this.lowest < 0;
  }

  missing(answers) {
    return this.isWrong ? this.number : super.missing(answers);
  }

  refresh(answers) {
    super.refresh(answers);
    this.draw();
  }

  summary(answers) {
    const value = answers[this.name];
    return value === null ? "" : String(value);
  }

  /** The digit, or the sign before it, goes into the number, in place of what stood there. */
  digit() {
    if (!this.number.matches(":enabled")) return false;
    this.number.focus();
    this.number.select();
    // The browser types it.
    return false;
  }

  /** Arrows and Page keys, the same on the line and in the number; without a position they begin in the middle. */
  keyed(event) {
    const { key, altKey, ctrlKey, metaKey } = event;
    const isLine = event.target === this.line;
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: PAGE, PageDown: -PAGE, ...(isLine && { ArrowRight: 1, ArrowLeft: -1 }) }[key];
    const end = isLine ? { Home: this.lowest, End: this.highest }[key] : undefined;
    if (altKey || ctrlKey || metaKey || (steps === undefined && end === undefined)) return;
    event.preventDefault();
    event.stopPropagation();
    const middle = this.lowest + Math.round((this.highest - this.lowest) / this.step_ / 2) * this.step_;
    const value = this.read();
    const wanted = end ?? (value === null ? middle : value + steps * this.step_);
    this.take(Math.min(this.highest, Math.max(this.lowest, wanted)), true);
  }
}

define("slider", Slider);
