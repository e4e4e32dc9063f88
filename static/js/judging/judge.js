// The judging page: makes the parts and connects them. Each behaviour lives in its own file.

import { Autosave } from "./autosave.js";
import { Clock } from "./clock.js";
import { bindFields, fields, fingerprint, mend, readAnswers, say, writeAnswers } from "./form.js";
import { History } from "./history.js";
import { KeyMap, bindKeys, press } from "./keyboard.js";
import { clearProblems, settleProblems, toast } from "./notices.js";
import { Reading } from "./reading.js";
import { Rest } from "./rest.js";
import { Session } from "./session.js";
import { Steps } from "./steps.js";
import { Store } from "../platform/store.js";
import { Sync } from "./sync.js";
import { offerToTakeBack, remembered, takeBack } from "./taking-back.js";
import { Panel, bindTabs, showSides } from "./texts.js";

const main = document.getElementById("judge");
const page = main.dataset;
const form = document.getElementById("judgment-form");
const submitButton = document.getElementById("submit");
const state = JSON.parse(document.getElementById("judge-state").textContent);
const isEditable = page.editable === "1";

const panels = Object.fromEntries(
  [...main.querySelectorAll("[data-side]")].map((element) => {
    const { side } = element.dataset;
    return [side, new Panel(element, state.texts?.[side])];
  }),
);
bindTabs(panels);
const keymap = new KeyMap(state.keys);
// What the kinds of field may need of the page.
const parts = {
  panels,
  keymap,
  marking: null,
  undo: () => undo(),
  reveal: (element) => steps.reveal(element),
  answered: (field, isSure) => steps.answered(field, isSure),
  findTerm: (term) => reading.openTerm(term),
  lookUp: () => reading.aid("look-up"),
  get step() {
    return steps.current;
  },
};
bindFields(form, parts);
const { marking } = parts;
const steps = new Steps(
  form,
  () => state.advance !== false,
  (step) => {
    const sides = step.dataset.sides.split(" ");
    showSides(panels, sides);
    reading.showSides(sides);
  },
);
// When an aid was first opened goes with the saves of this pair.
const note = (aid) => (copy.aids = { [aid]: Date.now(), ...copy.aids });
const reading = new Reading(panels, page.guideUrl, () => drawTexts(), note);

function drawTexts(answers = readAnswers()) {
  for (const panel of Object.values(panels)) {
    panel.draw([...reading.layers(panel), ...fields.flatMap((field) => field.layers(panel, answers))]);
  }
}

function refresh() {
  const before = readAnswers();
  // First: rows grow, and what is asked below them has to be scrolled to after that.
  for (const field of fields) field.grow(before);
  for (const field of fields) field.refresh(before);
  for (const text of form.querySelectorAll("[data-longest]")) {
    const isLong = text.value.length > text.dataset.longest || !text.validity.valid;
    if (isLong) import("./too-long.js").then(({ measure }) => measure(text));
  }
  // They may have taken back an answer that nothing asks for any more.
  const answers = readAnswers();
  steps.update(answers);
  drawTexts(answers);
  return answers;
}

function show(answers) {
  writeAnswers(answers);
  const now = refresh();
  steps.start(now);
  history.note(now);
}

/** Go back or forth among the answers given here: to the step that changed, and saved like any answer. */
function travel(answers, before) {
  writeAnswers(answers);
  const others = fields.filter(({ name }) => fingerprint(answers[name]) !== fingerprint(before[name]));
  for (const { element } of others) settleProblems(element);
  const now = refresh();
  const { step } = others.find((field) => field.step !== undefined) ?? {};
  if (step !== undefined) steps.open(step, true);
  submitButton.removeAttribute("aria-disabled");
  autosave.changed(now);
}

function undo() {
  if (!isEditable || rest.isOn) return false;
  // With nothing left to take back here, the submission before this pair is.
  if (!history.undo()) return takeBack();
  toast(say("undone"), history.past.length ? undo : null);
  return true;
}

function redo() {
  if (!isEditable || rest.isOn) return false;
  if (history.redo()) toast(say("redone"), undo);
  return true;
}

const store = new Store(page.user, { key: page.copyKey, former: page.formerRefs });
const clock = new Clock({
  name: `${page.user}:${page.assignment}`,
  seconds: Number(page.activeSeconds),
  guidance: Number(page.guidanceSeconds),
});
const session = new Session(page, {
  onLogin: (isSame) => (isSame ? loggedIn() : autosave.halt({ reason: "other_user" })),
});
const answers = readAnswers();
const history = new History(answers, travel);
const copy = {
  study: page.study,
  position: Number(page.position),
  // A silent repeat stands at the position of another, and what is kept of that is not its own.
  assignment: page.assignment,
  pair: page.pairName,
  study_title: page.studyTitle,
  page: store.page,
  href: location.pathname,
  draft_url: page.draftUrl,
  submit_url: page.submitUrl,
  base_revision: Number(page.revision),
  acknowledged: fingerprint(state.answers),
  answers,
  active_seconds: clock.seconds,
  changed_at: Date.now(),
  intent: "draft",
  sent: null,
  // The server learns with the first save when a kept page was shown.
  ...(page.kept && { opened: Date.now() }),
};
const sync = new Sync({ copy, store, session, compareUrl: page.compareUrl, show, reveal: (element) => steps.reveal(element) });
/** A text that is longer than the server takes. */
const tooLong = () => form.querySelector("[data-longest]:invalid");
const on = {
  isHeld: tooLong,
  // A save may be refused for its token, ask for another and go out again; the disk takes its time as well.
  submitting: () => rest.begin(4),
  saved(body, kind) {
    // What was on its way before has arrived: now the submission goes out.
    if (rest.isOn) on.submitting();
    form.elements.base_revision.value = body.revision;
    // Of the answers that were saved; what changed since has its own score.
    if (!autosave.isUnsent) for (const field of fields) field.confirm(body.score, copy.answers);
    if (kind === "submit") clearProblems();
    sync.tell("saved");
    keeping?.saved(kind);
  },
  submitted(body) {
    clock.stop();
    const { number, submission } = body;
    const { user, study, takeBackUrl: url, pairName: pair } = page;
    if (number) remembered({ user, study, url, pair, number, submission, at: Date.now() });
    leaveFor(body.next_url);
  },
  halted(reason, body) {
    rest.end();
    submitButton.removeAttribute("aria-disabled");
    keeping?.halted(reason);
    sync.halted(reason, body);
  },
  unreached: () => {
    rest.end();
    if (copy.intent !== "submit" || !askForMissing()) return void keeping?.offerNext();
    // What was sent goes out again as a draft, under its key: as a submission it would be refused once the server is
    // back, in the place of the one that is complete by then. Whichever arrived, the receipt answers.
    copy.intent = "draft";
    if (copy.sent) copy.sent.kind = "draft";
    submitButton.removeAttribute("aria-disabled");
    autosave.keep();
    return void autosave.showLocal();
  },
};
const autosave = new Autosave(copy, { store, session, clock, on });

/** Until the other page is there, this one is at rest. */
function leaveFor(url) {
  rest.begin();
  location.assign(url);
}

// A new tab leaves this page where it is.
document.getElementById("next-kept").addEventListener("click", (event) => event.ctrlKey || event.metaKey || event.shiftKey || rest.begin());

/** Without the server nothing says what it would refuse: what is missing is asked for now, rather than once it is back. */
function askForMissing() {
  const index = steps.lacking(readAnswers());
  if (index < 0) return false;
  steps.open(index, false);
  steps.attend(steps.missing(index, readAnswers()));
  toast(say("incomplete"));
  return true;
}

function submit() {
  if (!isEditable) return;
  // A number of which another digit might have come.
  steps.settleNow();
  if (submitButton.getAttribute("aria-disabled")) return void (keeping?.onward && leaveFor(keeping.onward));
  // What stands in a field and cannot be sent is mended first, or taken out: it must not be lost by submitting.
  const long = tooLong();
  if (long) {
    steps.reveal(long);
    return steps.attend(long);
  }
  const wrong = fields.find((field) => field.isWrong);
  if (wrong) {
    if (wrong.step !== undefined) steps.open(wrong.step, false);
    return steps.attend(wrong.target);
  }
  if ((autosave.failures || !navigator.onLine) && askForMissing()) return;
  // One submission however often it is pressed; changing an answer makes the button live again.
  submitButton.setAttribute("aria-disabled", "true");
  clearProblems();
  autosave.submit();
}

// When a break is due, and the next pairs, kept on this computer: their scripts come when everything else is there.
let keeping = null;

async function keepNext() {
  const [{ Breaks }, { Keeping }] = await Promise.all([import("./breaks.js"), import("./keeping.js")]);
  clock.breaks = new Breaks(page);
  keeping = new Keeping({ main, session, store, copy, autosave, sync });
  await keeping.start();
}

let privateNote = null;

/** "Later" and the private note: their script comes with their first use. */
function bindOwn() {
  const ownPair = () => import("./own-pair.js");
  const form = document.getElementById("later-form");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    rest.begin();
    const save = () => isEditable && autosave.flushNow();
    const isLeft = await ownPair().then(({ keepForLater }) => keepForLater(form, page, session, save), () => false);
    if (!isLeft) rest.end();
  });
  const box = document.getElementById("private-note");
  const noteUrl = `${page.noteUrl}?of=${page.assignment}`;
  const open = async () => (privateNote = new (await ownPair()).Note(box, noteUrl, session, store));
  box?.addEventListener("toggle", open, { once: true });
}

async function loggedIn() {
  await autosave.flushNow();
  keeping?.renew();
  await sync.sendOthers();
}

if (isEditable) {
  for (const kind of ["input", "change"]) {
    form.addEventListener(kind, (event) => {
      const { target } = event;
      mend(event);
      if (rest.isOn && fingerprint(readAnswers()) !== fingerprint(copy.answers)) writeAnswers(copy.answers);
      const now = refresh();
      const isTyping = kind === "input" && target.matches("textarea, input:is([type=text], [type=number], [type=range])");
      history.note(now, isTyping ? target.id || "line" : "");
      // What merely has the focus was not answered: its problem stands.
      if (fingerprint(now) !== fingerprint(copy.answers)) {
        settleProblems(target);
        submitButton.removeAttribute("aria-disabled");
      }
      autosave.changed(now);
    });
  }
  form.addEventListener("focusout", () => history.pause());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter?.value === "submit") submit();
    else autosave.flushNow();
  });
}

document.addEventListener("submit", async (event) => {
  const logout = event.target.closest("[data-logout]");
  if (!logout) return;
  event.preventDefault();
  try {
    const { leave } = await import("../platform/leaving.js");
    await leave(logout, { store, session, flush });
  } catch {
    // Whatever is wrong here, nobody is kept from logging out.
    logout.submit();
  }
});

async function flush() {
  await privateNote?.send();
  if (!autosave.halted) await autosave.flushNow();
}

const save = () => void (isEditable && autosave.flushNow());

/** Press what is to be seen of the controls that this action is for. */
function pressFor(action) {
  return [...form.querySelectorAll(`[data-key="${action}"]:not(kbd)`)].some(press);
}

const acts = (action) => () => fields.some((field) => field.act(action)) || pressFor(action);
const actions = {
  submit,
  save,
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
  later: () => document.getElementById("later")?.click(),
  private_note: () => document.querySelector("#private-note summary")?.click(),
  renderings: () => reading.aid("toggle-renderings"),
  look_up: () => reading.aid("look-up"),
  voice: () => reading.aid("toggle-voice"),
  differences: () => reading.toggleDifferences(),
  term: () => reading.toggleTerm(),
  guide: () => void reading.toggleGuide(),
  help: () => void openKeys(),
};
bindKeys({ keymap, actions, main, steps, marking, reading });
keymap.announce(main);
bindOwn();

/** The sheet of keys: its script and its words come with the first use, or where somebody has keys of their own. */
const keysModule = () => import("./keys.js");
const person = { keymap, state, main, url: page.keysUrl };
const openKeys = async () => (await keysModule()).openKeys(person);
document.getElementById("open-help").addEventListener("click", openKeys);
if (Object.keys(keymap.own).length) keysModule().then(({ loadKeys }) => loadKeys(person));
if (page.kept) main.dataset.unknown = "";
steps.start(refresh());
const rest = new Rest(main, form, page.user);
offerToTakeBack(session, page.study, async (submission) => (await import("./sending-back.js")).sendBack(submission, session));
// When what earlier pages left has been looked at, the page says so as well.
const readOnly = async () => (await import("./unsendable.js")).readOnly(sync, autosave.status);
(isEditable ? sync.start(autosave) : readOnly()).finally(() => {
  main.dataset.synced = "1";
  keepNext();
});
window.addEventListener("online", () => autosave.retry());
window.addEventListener("pagehide", () => autosave.leave());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") autosave.leave();
  else if (autosave.failures) autosave.retry();
});
window.addEventListener("beforeunload", (event) => {
  // Only where nothing but this page holds the answers.
  if (autosave.isKept === false && autosave.isUnsent) event.preventDefault();
});
// Out of the back-and-forward cache comes a page that others may have overtaken.
window.addEventListener("pageshow", ({ persisted }) => persisted && (autosave.isUnsent ? rest.end() : location.reload()));
