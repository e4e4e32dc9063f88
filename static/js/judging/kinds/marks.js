// A list of marks on the texts, and the menu that makes them: rows are added, edited, removed and brought back; never more than the form holds.

import { Field, changed, define, fingerprint, say } from "../form.js";
import { hush, settleProblems, toast } from "../notices.js";

const SPANS = ["original_start", "original_end", "simplification_start", "simplification_end"];
const EMPTY = { type: "", note: "", ...Object.fromEntries(SPANS.map((name) => [name, null])) };
const LONG_PRESS_MS = 550;
const number = (value) => (value === "" ? null : Number(value));

export function readRow(row) {
  const value = (name) => row.querySelector(`[data-name="${name}"]`).value;
  const spans = Object.fromEntries(SPANS.map((name) => [name, number(value(name))]));
  return { type: value("type"), note: value("note"), ...spans };
}

export function writeRow(row, mark) {
  for (const name of ["type", "note", ...SPANS]) row.querySelector(`[data-name="${name}"]`).value = mark[name] ?? "";
}

export class Marks extends Field {
  /** Of the page: `undo` takes the last answer back; `reveal` shows a row, whichever step is open. */
  constructor(element, form, page) {
    super(element, form);
    const { undo, reveal, panels } = page;
    Object.assign(this, { undo, reveal, panels });
    this.list = element.querySelector(".error-list");
    this.empty = element.querySelector("[data-empty]");
    this.template = element.querySelector("template");
    this.addButton = element.querySelector("[data-add]");
    this.called = element.dataset.called ?? "error";
    this.active = this.untyped = null;
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("focusin", (event) => this.activate(event.target.closest("[data-error]")));
    this.list.addEventListener("change", (event) => this.typed(event.target));
    this.list.addEventListener("keydown", (event) => this.keyed(event));
    this.addButton.addEventListener("click", (event) => {
      event.preventDefault();
      this.add({});
    });
    this.renumber();
    // One menu beside the selected words serves all lists.
    page.marking ??= new Marking(page);
    page.marking.follows(this);
  }

  /** A sentence on a mark of it, which is an error or not. */
  says(name, values) {
    return say(`${this.called}${name[0].toUpperCase()}${name.slice(1)}`, values);
  }

  get rows() {
    return [...this.list.querySelectorAll("[data-error]")];
  }

  read() {
    return this.rows.map(readRow);
  }

  isAnswered(answers) {
    return answers[this.name].length > 0;
  }

  missing(answers) {
    const untyped = answers[this.name].findIndex(({ type }) => !type);
    return untyped < 0 ? super.missing(answers) : document.getElementById(`id_${this.name}.${untyped}.type`);
  }

  /** Numbered and typed. */
  layers(panel, answers) {
    const layers = answers[this.name].flatMap((mark, index) => {
      const [start, end] = [mark[`${panel.side}_start`], mark[`${panel.side}_end`]];
      if (start === null || end === null || start >= end) return [];
      const dataset = { ofError: index, ofField: this.name, type: mark.type, label: index + 1 };
      return [{ ...panel.range(start, end), tag: "mark", className: "mark", dataset }];
    });
    // The outermost is written first: where two begin together, their numbers stand in order.
    return layers.reverse();
  }

  clicked(event) {
    const row = event.target.closest("[data-error]");
    const side = event.target.closest("[data-unmark]")?.dataset.unmark;
    if (event.target.closest("[data-remove]")) {
      event.preventDefault();
      this.remove(row);
    } else if (side) {
      this.respan(row, side, null, null);
      row.querySelector("select").focus();
    }
  }

  keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=text]")) return;
    if (event.key === "Delete") this.remove(event.target.closest("[data-error]"));
    else return;
    event.preventDefault();
  }

  /** The type that the message asked for has been chosen. */
  typed(select) {
    if (select.value && select.matches("select") && this.untyped?.contains(select)) hush();
    if (this.untyped?.contains(select)) this.untyped = null;
  }

  add(error) {
    const row = this.draw({ ...EMPTY, ...error });
    this.renumber();
    this.activate(row);
    const select = row.querySelector("select");
    const values = { number: this.numberOf(row), type: select.selectedOptions[0].textContent };
    row.scrollIntoView({ block: "nearest" });
    toast(this.says(error.type ? "added" : "addedUntyped", values), () => this.undo());
    changed(this.element);
    this.untyped = error.type ? null : row;
    // What has a type and a passage is complete: stay in the text, ready for the next one.
    if (!error.type) select.focus();
  }

  /** Give the active error a passage on one side. */
  attach(side, start, end) {
    this.respan(this.active, side, start, end);
    toast(this.says("attached", { number: this.numberOf(this.active) }), () => this.undo());
  }

  respan(row, side, start, end) {
    writeRow(row, { ...readRow(row), [`${side}_start`]: start, [`${side}_end`]: end });
    settleProblems(row.querySelector(`[data-name=${side}_start]`));
    changed(this.element);
  }

  remove(row) {
    const number = this.numberOf(row);
    const neighbour = row.nextElementSibling ?? row.previousElementSibling;
    // Of the rows after it too: they are called by their numbers, which change.
    for (const each of this.rows.slice(number - 1)) settleProblems(each);
    row.remove();
    this.active = null;
    this.renumber();
    toast(this.says("removed", { number }), () => this.undo());
    changed(this.element);
    (neighbour?.querySelector("select") ?? this.addButton).focus();
  }

  activate(row) {
    this.active = row;
    for (const each of this.rows) each.toggleAttribute("data-active", each === row);
  }

  numberOf(row) {
    return this.rows.indexOf(row) + 1;
  }

  focusRow(index) {
    const row = this.rows[index];
    if (!row) return;
    this.reveal(row);
    row.querySelector("select").focus();
  }

  /** Replace the rows from the first that says something else: what is said of the others stands. */
  write(marks) {
    const wanted = marks ?? [];
    const { rows } = this;
    const same = rows.findIndex((row, index) => fingerprint(readRow(row)) !== fingerprint(wanted[index]));
    const kept = same < 0 ? rows.length : same;
    for (const row of rows.slice(kept)) {
      settleProblems(row);
      row.remove();
    }
    this.activate(null);
    for (const mark of wanted.slice(kept)) this.draw(mark);
    this.renumber();
  }

  draw(error) {
    const row = this.template.content.firstElementChild.cloneNode(true);
    writeRow(row, error);
    return this.list.appendChild(row);
  }

  renumber() {
    this.rows.forEach((row, index) => {
      row.id = `id_${this.name}.${index}`;
      for (const place of row.querySelectorAll("[data-number]")) place.textContent = index + 1;
      for (const control of row.querySelectorAll("[data-name]")) {
        control.name = `${this.name}-${index}-${control.dataset.name}`;
        control.id = `id_${this.name}.${index}.${control.dataset.name}`;
      }
      for (const label of row.querySelectorAll("[data-of]")) label.htmlFor = `id_${this.name}.${index}.${label.dataset.of}`;
      row.querySelector("[data-remove]").value = `remove:${this.name}:${index}`;
    });
    this.empty.hidden = this.list.children.length > 0;
  }

  /** Show in the rows what their hidden offsets say. */
  grow() {
    for (const row of this.rows) {
      const error = readRow(row);
      row.dataset.type = error.type;
      for (const [side, panel] of Object.entries(this.panels)) {
        const line = row.querySelector(`[data-span="${side}"]`);
        const start = error[`${side}_start`];
        line.hidden = start === null;
        if (start !== null) line.querySelector("[data-quote]").textContent = panel.quote(start, error[`${side}_end`]);
      }
    }
  }
}

/** From selected words to a mark: the small menu beside the selection, and the marks on the texts. */
class Marking {
  /** Of the page: `findTerm` and `lookUp` are aids that take selected words, `step` the one that is open. */
  constructor(page) {
    Object.assign(this, { page, keymap: page.keymap, panels: page.panels, lists: [] });
    this.menu = document.getElementById("error-menu");
    this.attachButton = this.menu.querySelector("[data-attach]");
    // The menu is the same for all studies, a glossary is not.
    this.menu.querySelector("[data-look-up]").hidden = !document.getElementById("look-up");
    this.buttons = [...this.menu.querySelectorAll("button")];
    this.chosen = null;
    this.bind();
  }

  bind() {
    document.addEventListener("pointerdown", (event) => {
      this.isPressed = Boolean(event.target.closest("[data-side]"));
      this.isHeld = this.menu.contains(event.target);
    });
    // While the pointer is down the selection still grows: the menu would get in its way.
    // A browser that selects by long press itself takes the pointer over: "cancel".
    for (const kind of ["pointerup", "pointercancel"]) {
      document.addEventListener(kind, () => {
        this.isPressed = false;
        setTimeout(() => this.follow());
      });
    }
    document.addEventListener("selectionchange", () => this.isPressed || this.follow());
    // Back from the glossary, the words are selected still.
    document.addEventListener("close", () => this.follow(), { capture: true });
    document.addEventListener("scroll", () => this.place(), { capture: true, passive: true });
    this.menu.addEventListener("click", (event) => this.press(event.target.closest("button")));
    this.menu.addEventListener("keydown", (event) => this.keyed(event));
    // A press on the menu must not take the selection away; on a touch screen it may all the same.
    this.menu.addEventListener("pointerdown", (event) => event.preventDefault());
    for (const panel of Object.values(this.panels)) {
      panel.element.addEventListener("click", (event) => this.clickedMark(event, panel));
      this.bindLongPress(panel);
    }
  }

  /** Another list whose marks it makes. */
  follows(list) {
    this.lists.push(list);
    list.element.addEventListener("focusin", () => (this.latest = list));
    for (const [on, off] of [["mouseover", "mouseleave"], ["focusin", "focusout"]]) {
      list.list.addEventListener(on, (event) => this.light(event.target.closest("[data-error]"), list));
      list.list.addEventListener(off, () => this.light(null, list));
    }
  }

  /** The lists that a new mark may go to: those of the open step that are asked for, else the first of them. */
  get open() {
    const visible = this.lists.filter(({ element }) => !element.hidden);
    const here = visible.filter(({ step }) => step === this.page.step);
    return here.length ? here : visible.slice(0, 1);
  }

  /** Of these the one that had the focus last. */
  get list() {
    const { open } = this;
    return open.find((list) => list === this.latest) ?? open[0];
  }

  /** A long press selects the word under the finger, where the browser has not done so itself. */
  bindLongPress(panel) {
    const { element } = panel;
    let timer = 0;
    let isLong = false;
    element.addEventListener("touchstart", ({ touches }) => {
      clearTimeout(timer);
      isLong = false;
      if (touches.length > 1) return;
      const { clientX: x, clientY: y } = touches[0];
      timer = setTimeout(() => {
        isLong = true;
        this.isPressed = false;
        if (!panel.selectedWords()) panel.selectWordAt(x, y);
      }, LONG_PRESS_MS);
    }, { passive: true });
    for (const kind of ["touchmove", "touchcancel"]) {
      element.addEventListener(kind, () => clearTimeout(timer), { passive: true });
    }
    element.addEventListener("touchend", (event) => {
      clearTimeout(timer);
      // The click that would follow takes the selection away.
      if (isLong && event.cancelable) event.preventDefault();
    });
  }

  get isOpen() {
    return !this.menu.hidden;
  }

  /** Show or hide the menu as the selection says. */
  follow() {
    if (this.isHeld || this.menu.contains(document.activeElement)) return;
    this.chosen = this.page.isTaken?.() ? null : this.selected();
    const isLookedUp = document.getElementById("glossary-card")?.open;
    const { list, open } = this;
    this.menu.hidden = !this.chosen || isLookedUp || !list?.addButton.matches(":enabled:not([inert] *)");
    if (this.menu.hidden) return;
    this.offer(open.map(({ name }) => name));
    const { active } = list;
    this.attachButton.hidden = !active?.isConnected;
    if (active) {
      this.attachButton.querySelector("[data-text]").textContent = list.says("attach", { number: list.numberOf(active) });
    }
    this.menu.toggleAttribute("data-digits", this.page.step === list.step);
    this.place();
  }

  /** The types of these lists, by digits in the order in which they stand; of several lists each says whose it is. */
  offer(names) {
    let digit = 0;
    for (const button of this.buttons.filter(({ dataset }) => dataset.ofField)) {
      button.hidden = !names.includes(button.dataset.ofField);
      if (button.hidden) continue;
      digit += 1;
      button.querySelector("[data-digit]").textContent = digit > 9 ? "" : digit;
      button.querySelector("[data-list]")?.toggleAttribute("hidden", names.length < 2);
    }
  }

  selected() {
    for (const panel of Object.values(this.panels)) {
      const words = panel.selectedWords();
      if (words) return { panel, words };
    }
    return null;
  }

  place() {
    if (this.menu.hidden || !document.getSelection().rangeCount) return;
    const box = document.getSelection().getRangeAt(0).getBoundingClientRect();
    const [width, height] = [this.menu.offsetWidth, this.menu.offsetHeight];
    const below = box.bottom + 8;
    const top = below + height > innerHeight ? Math.max(8, box.top - height - 8) : below;
    this.menu.style.setProperty("--menu-top", `${Math.round(top)}px`);
    const left = Math.max(8, Math.min(box.left, innerWidth - width - 8));
    this.menu.style.setProperty("--menu-left", `${Math.round(left)}px`);
  }

  enter() {
    this.buttons.find((button) => !button.hidden).focus();
  }

  close() {
    const { panel, words } = this.chosen ?? {};
    this.menu.hidden = true;
    this.chosen = null;
    if (!panel) return;
    panel.element.focus();
    panel.select(words.end);
  }

  press(button) {
    this.isHeld = false;
    if (!button || !this.chosen) return;
    if ("lookUp" in button.dataset) {
      // The words stay selected: they are what is looked up, and where one comes back to.
      this.menu.hidden = true;
      this.page.lookUp();
      return;
    }
    const { panel, words } = this.chosen;
    const { start, end } = panel.span(words);
    this.close();
    if ("term" in button.dataset) this.page.findTerm(panel.text.slice(words.start, words.end));
    else if ("attach" in button.dataset) this.list.attach(panel.side, start, end);
    else {
      const span = { [`${panel.side}_start`]: start, [`${panel.side}_end`]: end };
      this.lists.find(({ name }) => name === button.dataset.ofField).add({ type: button.dataset.type, ...span });
    }
  }

  /** A key while words are selected: true where it was for the menu. */
  key(name) {
    const digits = this.menu.hasAttribute("data-digits") || this.menu.contains(document.activeElement);
    const button = this.buttons.find((each) => {
      const { key } = each.querySelector("[data-letter]").dataset;
      const isDigit = digits && each.querySelector("[data-digit]")?.textContent === name;
      return !each.hidden && (isDigit || this.keymap.of(key) === name);
    });
    if (button) this.press(button);
    return Boolean(button);
  }

  keyed(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const shown = this.buttons.filter((button) => !button.hidden);
    shown.at((shown.indexOf(document.activeElement) + step) % shown.length).focus();
  }

  /** A plain click (nothing selected) on a mark goes to its error. */
  clickedMark({ target }, panel) {
    const mark = target.closest("mark");
    if (mark && !panel.selectedWords()) this.goTo(mark);
  }

  goTo({ dataset }) {
    this.lists.find(({ name }) => name === dataset.ofField)?.focusRow(Number(dataset.ofError));
  }

  /** Enter: into the menu, or to the row of the mark that the caret is in, if there is one. */
  enterText() {
    const mark = document.getSelection().anchorNode?.parentElement?.closest("mark");
    if (this.isOpen) this.enter();
    else if (mark) this.goTo(mark);
  }

  light(row, list) {
    const index = row ? list.numberOf(row) - 1 : -1;
    for (const mark of document.querySelectorAll(`mark[data-of-field="${list.name}"]`)) {
      mark.toggleAttribute("data-lit", Number(mark.dataset.ofError) === index);
    }
  }
}

define("marks", Marks);
