// The three steps unfold one after the other. A step that was answered folds to one line when its
// annotator goes on, never under their pointer, and opens again at any time.

import { changed, choose } from "./form.js";

export class Steps {
  constructor(form, scale, onOpen) {
    this.form = form;
    this.scale = scale;
    this.onOpen = onOpen;
    this.steps = [...form.querySelectorAll("[data-step]")];
    this.finding = document.getElementById("finding");
    this.explanation = document.getElementById("explanation-field");
    this.current = 0;
    form.addEventListener("click", (event) => this.clicked(event));
    form.addEventListener("change", (event) => this.enter(event.target.closest("[data-step]")));
  }

  clicked(event) {
    const step = event.target.closest("[data-step]");
    if (event.target.closest("[data-reopen]")) this.open(this.steps.indexOf(step), true);
    if (event.target.closest("[data-go-on]")) this.goOn(this.steps.indexOf(step));
  }

  enter(step) {
    const index = this.steps.indexOf(step);
    if (index >= 0 && index !== this.current) this.mark(index);
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

  /** At the start: answered steps folded, the first unanswered one open. */
  start(answers) {
    const first = this.steps.findIndex((_, index) => this.missing(index, answers));
    const open = first < 0 ? this.steps.length - 1 : first;
    // Where nothing can be answered any more, nothing is folded: a folded step could not be opened.
    const folds = this.form.elements.doubt.matches(":enabled");
    this.steps.forEach((step, index) => step.toggleAttribute("data-folded", folds && index < open));
    this.update(answers);
    this.mark(open);
  }

  update(answers) {
    const contradiction = this.contradiction();
    this.finding.hidden = !contradiction;
    this.finding.querySelector("[data-finding-text]").textContent = contradiction;
    // A confirmation is of one finding; without it, it means nothing.
    if (!contradiction && answers.simplicity_confirmed) this.form.elements.simplicity_confirmed.checked = false;
    this.explanation.hidden = !this.explains() && !this.form.elements.explanation.value;
    const given = [answers.simplicity, answers.characterization, answers.bracket ?? answers.errors[0] ?? null];
    const furthest = given.findLastIndex((answer) => answer !== null);
    this.steps.forEach((step, index) => {
      step.hidden = index > furthest + 1;
      step.toggleAttribute("data-answered", !this.missing(index, answers));
      const label = step.querySelector("input[type=radio]:checked")?.closest("label").querySelector("[data-label]");
      step.querySelector("[data-summary]").textContent = label?.dataset.short ?? label?.textContent ?? "";
      step.querySelector(".step__summary").hidden = !step.hasAttribute("data-folded");
    });
  }

  mark(index) {
    this.current = index;
    this.onOpen(index);
    this.steps.forEach((step, each) => step.toggleAttribute("data-current", each === index));
  }

  open(index, focus) {
    const step = this.steps[index];
    step.hidden = false;
    step.removeAttribute("data-folded");
    step.querySelector(".step__summary").hidden = true;
    this.mark(index);
    if (focus) this.focus(index);
  }

  focus(index) {
    const step = this.steps[index];
    const filter = step.querySelector("#class-filter");
    const radio = step.querySelector("input[type=radio]:checked") ?? step.querySelector("input[type=radio]");
    (filter ?? radio).focus({ preventScroll: true });
    step.scrollIntoView({ block: "nearest" });
  }

  /** Enter: to what is still missing here, else fold this step and open the next. */
  goOn(index = this.current, answers = this.read()) {
    const missing = this.missing(index, answers);
    if (missing) return this.attend(missing);
    const next = index + 1;
    if (next >= this.steps.length) return document.getElementById("submit").focus();
    this.steps[index].setAttribute("data-folded", "");
    this.update(answers);
    return this.open(next, true);
  }

  attend(element) {
    const target = element.matches("input, select, textarea") ? element : element.querySelector("input");
    target.focus();
    element.scrollIntoView({ block: "nearest" });
  }

  /** Show the element, whatever is folded around it. */
  reveal(element) {
    const index = this.steps.indexOf(element.closest("[data-step]"));
    if (index >= 0) this.open(index, false);
  }

  /** A digit chooses among the options of the current step. */
  choose(digit) {
    const name = ["simplicity", "characterization", "bracket"][this.current];
    const input = this.form.querySelector(`input[name="${name}"][value="${digit}"]:enabled`);
    if (!input) return false;
    this.open(this.current, false);
    choose(this.form, name, digit);
    input.focus();
    changed(input);
    return true;
  }
}
