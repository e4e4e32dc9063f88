// The scale: the score as it stands, and the question that a crossed bracket asks. For display only:
// the server computes the score that counts, and what it answers is what is shown.

import { changed, choose, say } from "./form.js";

/** Top of the bracket minus one point per error; never below the floor, nor (clamp) the bracket. */
export function scoreOf(bracket, count, policy, floor = 1) {
  return Math.max(policy === "clamp" ? bracket.bottom : floor, bracket.top - count);
}

export function crosses(bracket, count, floor = 1) {
  return Math.max(floor, bracket.top - count) < bracket.bottom;
}

export class Scale {
  constructor(form, brackets, policy) {
    this.form = form;
    this.policy = policy;
    this.brackets = new Map(brackets.map((bracket) => [bracket.value, bracket]));
    this.scale = document.getElementById("scale");
    this.text = document.getElementById("score-text");
    this.crossing = document.getElementById("crossing");
    this.note = document.getElementById("crossing-note");
    form.addEventListener("change", (event) => this.answered(event.target), { capture: true });
  }

  /** A bracket picked by hand starts afresh; "move" picks the one below. */
  answered(target) {
    if (target.name === "bracket") this.forget();
    if (target.name === "crossing_answer") this.settleCrossing(target.value);
  }

  forget() {
    choose(this.form, "crossing_answer", "");
    if (this.form.elements.moved_from) this.form.elements.moved_from.value = "";
  }

  /** What the crossing question is about: the bracket that was first chosen, and the one below. */
  question(answers) {
    const first = this.brackets.get(answers.moved_from ?? answers.bracket);
    if (!first || this.policy !== "ask") return null;
    const count = answers.errors.length;
    if (answers.moved_from === null && !crosses(first, count)) return null;
    const lower = this.brackets.get(answers.moved_from === null ? first.value - 1 : answers.bracket);
    return lower ? { first, lower, count } : null;
  }

  settleCrossing(answer) {
    const { form } = this;
    const movedFrom = form.elements.moved_from;
    const bracket = Number(form.querySelector('input[name="bracket"]:checked')?.value);
    if (answer === "moved" && !movedFrom.value) {
      movedFrom.value = String(bracket);
      choose(form, "bracket", bracket - 1);
    }
    if (answer === "kept" && movedFrom.value) {
      choose(form, "bracket", movedFrom.value);
      movedFrom.value = "";
    }
  }

  /** Answer the question by key. */
  answerCrossing(value) {
    if (!this.isAsking()) return false;
    choose(this.form, "crossing_answer", value);
    const input = this.form.querySelector('input[name="crossing_answer"]:checked');
    this.settleCrossing(value);
    input.focus();
    changed(this.form);
    return true;
  }

  isAsking() {
    return Boolean(this.crossing && !this.crossing.hidden);
  }

  isUnanswered() {
    return this.isAsking() && !this.form.querySelector('input[name="crossing_answer"]:checked');
  }

  draw(answers) {
    const bracket = this.brackets.get(answers.bracket);
    const count = answers.errors.length;
    // "Kept" answers a question that fewer errors no longer ask.
    if (answers.crossing_answer === "kept" && (!bracket || !crosses(bracket, count))) this.forget();
    this.drawScore(bracket && scoreOf(bracket, count, this.policy), bracket, count);
    if (this.crossing) this.drawQuestion(answers);
    if (this.note) this.drawNote(bracket, count);
  }

  drawScore(score, bracket, count) {
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
    this.setText(say("score", { score, how }));
  }

  // Only a real change is announced.
  setText(text) {
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  /** The score that the server computed wins over ours. */
  confirm(score, answers) {
    const bracket = this.brackets.get(answers.bracket);
    if (score !== null && bracket) this.drawScore(score, bracket, answers.errors.length);
  }

  drawQuestion(answers) {
    const question = this.question(answers);
    const isNew = this.crossing.hidden && question;
    this.crossing.hidden = !question;
    if (!question) return;
    const { first, lower, count } = question;
    const fill = (selector, text) => (this.crossing.querySelector(selector).textContent = text);
    const about = { count, bracket: first.short, bottom: first.bottom, top: first.top };
    fill("[data-crossing-text]", say("crossing", about));
    fill("[data-keep]", say("keep", { bracket: first.short, score: scoreOf(first, count, this.policy) }));
    fill("[data-move]", say("move", { bracket: lower.short, score: scoreOf(lower, count, this.policy) }));
    if (isNew) this.crossing.scrollIntoView({ block: "nearest" });
  }

  drawNote(bracket, count) {
    const crossed = Boolean(bracket && crosses(bracket, count));
    this.note.hidden = !crossed;
    if (!crossed) return;
    const values = { count, bracket: bracket.short, score: scoreOf(bracket, count, this.policy) };
    this.note.textContent = say(this.policy === "clamp" ? "clamped" : "fell", values);
  }
}
