// Edits on both texts: the operations that made one of the other. What is marked goes into the edit in hand, on either
// side and in as many places as it has; its operation is chosen by number or by name. An edit without an operation yet
// is an answer like the others: it is saved, taken back and given again with them.

import { Field, changed, define } from "../form.js";
import { areSingleKeysOn } from "../keyboard.js";
import { toast } from "../notices.js";
import { across } from "./edits-aligned.js";
import { Cursor } from "./edits-cursor.js";
import { Link, layersOf } from "./edits-drawn.js";
import { List } from "./edits-list.js";
import { Offers } from "./edits-offers.js";
import { rangesOf, touched } from "./edits-tokens.js";
import { Types } from "./edits-types.js";

const SIDES = ["original", "simplification"];
const EMPTY = { type: "", original: [], simplification: [], note: "", severity: null, source: "hand" };
const otherOf = (side) => SIDES.find((each) => each !== side);

/** In one order of names, and each a copy: what is kept is never what a form or a history holds. */
const copied = (edit) =>
  Object.fromEntries(Object.entries(EMPTY).map(([name, none]) => {
    const value = edit[name] ?? none;
    return [name, Array.isArray(value) ? value.map((span) => [...span]) : value];
  }));

export class Edits extends Field {
  constructor(element, form, page) {
    super(element, form);
    Object.assign(this, { page, panels: page.panels, hand: -1, lit: -1, glanced: -1, begun: null });
    /** `stays`: the focus does; `dropped`, what was written for an operation and is none; `passed`, which words were asked about. */
    Object.assign(this, { stays: false, isHeld: false, dropped: "", passed: "" });
    this.stored = element.querySelector("[data-written]");
    this.most = Number(element.dataset.most);
    this.edits = JSON.parse(this.stored.value || "[]").map(copied);
    this.types = new Types(element, {
      chosen: (type) => this.choose(type),
      left: () => this.back(),
      lost: (...typed) => this.lost(...typed),
    });
    this.list = new List(element, this);
    (page.edits ??= []).push(this);
    const isOurs = () => this.isOurs;
    // The menu of marks stays away meanwhile.
    const others = page.isTaken;
    page.isTaken = () => isOurs() || Boolean(others?.());
    this.cursor = new Cursor(this.panels, element.dataset.cut, { isOurs, moved: () => this.moved() });
    this.offers = new Offers(element, this);
    this.link = new Link(this.panels);
    this.changing = -1;
    this.takeUntyped();
    this.bind();
  }

  /** Whether the texts are marked for this field now. Where another list is asked for as well, whoever had the focus last. */
  get isOurs() {
    if (this.page.step !== this.step || this.element.hidden) return false;
    const others = this.page.edits.filter((list) => list !== this && list.step === this.step && !list.element.hidden);
    if (this.isLast || (!this.isShared && !others.length)) return true;
    return !this.isShared && !others.some((list) => list.isLast || list.isBefore(this));
  }

  isBefore({ element }) {
    return Boolean(this.element.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  get isShared() {
    return Boolean(this.page.marking?.lists.some(({ step, element }) => step === this.step && !element.hidden));
  }

  bind() {
    const { element, panels } = this;
    this.form.addEventListener("focusin", ({ target }) => (this.isLast = element.contains(target)));
    for (const [act, run] of Object.entries({
      mark: () => this.mark(false),
      over: () => this.mark(true),
      done: () => this.letGo(),
    })) {
      const button = element.querySelector(`[data-hand-act="${act}"]`);
      // The words stay selected while they are marked.
      button.addEventListener("pointerdown", (event) => event.preventDefault());
      button.addEventListener("click", run);
    }
    this.types.input.addEventListener("focus", () => this.untypedInHand());
    // Before the page sends what stands in it.
    window.addEventListener("pagehide", () => this.settle());
    for (const panel of Object.values(panels)) {
      panel.element.setAttribute("aria-describedby", `hint-${this.name}`);
      panel.element.addEventListener("keydown", (event) => this.keyed(event));
      panel.element.addEventListener("mouseover", ({ target }) => this.glance(this.under(target)));
      panel.element.addEventListener("mouseleave", () => this.glance(-1));
      panel.element.addEventListener("click", ({ target }) => this.light(this.under(target)));
    }
  }

  /** What the page says of this field: its sentences stand in it. */
  words(name, values = {}) {
    const { dataset } = this.element.querySelector("[data-words]");
    return dataset[`say${name[0].toUpperCase()}${name.slice(1)}`].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  }

  tell(name, values, isUndone = false) {
    toast(this.words(name, values), isUndone ? () => this.page.undo() : null);
  }

  get isEditable() {
    return this.types.isEnabled;
  }

  // -- as a field ------------------------------------------------------------------------------------------------

  read() {
    return this.edits.map(copied);
  }

  write(value) {
    this.edits = (value ?? []).map(copied);
    this.keep();
    this.takeUntyped();
  }

  /** What waits for its operation is in hand. */
  takeUntyped() {
    this.hand = this.lit = this.edits.findLastIndex(({ type }) => !type);
    this.glanced = -1;
    this.begun = null;
  }

  /** None is an answer where it is asked of every pair. */
  isAnswered(answers) {
    return (this.isRequired && !this.shownWhen) || this.isGiven(answers);
  }

  isGiven(answers) {
    return answers[this.name].length > 0;
  }

  missing(answers) {
    const isWhole = (edit) => edit.type && !SIDES.some((side) => this.lacks(edit, side));
    return answers[this.name].every(isWhole) ? super.missing(answers) : this.target;
  }

  summary(answers) {
    return answers[this.name].length ? this.words("counted", { count: answers[this.name].length }) : "";
  }

  grow() {
    this.list.draw(this.edits, { hand: this.hand });
    this.offers.draw();
    this.drawHand();
    this.list.light(this.lit);
    requestAnimationFrame(() => this.link.show(this.looked));
  }

  layers(panel) {
    const { hand, looked: lit } = this;
    const placesOf = (edit) => this.places(edit, panel.side);
    const label = ({ type }) => this.types.byType.get(type)?.label ?? "";
    return [...this.offers.layers(panel), ...layersOf(this.edits, panel, { hand, lit, placesOf, label })];
  }

  get takesDigits() {
    return this.isOurs;
  }

  // -- what is not chosen yet ------------------------------------------------------------------------------------

  /** Of the number that stands in the field, the operation: as though it had been chosen, without taking the focus.
      Whether it came about; undefined where there is no such number. */
  settle(operation = this.types.meant) {
    if (!operation || !this.isEditable) return undefined;
    this.types.clear();
    this.stays = true;
    const isMade = this.choose(operation.type) !== false;
    this.stays = false;
    if (isMade) this.passed = this.selected;
    return isMade;
  }

  /** The field of operations is left. Who goes to words, in a text or as suggested, chooses others: what was written
      was for those before. Otherwise a number is settled, and what is none asked about before anything is submitted. */
  lost(written, operation, next) {
    const areOthers = next?.closest("[data-side], [data-offers]");
    if (!areOthers && this.settle(operation) === undefined) this.dropped = written;
    this.changing = -1;
  }

  /** Several words that are selected and not all in an edit: marked for one that nobody chose yet? */
  get selected() {
    const { at } = this.cursor;
    if (!at || at.from === at.to || !this.isOurs || !this.isEditable) return "";
    const covered = new Set(this.edits.flatMap((edit) => this.places(edit, at.side)));
    return run(at).every((place) => covered.has(place)) ? "" : `${at.side} ${at.from} ${at.to}`;
  }

  /** Enter elsewhere, and before anything is submitted: a number counts, whatever else was begun is asked about. */
  settleNow() {
    const isMade = this.settle();
    this.isHeld = isMade === undefined ? this.asks() : !isMade;
    return Boolean(isMade) || this.isHeld;
  }

  /** Tell what would be lost; words that are merely selected, once: they may have been selected to read them. */
  asks() {
    const { selected } = this;
    const written = this.types.written || this.dropped;
    const isAsked = Boolean(written) || (selected !== "" && selected !== this.passed);
    if (isAsked) this.tell(written ? "notChosen" : "notMarked", { written });
    this.dropped = "";
    this.passed = selected;
    return isAsked;
  }

  /** Something was begun for which nothing is chosen: nothing is submitted before it was told. */
  get isWrong() {
    return this.isHeld;
  }

  leave() {
    this.isHeld = false;
  }

  digit(key) {
    this.types.begin(key);
    return true;
  }

  /** Of the map of keys, wherever the focus is: the list of operations opens. */
  act(action) {
    if (action !== "add_error" || !this.isOurs || !this.isEditable) return false;
    this.types.begin();
    return true;
  }

  // -- edits and words -------------------------------------------------------------------------------------------

  tokens(side) {
    return this.cursor.texts[side]?.tokens ?? [];
  }

  /** The places of the tokens that an edit marks in a text. */
  places(edit, side) {
    const panel = this.panels[side];
    return panel ? touched(edit[side].map(([start, end]) => panel.range(start, end)), this.tokens(side)) : [];
  }

  /** Whether its operation asks for words of this text that it does not have. */
  lacks(edit, side) {
    const marked = this.types.byType.get(edit.type)?.side;
    if (marked === "either") return !SIDES.some((each) => edit[each].length);
    return (marked === "both" || marked === side) && !edit[side].length;
  }

  quoted(edit, side) {
    return edit[side].map(([start, end]) => this.panels[side].quote(start, end)).join(" … ");
  }

  spans(places, side) {
    return rangesOf(places, this.tokens(side)).map((range) => Object.values(this.panels[side].span(range)));
  }

  /** Keep what stands now, without telling the page. */
  keep() {
    this.stored.value = JSON.stringify(this.edits);
  }

  put(index, parts) {
    this.edits[index] = { ...this.edits[index], ...parts };
    this.keep();
  }

  /** Keep it and tell the page: an answer was given. */
  stand() {
    this.keep();
    changed(this.element);
  }

  /** Another edit, unless there are as many as there may be: its place, or -1. */
  added(parts) {
    if (this.edits.length >= this.most) {
      this.tell("tooMany", { count: this.most });
      return -1;
    }
    this.edits.push(copied({ ...EMPTY, ...parts }));
    return this.edits.length - 1;
  }

  // -- marking ---------------------------------------------------------------------------------------------------

  /** The words at hand go into the edit in hand; those that it has go out of it again. `isOver`: and on to the other text. */
  mark(isOver) {
    const { at } = this.cursor;
    if (!this.isEditable) return;
    if (!at) return this.tell("noWords");
    this.begun ??= at.side;
    if (this.hand < 0) this.hand = this.added({});
    if (this.hand < 0) return;
    const [edit, { side }] = [this.edits[this.hand], at];
    const [had, chosen] = [this.places(edit, side), run(at)];
    const isIn = chosen.every((place) => had.includes(place));
    if (!isIn) this.put(this.hand, { [side]: this.spans([...had, ...chosen], side) });
    else if (!isOver) this.put(this.hand, { [side]: this.spans(had.filter((place) => !chosen.includes(place)), side) });
    this.lit = this.hand;
    const now = this.edits[this.hand];
    const isGone = !now.type && SIDES.every((each) => !now[each].length);
    if (isGone) this.drop(this.hand);
    const isDone = !isGone && !isIn && now.type && edit[side].length === 0 && !SIDES.some((each) => this.lacks(now, each));
    this.stand();
    if (isDone) this.finish(this.hand);
    else if (isOver && !isGone) this.goOver(at);
    else if (!isGone) this.say("marked", { number: this.hand + 1, words: this.quoted(this.edits[this.hand], side) });
  }

  /** To what stands in the other text where these words stand in this one. */
  goOver({ side, from }) {
    const other = otherOf(side);
    if (this.panels[other]) this.enter(other, across(this.offers.pairs, from, side));
  }

  /** Into a text, unless the focus is to stay where it is. */
  enter(side, place) {
    if (!this.stays) this.cursor.enter(side, place);
  }

  /** What the operation takes of the words at hand, where nothing is marked yet. */
  withWordsAtHand(edit, operation) {
    const { at } = this.cursor;
    if (!at || operation.side === "pair" || edit[at.side].length) return edit;
    // Of an edit in hand, only those of the text that one went over to.
    if (this.hand >= 0 && (!this.begun || this.begun === at.side)) return edit;
    const isFree = this.hand < 0 || !edit[otherOf(at.side)].length;
    const isOwn = operation.side === at.side || operation.side === "both" || (operation.side === "either" && isFree);
    return isOwn ? { ...edit, [at.side]: this.spans(run(at), at.side) } : edit;
  }

  /** The key of an operation: for the edit that it was asked for, else the one in hand, else for the words at hand.
      False where it is given to none. */
  choose(type) {
    const operation = this.types.byType.get(type);
    this.dropped = "";
    if (this.changing >= 0) return this.retype(operation);
    const { at } = this.cursor;
    if (this.hand < 0 && !at && operation.side !== "pair") {
      this.back();
      this.tell("noWords");
      return false;
    }
    const parts = this.withWordsAtHand(this.hand >= 0 ? this.edits[this.hand] : copied(EMPTY), operation);
    const index = this.hand >= 0 ? this.hand : this.added({});
    if (index < 0) {
      this.back();
      return false;
    }
    this.begun ??= at?.side;
    const dropped = this.retyped(index, parts, operation);
    this.hand = this.lit = index;
    const lacking = SIDES.find((side) => this.lacks(this.edits[index], side));
    this.stand();
    if (!lacking) return this.finish(index, dropped);
    this.tell(lacking === "original" ? "markOriginal" : "markSimplification", { number: index + 1, type: operation.label }, true);
    if (at && at.side !== lacking && this.edits[index][at.side].length) this.goOver(at);
    else this.enter(lacking);
  }

  /** Words where the operation has none go: which, for the page to say so. */
  retyped(index, edit, { type, side }) {
    const other = SIDES.includes(side) && otherOf(side);
    const dropped = other ? this.quoted(edit, other) : "";
    this.put(index, { ...edit, type, ...(other && { [other]: [] }) });
    return dropped;
  }

  sayDone(index, { label }, words) {
    this.tell(words ? "doneWithout" : "done", { number: index + 1, type: label, words }, true);
  }

  /** It is whole: back to where it was begun, behind its words there. */
  finish(index, dropped = "") {
    const { type } = this.edits[index];
    const side = this.begun ?? this.cursor.at?.side;
    this.hand = -1;
    this.begun = null;
    this.sayDone(index, this.types.byType.get(type), dropped);
    this.redraw();
    // Where the edit in hand scrolls with the list, it stays in view instead: the next one is made there.
    if (getComputedStyle(this.target).position === "sticky") this.list.rows[index]?.scrollIntoView({ block: "nearest" });
    else this.target.scrollIntoView({ block: "nearest" });
    if (side) this.enter(side, (this.places(this.edits[index], side).at(-1) ?? this.cursor.texts[side].focus - 1) + 1);
  }

  /** Of an edit that has one already. */
  retype(operation) {
    const index = this.changing;
    const dropped = this.retyped(index, this.edits[index], operation);
    this.hand = this.hand === index ? -1 : this.hand;
    this.stand();
    this.sayDone(index, operation, dropped);
    this.back();
  }

  /** Another operation for this edit, from a button of its row. */
  askType(index, beside, typed = "") {
    this.changing = index;
    this.types.begin(typed, beside);
  }

  /** Nothing was chosen: to where it was asked. */
  back() {
    const { changing } = this;
    this.changing = -1;
    if (this.stays || (changing >= 0 && this.list.focus(changing))) return;
    const { side } = this.cursor;
    if (side) this.cursor.enter(side);
  }

  /** What waits for its operation is what one chooses for. */
  untypedInHand() {
    if (this.changing < 0 && this.hand < 0) this.take(this.edits.findIndex(({ type }) => !type), false);
  }

  /** Into the hand: its words can be changed; -1 puts down what is there. */
  take(index, isSaid = true) {
    this.hand = this.lit = index;
    this.begun = null;
    this.redraw();
    if (isSaid && index >= 0) this.tell("taken", { number: index + 1 });
  }

  /** Put down; what has no operation yet is let go of. */
  letGo() {
    const { hand } = this;
    if (hand < 0) return false;
    this.begun = null;
    if (this.edits[hand].type) this.take(-1);
    else this.remove(hand, false);
    return true;
  }

  drop(index) {
    this.edits.splice(index, 1);
    this.hand = this.hand === index ? -1 : this.hand - (this.hand > index ? 1 : 0);
    this.lit = this.glanced = -1;
    this.begun = null;
  }

  remove(index, isFocused = this.list.list.contains(document.activeElement)) {
    if (!this.isEditable || index < 0) return;
    this.drop(index);
    this.stand();
    this.tell("removed", { number: index + 1 }, true);
    if (isFocused && !this.list.focus(Math.min(index, this.edits.length - 1), "remove")) this.types.input.focus();
  }

  /** In two: the words at hand, where it has them among others; else its passages, one edit for each. */
  split(index) {
    const edit = this.edits[index];
    const { at } = this.cursor;
    const had = at ? this.places(edit, at.side) : [];
    const chosen = at ? run(at).filter((place) => had.includes(place)) : [];
    const count = Math.max(...SIDES.map((side) => edit[side].length));
    const parts = [];
    if (chosen.length && chosen.length < had.length) {
      const rest = had.filter((place) => !chosen.includes(place));
      parts.push({ [at.side]: this.spans(rest, at.side) }, { [at.side]: this.spans(chosen, at.side), [otherOf(at.side)]: [] });
    } else if (count > 1) {
      for (let part = 0; part < count; part++) {
        parts.push(Object.fromEntries(SIDES.map((side) => [side, edit[side].slice(part, part + 1)])));
      }
    } else return this.tell("notSplit");
    if (this.edits.length + parts.length - 1 > this.most) return this.tell("tooMany", { count: this.most });
    this.edits.splice(index, 1, ...parts.map((each, part) => copied({ ...edit, ...each, note: part ? "" : edit.note })));
    this.hand = -1;
    this.lit = index;
    this.stand();
    this.tell("split", { number: index + 1, count: parts.length }, true);
    this.list.focus(index, "split");
  }

  // -- keys ------------------------------------------------------------------------------------------------------

  keyed(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
    if (!this.isOurs || event.isComposing) return;
    const isPlain = !ctrlKey && !metaKey && !altKey;
    if (this.cursor.side && this.cursor.key(event)) event.preventDefault();
    else if (isPlain && !repeat && this.isEditable && this.pressed(key, shiftKey)) {
      event.preventDefault();
      // The page's own keys: Escape leaves the text only where nothing is in hand.
      event.stopPropagation();
    }
  }

  /** True where the key was for the words at hand. */
  pressed(key, isShifted) {
    if (key === "Enter") return this.mark(true) ?? true;
    if (key === "Delete") return this.removeHere();
    if (key === "Escape") return this.letGo();
    if (key === "PageDown" || key === "PageUp") return this.goToNext(key === "PageDown" ? 1 : -1);
    if (isShifted || !areSingleKeysOn()) return false;
    const { keymap } = this.page;
    if (key === " ") return this.mark(false) ?? true;
    if (/^[0-9]$/.test(key)) return this.types.begin(key) ?? true;
    if (key === keymap.of("attach")) return this.takeLast();
    return key === keymap.of("keep") && this.offers.acceptAt(this.cursor.at);
  }

  /** The edits at the words at hand, the last one first. */
  here() {
    const { at } = this.cursor;
    if (!at) return [];
    const isHere = (edit) => this.places(edit, at.side).some((place) => place >= at.from && place <= at.to);
    return this.edits.flatMap((edit, index) => (isHere(edit) ? [index] : [])).reverse();
  }

  removeHere() {
    const [index = -1] = this.hand >= 0 ? [this.hand] : this.here();
    if (index < 0) return this.offers.refuseAt(this.cursor.at);
    this.remove(index, false);
    return true;
  }

  /** The words at hand go into the edit that was worked on last. */
  takeLast() {
    const last = this.edits[this.lit] ? this.lit : this.edits.length - 1;
    if (last < 0) return false;
    this.hand = last;
    this.mark(false);
    if (this.edits[last]?.type) this.take(-1, false);
    return true;
  }

  /** To the next edit or suggestion of this text, in the order of its words. */
  goToNext(step) {
    const { at } = this.cursor;
    if (!at) return false;
    const firsts = [...this.edits, ...this.offers.shown].flatMap((edit) => this.places(edit, at.side).slice(0, 1));
    const ordered = [...new Set(firsts)].sort((a, b) => a - b);
    const place = step > 0 ? ordered.find((each) => each > at.from) : ordered.findLast((each) => each < at.from);
    if (place !== undefined) this.cursor.enter(at.side, place);
    return true;
  }

  // -- what is looked at -----------------------------------------------------------------------------------------

  under(target) {
    return Number(target.closest(".edit")?.dataset.ofEdit ?? -1);
  }

  /** The words at hand are other ones: what is marked there is shown on both sides. */
  moved() {
    const [index = -1] = this.hand >= 0 ? [this.hand] : this.here();
    if (index !== this.lit) this.light(index);
    this.drawHand();
  }

  light(index) {
    if (index < 0 && this.hand >= 0) return;
    this.lit = index;
    this.glance(-1);
    this.list.light(index);
  }

  /** For as long as the pointer rests there. */
  glance(index) {
    this.glanced = index;
    for (const span of document.querySelectorAll("#texts [data-of-edit]")) {
      span.toggleAttribute("data-lit", Number(span.dataset.ofEdit) === this.looked);
    }
    this.link.show(this.looked);
  }

  /** The edit that is looked at: pointed at, or worked on last. */
  get looked() {
    return this.glanced >= 0 ? this.glanced : this.lit;
  }

  goTo(index) {
    this.light(index);
    const side = SIDES.find((each) => this.edits[index][each].length && this.panels[each]);
    if (side) this.cursor.reveal(Object.assign(this.cursor.texts[side], { anchor: 0, focus: this.places(this.edits[index], side)[0] }));
  }

  /** What the hand holds, in words, and what can be done with it. */
  drawHand() {
    const { at } = this.cursor;
    const edit = this.edits[this.hand];
    const box = this.target;
    box.toggleAttribute("data-hand", Boolean(edit));
    const words = at && this.panels[at.side].text.slice(this.tokens(at.side)[at.from].start, this.tokens(at.side)[at.to].end);
    box.querySelector("[data-hand-number]").textContent = edit ? this.hand + 1 : this.edits.length + 1;
    for (const side of SIDES) {
      const place = box.querySelector(`[data-quote="${side}"]`);
      const quoted = edit && this.quoted(edit, side);
      place.textContent = quoted || (at?.side === side ? words : "");
      place.toggleAttribute("data-only-chosen", !quoted);
    }
    box.querySelector("[data-hand-act=done]").hidden = !edit;
    box.querySelector("[data-none]").hidden = Boolean(edit || at);
  }

  /** Said, not shown: the page shows it already. */
  say(name, values) {
    this.element.querySelector("[data-said]").textContent = this.words(name, values);
  }

  redraw() {
    changed(this.element);
  }
}

const run = ({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

define("edits", Edits);
