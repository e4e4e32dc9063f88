// A scale of brackets: the score as it stands, and the question that a crossed bracket asks. For display only:
// the server computes the score that counts, and what it answers is what is shown.

import { Field, changed, choose, define, say } from "../form.js";
import { settleProblems } from "../notices.js";

/** Top of the bracket minus one point per error; never below the floor, nor (clamp) the bracket. */
export function scoreOf(bracket, count, policy, floor = 1) {
  return Math.max(policy === "clamp" ? bracket.bottom : floor, bracket.top - count);
}

export function crosses(bracket, count, floor = 1) {
  return Math.max(floor, bracket.top - count) < bracket.bottom;
}

function bracketOf({ value, dataset, labels }) {
  const { short } = labels[0].querySelector("[data-label]").dataset;
  return { value: Number(value), bottom: Number(dataset.bottom), top: Number(dataset.top), short };
}

export class BracketedScale extends Field {
  constructor(element, form, page) {
    super(element, form);
    this.page = page;
    this.isNumber = true;
    const { policy, deducts, lowest, highest } = element.dataset;
    Object.assign(this, { policy, deducts, floor: Number(lowest), highest: Number(highest) });
    this.brackets = new Map(this.inputs.map((input) => [Number(input.value), bracketOf(input)]));
    for (const input of this.inputs) input.setAttribute("aria-keyshortcuts", input.value);
    const box = form.querySelector(`[data-score-of="${this.name}"]`);
    this.scale = box?.querySelector(".scale");
    this.text = box?.querySelector(".scale__text");
    this.crossing = form.querySelector(`[data-crossing="${this.name}"]`);
    this.note = form.querySelector(`[data-crossing-note="${this.name}"]`);
    // The two fields that say what became of a crossing; hidden ones where nothing is asked.
    const [answer, from] = this.crossing?.querySelectorAll("[data-field]") ?? [];
    Object.assign(this, { answerName: answer?.dataset.field, fromName: from?.dataset.field });
    form.addEventListener("change", (event) => this.answered(event.target), { capture: true });
  }

  get movedFrom() {
    return this.form.elements[this.fromName];
  }

  get takesDigits() {
    return true;
  }

  goesOn() {
    return true;
  }

  digit(key) {
    const input = this.inputs.find(({ value, disabled }) => value === key && !disabled);
    if (!input?.matches(":enabled")) return false;
    choose(this.form, this.name, key);
    changed(input);
    this.page.answered(this);
    return true;
  }

  summary() {
    return this.checked?.closest("label").querySelector("[data-label]").dataset.short ?? "";
  }

  act(action) {
    const answer = { keep: "kept", move: "moved" }[action];
    return Boolean(answer) && this.answerCrossing(answer);
  }

  countOf(answers) {
    return answers[this.deducts]?.length ?? 0;
  }

  /** A bracket picked by hand starts afresh; "move" picks the one below. */
  answered(target) {
    if (target.name === this.name) this.startAfresh();
    if (this.answerName && target.name === this.answerName) this.settleCrossing(target.value);
  }

  startAfresh() {
    if (!this.crossing) return;
    choose(this.form, this.answerName, "");
    this.movedFrom.value = "";
  }

  /** What the crossing question is about: the bracket that was first chosen, and the one below. */
  question(answers) {
    const [bracket, movedFrom] = [answers[this.name], answers[this.fromName]];
    const first = this.brackets.get(movedFrom ?? bracket);
    if (!first) return null;
    const count = this.countOf(answers);
    if (movedFrom === null && !crosses(first, count, this.floor)) return null;
    const lower = this.brackets.get(movedFrom === null ? first.value - 1 : bracket);
    return lower ? { first, lower, count } : null;
  }

  settleCrossing(answer) {
    const { form, movedFrom } = this;
    const bracket = Number(this.checked?.value);
    if (answer === "moved" && !movedFrom.value) {
      movedFrom.value = String(bracket);
      choose(form, this.name, bracket - 1);
    }
    if (answer === "kept" && movedFrom.value) {
      choose(form, this.name, movedFrom.value);
      movedFrom.value = "";
    }
  }

  /** Answer the question by key. */
  answerCrossing(value) {
    if (!this.isAsking()) return false;
    choose(this.form, this.answerName, value);
    const input = this.form.querySelector(`input[name="${this.answerName}"]:checked`);
    input.focus();
    changed(input);
    return true;
  }

  isAsking() {
    return Boolean(this.crossing && !this.crossing.hidden);
  }

  refresh(answers) {
    super.refresh(answers);
    const bracket = this.brackets.get(answers[this.name]);
    const count = this.countOf(answers);
    // "Kept" answers a question that fewer errors no longer ask.
    if (answers[this.answerName] === "kept" && (!bracket || !crosses(bracket, count, this.floor))) this.startAfresh();
    this.drawScore(bracket && this.scoreOf(bracket, count), bracket, count);
    if (this.crossing) this.drawQuestion(answers);
    if (this.note) this.drawNote(bracket, count);
  }

  scoreOf(bracket, count) {
    return scoreOf(bracket, count, this.policy, this.floor);
  }

  drawScore(score, bracket, count) {
    if (!this.scale) return;
    for (const cell of this.scale.querySelectorAll("[data-value]")) {
      cell.classList.toggle("scale__cell--score", Number(cell.dataset.value) === score);
    }
    if (!bracket) {
      this.setText(say("scoreNone"));
      return;
    }
    const { top } = bracket;
    let how = say(["noError", "oneError"][count] ?? "moreErrors", { top, count });
    if (top - count < score) how = say("floored", { how, floor: score });
    this.setText(say("score", { score, how, highest: this.highest }));
  }

  // Only a real change is announced.
  setText(text) {
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  /** The score that the server computed wins over ours. */
  confirm(score, answers) {
    const bracket = this.brackets.get(answers[this.name]);
    if (score !== null && bracket) this.drawScore(score, bracket, this.countOf(answers));
  }

  drawQuestion(answers) {
    // What was said of another bracket, or of more errors or fewer, holds no more.
    const crossed = `${answers[this.name]} ${this.countOf(answers)}`;
    if (crossed !== this.crossed) settleProblems(this.crossing);
    this.crossed = crossed;
    const question = this.question(answers);
    const isNew = this.crossing.hidden && question;
    this.crossing.hidden = !question;
    if (!question) return;
    const { first, lower, count } = question;
    const fill = (selector, text) => (this.crossing.querySelector(selector).textContent = text);
    const about = { count, bracket: first.short, bottom: first.bottom, top: first.top };
    fill("[data-crossing-text]", say("crossing", about));
    fill("[data-keep]", say("keep", { bracket: first.short, score: this.scoreOf(first, count) }));
    fill("[data-move]", say("move", { bracket: lower.short, score: this.scoreOf(lower, count) }));
    if (isNew) this.crossing.scrollIntoView({ block: "nearest" });
  }

  drawNote(bracket, count) {
    const crossed = Boolean(bracket && crosses(bracket, count, this.floor));
    this.note.hidden = !crossed;
    if (!crossed) return;
    const values = { count, bracket: bracket.short, score: this.scoreOf(bracket, count) };
    this.note.textContent = say(this.policy === "clamp" ? "clamped" : "fell", values);
  }
}

/** What becomes of a score below its bracket: asked only while it is one. */
class Crossing extends Field {
  missing() {
    return this.element.closest("[data-crossing]")?.hidden === false && !this.checked ? this.target : null;
  }
}

define("bracketed", BracketedScale);
define("crossing", Crossing);
