// From selected words to an error: the small menu beside the selection, and the marks on the texts.

import { say } from "./form.js";

const LONG_PRESS_MS = 550;

export class Marking {
  constructor(panels, errorList, { keymap, digitsAllowed, findTerm, lookUp }) {
    this.keymap = keymap;
    this.panels = panels;
    this.errorList = errorList;
    this.digitsAllowed = digitsAllowed;
    this.findTerm = findTerm;
    this.lookUp = lookUp;
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
    for (const [on, off] of [["mouseover", "mouseleave"], ["focusin", "focusout"]]) {
      this.errorList.list.addEventListener(on, (event) => this.light(event.target.closest("[data-error]")));
      this.errorList.list.addEventListener(off, () => this.light(null));
    }
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
    this.chosen = this.selected();
    const isLookedUp = document.getElementById("glossary-card")?.open;
    this.menu.hidden = !this.chosen || isLookedUp || !this.errorList.form.elements.doubt.matches(":enabled");
    if (this.menu.hidden) return;
    const { active } = this.errorList;
    this.attachButton.hidden = !active?.isConnected;
    if (active) {
      const number = this.errorList.numberOf(active);
      this.attachButton.querySelector("[data-text]").textContent = say("attach", { number });
    }
    this.menu.toggleAttribute("data-digits", this.digitsAllowed());
    this.place();
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
      this.lookUp();
      return;
    }
    const { panel, words } = this.chosen;
    const { start, end } = panel.span(words);
    this.close();
    if ("term" in button.dataset) this.findTerm(panel.text.slice(words.start, words.end));
    else if ("attach" in button.dataset) this.errorList.attach(panel.side, start, end);
    else {
      const span = { [`${panel.side}_start`]: start, [`${panel.side}_end`]: end };
      this.errorList.add({ type: button.dataset.type, ...span });
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
    if (mark && !panel.selectedWords()) this.errorList.focusRow(Number(mark.dataset.ofError));
  }

  /** The error whose mark the caret is in, if any: Enter goes there. */
  markAtCaret() {
    const mark = document.getSelection().anchorNode?.parentElement?.closest("mark");
    return mark ? Number(mark.dataset.ofError) : null;
  }

  light(row) {
    const index = row ? this.errorList.numberOf(row) - 1 : -1;
    for (const mark of document.querySelectorAll("mark[data-of-error]")) {
      mark.toggleAttribute("data-lit", Number(mark.dataset.ofError) === index);
    }
  }
}
