// The steps, one open at a time. The line above them says what the others hold and opens them. An answer by
// digit or by mouse goes on by itself, unless something is still asked here; arrows only choose.

import { fields, readAnswers } from "./form.js";

// A second click that was meant for what stood there before hits nothing.
export const SETTLE_MS = 450;

export class Steps {
  /** `advances` asks whether an answer goes on by itself; `onOpen` hears which step opens. */
  constructor(form, advances, onOpen) {
    this.form = form;
    this.advances = advances;
    this.onOpen = onOpen;
    this.steps = [...form.querySelectorAll("[data-step]")];
    this.buttons = [...form.querySelectorAll("[data-open]")];
    this.box = document.getElementById("steps");
    this.current = 0;
    this.movedAt = -SETTLE_MS;
    this.pointer = "";
    form.addEventListener("click", (event) => this.clicked(event));
    this.box.addEventListener("click", (event) => this.refuse(event), { capture: true });
    // Arrows and the space bar click radio buttons too: only a pointer's click goes on.
    form.addEventListener("pointerdown", (event) => (this.pointer = event.pointerType), { capture: true });
    document.addEventListener("keydown", () => (this.pointer = ""), { capture: true });
  }

  /** Whether a pointer's click at this moment was meant for what stood there before. */
  isTooSoon({ timeStamp }) {
    return Boolean(this.pointer) && timeStamp - this.movedAt <= SETTLE_MS;
  }

  refuse(event) {
    if (!this.isTooSoon(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  clicked(event) {
    const { target, timeStamp } = event;
    const button = target.closest("[data-open]");
    if (button) this.open(Number(button.dataset.open) - 1, true);
    // Whoever asks to go on while the answer does so by itself means the same step.
    if (target.closest("[data-go-on]") && !this.isTooSoon(event)) this.goOn();
    const field = this.pointer && target.matches("input") && this.fields().find(({ name }) => name === target.name);
    if (!field || this.stays || !field.goesOn(this.pointer) || !this.advances()) return;
    // The change that this click brings comes after it.
    setTimeout(() => {
      if (this.missing(this.current, readAnswers()) || this.following(field)) return;
      this.goOn();
      this.movedAt = timeStamp;
    });
  }

  get isLast() {
    return this.current === this.steps.length - 1;
  }

  /** No answer goes on by itself: it is the last step, or marks may come after the answer. */
  get stays() {
    return this.isLast || this.fields().some(({ list }) => list);
  }

  fields(index = this.current) {
    return fields.filter(({ step }) => step === index);
  }

  missing(index, answers) {
    for (const field of this.fields(index)) {
      const missing = field.missing(answers);
      if (missing) return missing;
    }
    return null;
  }

  /** What could still be answered in the step after this field. */
  following(field, own = this.fields()) {
    const answers = readAnswers();
    const isOpen = (each) => each.target?.checkVisibility() && !each.isAnswered(answers);
    return own.slice(own.indexOf(field) + 1).find(isOpen);
  }

  /** The last step in which something is answered, -1 where there is none. */
  furthest(answers) {
    return this.steps.findLastIndex((_, index) => this.fields(index).some((field) => field.isGiven(answers)));
  }

  /** The first step that misses something, -1 where none does. */
  lacking(answers) {
    return this.steps.findIndex((_, index) => this.missing(index, answers));
  }

  /** At the start: the first step that misses something is open, else the last; none that asks nothing is skipped unseen. */
  start(answers) {
    const first = this.lacking(answers);
    this.open(Math.min(first < 0 ? this.steps.length - 1 : first, this.furthest(answers) + 1), false);
    this.update(answers);
  }

  update(answers) {
    const furthest = this.furthest(answers);
    this.buttons.forEach((button, index) => {
      button.toggleAttribute("data-answered", !this.missing(index, answers));
      button.disabled = index > furthest + 1 && index !== this.current;
      const place = button.querySelector("[data-summary]");
      const said = this.fields(index).map((field) => field.summary(answers));
      place.textContent = said.filter(Boolean).join(" · ") || place.dataset.summary;
    });
  }

  open(index, focus) {
    if (index !== this.current) for (const field of this.fields()) field.leave();
    this.current = index;
    this.steps.forEach((step, each) => {
      step.hidden = each !== index;
      step.toggleAttribute("data-current", each === index);
    });
    this.buttons.forEach((button, each) => button.toggleAttribute("aria-current", each === index));
    this.buttons[index].disabled = false;
    this.box.scrollTop = 0;
    this.onOpen(this.steps[index]);
    if (focus) this.focus();
  }

  /** On the question, not on its first option: nothing is to look chosen before it is. */
  focus() {
    const step = this.steps[this.current];
    step.querySelector(".step__title").focus({ preventScroll: true });
    step.scrollIntoView({ block: "nearest" });
  }

  /** Enter: to what is still missing here, else to the next step. */
  goOn() {
    this.forget();
    const missing = this.missing(this.current, readAnswers());
    if (missing) return this.attend(missing);
    const next = this.current + 1;
    if (next >= this.steps.length) return document.getElementById("submit").focus();
    return this.open(next, true);
  }

  /** The questions of the step: a remark to the leads is none. */
  get questions() {
    return this.fields().filter(({ isRemark }) => !isRemark);
  }

  /** Enter in a field: no question that could still be answered after it in the step is passed over. */
  goOnFrom(target) {
    const { questions } = this;
    const field = questions.find(({ element }) => element.contains(target));
    const following = field && !field.missing(readAnswers()) && this.following(field, questions);
    if (following) this.attend(following.target);
    else this.goOn();
  }

  /** A text in which nothing stands: a line break before its first word says nothing. */
  isUnwritten(target) {
    return target.matches("textarea") && !target.value && this.questions.some((field) => field.target === target);
  }

  goBack() {
    if (this.current === 0) return false;
    this.open(this.current - 1, true);
    return true;
  }

  attend(element) {
    const target = element.matches("input, select, textarea") ? element : element.querySelector("input");
    // On a touch screen a field that takes text would bring up the keyboard unasked.
    if (this.pointer !== "touch" || !target.matches("textarea, [type=text], [type=number]")) target.focus();
    element.scrollIntoView({ block: "nearest" });
  }

  /** The field that keys answer: the one that has the focus, else the first without an answer, else the first. */
  get field() {
    const keyed = this.fields().filter((field) => field.takesDigits && field.target.checkVisibility());
    const answers = readAnswers();
    return (
      keyed.find(({ element }) => element.contains(document.activeElement)) ??
      keyed.find((field) => field === this.waiting) ??
      keyed.find((field) => !field.isAnswered(answers)) ??
      keyed[0]
    );
  }

  /** Into the options of the field at hand: arrows choose among them from there. */
  enterOptions() {
    const { field } = this;
    const input = field?.checked ?? field?.element.querySelector("input:enabled");
    input?.focus();
    return Boolean(input);
  }

  /** Show the element, whichever step it belongs to. */
  reveal(element) {
    const index = this.steps.indexOf(element.closest("[data-step]"));
    if (index >= 0) this.open(index, false);
  }

  /** A digit answers the field at hand. */
  digit(key) {
    const { field } = this;
    if (!field) return false;
    // A number of two digits, or several of several: what comes next is for the same field.
    this.waiting = field;
    return field.digit(key);
  }

  /** An answer was given by key: on, or to what it asks. `isSure`: somebody asked to go on. */
  answered(field, isSure = false) {
    this.waiting = null;
    if (!isSure && !(field.goesOn("") && this.advances())) return;
    const following = isSure ? null : this.following(field);
    if (following?.needs(readAnswers())) this.attend(following.target);
    else if (!following && (isSure || !this.stays)) this.goOn();
  }

  /** Enter, while a number is being typed. */
  settleNow() {
    return this.fields().some((field) => field.settleNow());
  }

  /** Whatever else is pressed: the next digit begins a number of its own. */
  forget() {
    this.waiting = null;
    for (const field of this.fields()) field.forget();
  }

  filter() {
    const input = this.steps[this.current].querySelector("[data-filter]");
    input?.focus();
    return Boolean(input);
  }
}
