// The three steps, one open at a time. The line above them says what the others hold and opens them. An
// answer by digit or by mouse goes on by itself, unless something is still asked here; arrows only choose.

import { changed, choose } from "./form.js";

// A second click that was meant for what stood there before hits nothing.
const SETTLE_MS = 450;

export class Steps {
  /** `advances` asks whether an answer goes on by itself; `onLeave` hears that another step opens. */
  constructor(form, scale, advances, onLeave) {
    this.onLeave = onLeave;
    this.form = form;
    this.scale = scale;
    this.advances = advances;
    this.steps = [...form.querySelectorAll("[data-step]")];
    this.buttons = [...form.querySelectorAll("[data-open]")];
    this.box = document.getElementById("steps");
    this.finding = document.getElementById("finding");
    this.explanation = document.getElementById("explanation-field");
    this.current = 0;
    this.movedAt = -SETTLE_MS;
    this.pointer = "";
    form.addEventListener("click", (event) => this.clicked(event));
    this.box.addEventListener("click", (event) => this.refuse(event), { capture: true });
    // Arrows and the space bar click radio buttons too: only a pointer's click goes on.
    form.addEventListener("pointerdown", (event) => (this.pointer = event.pointerType), { capture: true });
    document.addEventListener("keydown", () => (this.pointer = ""), { capture: true });
  }

  refuse(event) {
    if (!this.pointer || event.timeStamp - this.movedAt > SETTLE_MS) return;
    event.preventDefault();
    event.stopPropagation();
  }

  clicked({ target, timeStamp }) {
    const button = target.closest("[data-open]");
    if (button) this.open(Number(button.dataset.open) - 1, true);
    if (target.closest("[data-go-on]")) this.goOn();
    // By touch a class is chosen to read its card as well: there it waits.
    const goes = this.pointer === "mouse" || (this.pointer && this.current === 0);
    if (!goes || this.current > 1 || !target.matches("input[type=radio]") || !this.advances()) return;
    // The change that this click brings comes after it.
    setTimeout(() => {
      if (this.missing(this.current, this.read())) return;
      this.goOn();
      this.movedAt = timeStamp;
    });
  }

  /** What an answer on simplicity contradicts, as the server found for each option. */
  contradiction() {
    return this.form.querySelector('input[name="simplicity"]:checked')?.dataset.finding ?? "";
  }

  missing(index, answers) {
    const find = (id) => document.getElementById(id);
    if (index === 0) {
      if (answers.simplicity === null) return find("id_simplicity");
      return this.contradiction() && !answers.simplicity_confirmed ? find("id_simplicity_confirmed") : null;
    }
    if (index === 1) {
      if (answers.characterization === null) return find("id_characterization");
      return this.explains() && !answers.explanation.trim() ? find("id_explanation") : null;
    }
    if (answers.bracket === null) return find("id_bracket");
    const untyped = answers.errors.findIndex((error) => !error.type);
    if (untyped >= 0) return find(`id_errors.${untyped}.type`);
    return this.scale.isUnanswered() ? find("id_crossing_answer") : null;
  }

  explains() {
    return Boolean(this.form.querySelector('input[name="characterization"]:checked')?.hasAttribute("data-explain"));
  }

  /** At the start: the first step that misses something is open, else the last. */
  start(answers) {
    const first = this.steps.findIndex((_, index) => this.missing(index, answers));
    this.open(first < 0 ? this.steps.length - 1 : first, false);
    this.update(answers);
  }

  update(answers) {
    const contradiction = this.contradiction();
    const isNew = this.finding.hidden && contradiction;
    this.finding.hidden = !contradiction;
    this.finding.querySelector("[data-finding-text]").textContent = contradiction;
    if (isNew) this.finding.scrollIntoView({ block: "nearest" });
    // A confirmation is of one finding; without it, it means nothing.
    if (!contradiction && answers.simplicity_confirmed) this.form.elements.simplicity_confirmed.checked = false;
    this.explanation.hidden = !this.explains() && !this.form.elements.explanation.value;
    const given = [answers.simplicity, answers.characterization, answers.bracket ?? answers.errors[0] ?? null];
    const furthest = given.findLastIndex((answer) => answer !== null);
    this.buttons.forEach((button, index) => {
      const step = this.steps[index];
      button.toggleAttribute("data-answered", !this.missing(index, answers));
      button.disabled = index > furthest + 1 && index !== this.current;
      const place = button.querySelector("[data-summary]");
      place.textContent = answerOf(step) || place.dataset.summary;
    });
  }

  open(index, focus) {
    if (index !== this.current) this.onLeave();
    this.current = index;
    this.steps.forEach((step, each) => {
      step.hidden = each !== index;
      step.toggleAttribute("data-current", each === index);
    });
    this.buttons.forEach((button, each) => button.toggleAttribute("aria-current", each === index));
    this.buttons[index].disabled = false;
    this.box.scrollTop = 0;
    if (focus) this.focus();
  }

  /** On the question, not on its first option: nothing is to look chosen before it is. */
  focus() {
    const step = this.steps[this.current];
    step.querySelector(".step__title").focus({ preventScroll: true });
    step.scrollIntoView({ block: "nearest" });
  }

  /** Enter: to what is still missing here, else to the next step. */
  goOn(index = this.current, answers = this.read()) {
    const missing = this.missing(index, answers);
    if (missing) return this.attend(missing);
    const next = index + 1;
    if (next >= this.steps.length) return document.getElementById("submit").focus();
    return this.open(next, true);
  }

  goBack() {
    if (this.current === 0) return false;
    this.open(this.current - 1, true);
    return true;
  }

  attend(element) {
    const target = element.matches("input, select, textarea") ? element : element.querySelector("input");
    // On a touch screen a field that takes text would bring up the keyboard unasked.
    if (this.pointer !== "touch" || !target.matches("textarea, [type=text]")) target.focus();
    element.scrollIntoView({ block: "nearest" });
  }

  /** Into the options of the step at hand: arrows choose among them from there. */
  enterOptions() {
    const step = this.steps[this.current];
    (step.querySelector("input[type=radio]:checked") ?? step.querySelector("input[type=radio]")).focus();
    return true;
  }

  /** Show the element, whichever step it belongs to. */
  reveal(element) {
    const index = this.steps.indexOf(element.closest("[data-step]"));
    if (index >= 0) this.open(index, false);
  }

  /** A digit chooses among the options of the current step. */
  choose(digit) {
    const name = ["simplicity", "characterization", "bracket"][this.current];
    const input = this.form.querySelector(`input[name="${name}"][value="${digit}"]:enabled`);
    if (!input) return false;
    choose(this.form, name, digit);
    changed(input);
    if (this.current < 2) this.answered();
    return true;
  }

  /** An answer was given by key: on, or to what it asks. */
  answered(isSure = false) {
    if (isSure || this.advances()) this.goOn();
  }
}

/** The step that an answer belongs to; undefined for those of no step. */
export function stepOf(name) {
  const steps = { simplicity: 0, simplicity_confirmed: 0, characterization: 1, explanation: 1, doubt: undefined };
  return name in steps ? steps[name] : 2;
}

/** What a step's line says of it: the class without what stands in brackets. */
function answerOf(step) {
  const input = step.querySelector("input[type=radio]:checked");
  const label = input?.closest("label").querySelector("[data-label]");
  if (!label) return "";
  const text = label.dataset.short ?? label.textContent.replace(/ \(.*/, "");
  return input.name === "characterization" ? `${input.value.padStart(2, "0")} ${text}` : text;
}
