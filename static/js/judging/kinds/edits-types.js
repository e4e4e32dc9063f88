// The operations to choose from: a combobox after the ARIA pattern. Digits choose by number, letters look for words;
// the list opens beside the field it was asked from, at the foot of the window on a phone.

import { folded } from "../words.js";

export class Types {
  /** `element` holds the combobox and its list; `chosen` hears the key of an operation, `left` that nothing was, `lost` what stood there
      when the focus went, and to what it went. */
  constructor(element, { chosen, left, lost }) {
    Object.assign(this, { chosen, left, lost });
    this.input = element.querySelector("[role=combobox]");
    this.button = element.querySelector("[data-all]");
    this.box = element.querySelector("[data-operations]");
    this.list = this.box.querySelector("[role=listbox]");
    this.card = this.box.querySelector("[data-card]");
    this.options = [...this.list.querySelectorAll("[role=option]")].map((option) => {
      const { type, number, asks: side } = option.dataset;
      const label = option.querySelector("[data-label]").textContent.trim();
      const group = option.closest("[role=group]");
      const words = folded(`${label} ${type.replaceAll("_", " ")} ${group.dataset.label}`).plain;
      return { element: option, type, number, side, label, group, words: words.split(/[^\p{L}\p{N}]+/u), start: folded(label).plain };
    });
    this.byType = new Map(this.options.map((option) => [option.type, option]));
    this.active = null;
    this.bind();
  }

  bind() {
    const { input, button, box, list } = this;
    input.addEventListener("input", () => this.typed());
    input.addEventListener("keydown", (event) => this.keyed(event));
    input.addEventListener("click", () => this.open(input));
    input.addEventListener("blur", (event) => this.blurred(event));
    // The list takes no focus, and the field that has it keeps it.
    for (const element of [box, button]) element.addEventListener("pointerdown", (event) => event.preventDefault());
    button.addEventListener("click", () => (this.isOpen ? this.close() : this.open(button)));
    list.addEventListener("click", ({ target }) => this.choose(this.optionOf(target)));
    list.addEventListener("pointermove", ({ target }) => this.point(this.optionOf(target)));
    window.addEventListener("resize", () => this.close());
    document.addEventListener("pointerdown", ({ target }) => {
      if (this.isOpen && !box.contains(target) && target !== input && !button.contains(target)) this.close();
    });
  }

  optionOf(target) {
    const element = target.closest("[role=option]");
    return this.options.find((option) => option.element === element);
  }

  get isOpen() {
    return this.box.matches(":popover-open");
  }

  get isEnabled() {
    return this.input.matches(":enabled");
  }

  get shown() {
    return this.options.filter(({ element }) => !element.hidden);
  }

  /** From the texts or a row: with what was typed there already, a digit. `beside`: what it opens at. */
  begin(typed = "", beside = this.input) {
    if (!this.isEnabled) return;
    this.beside = beside;
    this.input.value = typed;
    this.input.focus({ preventScroll: true });
    this.open(beside);
    if (typed) this.typed();
  }

  open(beside = this.beside ?? this.input) {
    if (!this.isEnabled) return;
    this.beside = beside;
    if (!this.isOpen) {
      this.box.showPopover();
      this.input.setAttribute("aria-expanded", "true");
      this.filter();
    }
    this.place(beside.getBoundingClientRect());
  }

  /** Above what it was asked from, where there is more room. */
  place({ left, top, bottom }) {
    const [width, height] = [this.box.offsetWidth, this.box.offsetHeight];
    const fitsBelow = bottom + height + 8 <= innerHeight;
    const y = fitsBelow ? bottom + 4 : Math.max(8, top - height - 4);
    this.box.style.setProperty("--list-top", `${Math.round(y)}px`);
    this.box.style.setProperty("--list-left", `${Math.round(Math.max(8, Math.min(left, innerWidth - width - 8)))}px`);
  }

  close() {
    if (this.isOpen) this.box.hidePopover();
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.beside = null;
  }

  /** The focus went elsewhere; with the whole window, it comes back. */
  blurred({ relatedTarget }) {
    if (document.activeElement === this.input) return;
    const { written, meant } = this;
    this.clear();
    this.lost(written, meant, relatedTarget);
  }

  clear() {
    this.input.value = "";
    this.close();
  }

  get written() {
    return this.input.value.trim();
  }

  /** The operation whose number stands in the field, though that of another may begin with it; undefined where it is none. */
  get meant() {
    const { written } = this;
    return /^\d+$/.test(written) ? this.options.find(({ number }) => number === String(Number(written))) : undefined;
  }

  typed() {
    this.open();
    this.filter();
    const { written, meant } = this;
    // A number that begins no other one chooses at once.
    if (meant && (this.numbered(written).length === 1 || written.length >= String(this.options.length).length)) this.choose(meant);
  }

  /** Those whose number begins with these digits; 03 is 3. */
  numbered(digits) {
    const width = String(this.options.length).length;
    return this.options.filter(({ number }) => number.startsWith(digits) || number.padStart(width, "0").startsWith(digits));
  }

  filter() {
    const { written: typed } = this;
    const parts = folded(typed).plain.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const isNumber = /^\d+$/.test(typed);
    // A word's beginning, not its middle.
    const fits = ({ words }) => parts.every((part) => words.some((word) => word.startsWith(part)));
    const matches = isNumber ? this.numbered(typed) : this.options.filter(fits);
    for (const option of this.options) option.element.hidden = !matches.includes(option);
    for (const group of new Set(this.options.map((option) => option.group))) {
      group.hidden = !matches.some((option) => option.group === group);
    }
    this.list.toggleAttribute("data-none", !matches.length);
    const exact = matches.find((option) => (isNumber ? option.number === String(Number(typed)) : option.start.startsWith(parts[0] ?? "")));
    this.point(exact ?? matches[0] ?? null);
  }

  point(option) {
    if (option === undefined) return;
    this.active?.element.removeAttribute("aria-selected");
    this.active = option;
    this.card.textContent = option?.element.dataset.help ?? "";
    if (!option) return this.input.removeAttribute("aria-activedescendant");
    option.element.setAttribute("aria-selected", "true");
    if (this.isOpen) this.input.setAttribute("aria-activedescendant", option.element.id);
    option.element.scrollIntoView({ block: "nearest" });
  }

  choose(option) {
    if (!option) return;
    this.clear();
    this.chosen(option.type);
  }

  leave() {
    this.clear();
    this.left();
  }

  keyed(event) {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) {
      if (!this.isOpen) this.open();
      else if (!altKey) this.point(this.shown.at((this.shown.indexOf(this.active) + step) % this.shown.length) ?? null);
      else if (step < 0) this.close();
    } else if (key === "Enter" && !event.repeat) {
      if (this.isOpen) this.choose(this.active);
      else this.open();
    } else if (key === "Escape") this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
