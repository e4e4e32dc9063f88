// A protocol tried: the judging page without what saves, keeps and sends. Its parts are the same, so that what is tried
// is what annotators get; the form goes to the server as it is, which keeps nothing.

import { bindFields, fields, fingerprint, mend, readAnswers, say, writeAnswers } from "../judging/form.js";
import { History } from "../judging/history.js";
import { KeyMap, bindKeys, press } from "../judging/keyboard.js";
import { toast } from "../judging/notices.js";
import { Steps } from "../judging/steps.js";
import { Panel, bindTabs, showSides } from "../judging/texts.js";
import { occurrences } from "../judging/words.js";

const main = document.getElementById("judge");
const form = document.getElementById("judgment-form");
const state = JSON.parse(document.getElementById("judge-state").textContent);
let term = "";

const panels = Object.fromEntries(
  [...main.querySelectorAll("[data-side]")].map((element) => {
    const { side } = element.dataset;
    return [side, new Panel(element, state.texts?.[side])];
  }),
);
bindTabs(panels);
const keymap = new KeyMap(state.keys);
const parts = {
  panels,
  keymap,
  marking: null,
  undo: () => undo(),
  reveal: (element) => steps.reveal(element),
  answered: (field, isSure) => steps.answered(field, isSure),
  findTerm: (words) => find(words),
  lookUp: () => false,
  get step() {
    return steps.current;
  },
};
bindFields(form, parts);
const { marking } = parts;
const steps = new Steps(
  form,
  () => state.advance !== false,
  (step) => showSides(panels, step.dataset.sides.split(" ")),
);
const history = new History(readAnswers(), (answers) => {
  writeAnswers(answers);
  refresh();
});

function drawTexts(answers = readAnswers()) {
  for (const panel of Object.values(panels)) {
    const words = occurrences(panel.text, term).map((range) => ({ ...range, className: "term" }));
    panel.draw([...words, ...fields.flatMap((field) => field.layers(panel, answers))]);
  }
}

/** The same words once more, and they are no longer shown. */
function find(words) {
  term = words === term ? "" : words;
  drawTexts();
}

function refresh() {
  const before = readAnswers();
  for (const field of fields) field.grow(before);
  for (const field of fields) field.refresh(before);
  const answers = readAnswers();
  steps.update(answers);
  drawTexts(answers);
  return answers;
}

function undo() {
  if (!history.undo()) return false;
  toast(say("undone"), history.past.length ? undo : null);
  return true;
}

function redo() {
  if (!history.redo()) return false;
  toast(say("redone"), undo);
  return true;
}

let shown = readAnswers();
for (const kind of ["input", "change"]) {
  form.addEventListener(kind, (event) => {
    const { target } = event;
    mend(event);
    const now = refresh();
    const isTyping = kind === "input" && target.matches("textarea, input:is([type=text], [type=number], [type=range])");
    history.note(now, isTyping ? target.id || "line" : "");
    if (fingerprint(now) === fingerprint(shown)) return;
    shown = now;
    // What the server refused was of other answers: it says anew what is wrong with these.
    for (const notice of main.querySelectorAll(".problems")) notice.remove();
    for (const place of form.querySelectorAll("[data-problems]")) place.replaceChildren();
  });
}
form.addEventListener("focusout", () => history.pause());
form.addEventListener("submit", (event) => {
  steps.settleNow();
  // A number that is none of the question's is mended first, as where people judge: sent, it would be no answer.
  const wrong = fields.find((field) => field.isWrong);
  if (wrong) {
    event.preventDefault();
    if (wrong.step !== undefined) steps.open(wrong.step, false);
    return void steps.attend(wrong.target);
  }
  form.elements.answers.value = JSON.stringify(readAnswers());
});

/** Press what is to be seen of the controls that this action is for. */
const pressFor = (action) => [...form.querySelectorAll(`[data-key="${action}"]:not(kbd)`)].some(press);
const acts = (action) => () => fields.some((field) => field.act(action)) || pressFor(action);
const actions = {
  submit: () => form.requestSubmit(document.getElementById("submit")),
  undo,
  redo,
  back: () => steps.goBack(),
  filter: () => steps.filter(),
  original: () => panels.original?.focus() ?? false,
  simplification: () => panels.simplification?.focus() ?? false,
  add_error: acts("add_error"),
  keep: acts("keep"),
  move: acts("move"),
  doubt: acts("doubt"),
};
// What a study offers for reading is the study's: nothing of it is open here.
bindKeys({ keymap, actions, main, steps, marking, reading: { escape: () => false } });
keymap.announce(main);
steps.start(refresh());
// Keys answer where somebody is asked for an answer, and nowhere else.
const refused = main.querySelector(".problems a[href^='#']");
const due = refused && document.getElementById(refused.hash.slice(1));
if (due) {
  steps.reveal(due);
  steps.attend(due);
}
main.dataset.ready = "1";
