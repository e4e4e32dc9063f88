// One of several by number, or by type-ahead in the filter (either language, accents or not). Where there are more
// than nine, two digits choose, and so does one alone that begins no other number. One that does (a 1, of 18) waits
// a moment for a digit that follows: who types slowly must not answer two questions with one number.

import { Field, changed, choose, define, say } from "../form.js";
import { folded } from "../words.js";

const WAIT_MS = 900;
// Where a card has room for both languages; the same height as in judge.css.
const ROOM = "(height >= 56em)";

/** What an option is called, in both languages. */
function namesOf(label) {
  return `${label.textContent} ${label.dataset.also ?? ""}`;
}

export class Choice extends Field {
  constructor(element, form, page) {
    super(element, form);
    this.page = page;
    this.options = this.inputs.map((input) => {
      const option = input.closest(".option");
      const words = folded(namesOf(option.querySelector("[data-label]"))).plain;
      return { element: option, input, digits: input.dataset.digits, number: Number(input.dataset.digits), words };
    });
    this.hasMany = this.options.some(({ digits }) => digits.length > 1);
    this.isNumber = this.kind !== "keyword";
    this.pending = "";
    this.timer = 0;
    this.filter = form.querySelector(`[data-filter="${this.name}"]`);
    this.state = this.filter && document.getElementById(`${this.filter.id}-state`);
    this.filter?.addEventListener("input", () => this.typed());
    this.filter?.addEventListener("keydown", (event) => this.keyed(event));
    if (!this.hasMany) for (const { input, digits } of this.options) input.setAttribute("aria-keyshortcuts", digits);
    const card = form.querySelector(`[data-card="${this.name}"]`);
    if (card) this.cards = new Cards(this, card);
  }

  get takesDigits() {
    return true;
  }

  /** By touch one of many is chosen to read its card as well: there it waits. */
  goesOn(pointer) {
    return !pointer || pointer === "mouse" || !this.hasMany;
  }

  /** Without what stands in brackets; one of many with its number. */
  summary() {
    const { checked } = this;
    if (!checked) return "";
    const text = checked.closest("label").querySelector("[data-label]").textContent.replace(/ \(.*/s, "").trim();
    return this.hasMany ? `${checked.dataset.digits} ${text}` : text;
  }

  typed() {
    const typed = this.filter.value.trim();
    this.forget();
    if (/^\d+$/.test(typed)) {
      this.show(this.options.filter(({ number }) => number === Number(typed)));
      if (typed.length > 1 || !this.begins(typed)) this.settle(Number(typed));
    } else this.show(this.matching(typed));
  }

  matching(typed) {
    const wanted = folded(typed).plain.split(/\s+/).filter(Boolean);
    // A word's beginning, not its middle: "frais" should not bring "rafraîchir".
    const fits = (option) => wanted.every((part) => option.words.split(/[^\p{L}\p{N}]+/u).some((w) => w.startsWith(part)));
    return this.options.filter(fits);
  }

  show(matches) {
    const typed = this.filter.value.trim();
    this.matches = typed ? matches : [];
    for (const { element } of this.options) {
      element.hidden = Boolean(typed) && matches.length > 0 && !matches.some((option) => option.element === element);
      element.toggleAttribute("data-first-match", Boolean(typed) && element === matches[0]?.element);
    }
    if (typed) this.tell(matches.length);
    else {
      this.state.textContent = "";
      // Not of what was looked for: of what is chosen.
      this.cards?.show(null);
    }
    if (typed && matches.length) matches[0].element.dispatchEvent(new Event("bareme:match", { bubbles: true }));
  }

  tell(count) {
    if (!this.state) return;
    this.state.textContent = count ? say("matches", { count, total: this.options.length }) : say("matchNone");
  }

  keyed(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      if (this.filter.value.trim()) this.settle(this.matches?.[0]?.number);
      else this.page.answered(this, true);
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      const shown = this.options.filter(({ element }) => !element.hidden);
      (shown.find(({ input }) => input.checked) ?? shown[0])?.input.focus();
    } else if (event.key === "Escape" && this.filter.value) {
      event.stopPropagation();
      this.leave();
    }
  }

  /** Whether a number of more digits begins with these. */
  begins(digits) {
    const start = String(Number(digits));
    return this.hasMany && (start === "0" || this.options.some(({ number }) => number > 9 && String(number).startsWith(start)));
  }

  digit(key) {
    clearTimeout(this.timer);
    const typed = this.pending + key;
    this.pending = "";
    if (!this.hasMany) {
      if (!this.choose(Number(typed))) return false;
      this.page.answered(this);
    } else if (typed.length > 1 || !this.begins(typed)) this.settle(Number(typed));
    else {
      this.pending = typed;
      this.timer = setTimeout(() => this.choose(Number(typed)), WAIT_MS);
    }
    return true;
  }

  settle(number) {
    if (this.choose(number)) this.page.answered(this);
    else this.tell(0);
  }

  settleNow() {
    const { pending } = this;
    this.forget();
    if (pending) this.settle(Number(pending));
    return Boolean(pending);
  }

  forget() {
    clearTimeout(this.timer);
    this.pending = "";
  }

  choose(number) {
    const option = this.options.find((each) => each.number === number);
    if (!option?.input.matches(":enabled")) return false;
    if (this.filter) {
      this.filter.value = "";
      this.show([]);
    }
    choose(this.form, this.name, option.input.value);
    if (this.hasMany) option.element.scrollIntoView({ block: "nearest" });
    changed(option.input);
    return true;
  }

  leave() {
    this.forget();
    if (!this.filter) return;
    this.filter.value = "";
    this.show([]);
  }
}

// The help of the option that is pointed at, focused or chosen, under the options. One card at a time.
export class Cards {
  constructor(field, card) {
    Object.assign(this, { field, card, group: field.target });
    this.list = field.form.querySelector(`[data-cards="${field.name}"]`);
    this.isBilingual = Boolean(this.list.querySelector(".help--bilingual"));
    if (this.isBilingual) this.list.addEventListener("toggle", () => this.speakBoth());
    for (const kind of ["mouseover", "focusin", "bareme:match"]) {
      this.group.addEventListener(kind, (event) => this.show(event.target.closest(".option")));
    }
    for (const kind of ["mouseleave", "change"]) this.group.addEventListener(kind, () => this.show(null));
    this.show(null);
  }

  helpOf(value) {
    return document.getElementById(`help-${this.field.name}-${value}`);
  }

  show(option) {
    const { card, group } = this;
    const input = option?.querySelector("input") ?? group.querySelector("input:checked");
    const help = input && this.helpOf(input.value);
    card.hidden = !help;
    if (!help) return;
    if (this.isBilingual && matchMedia(ROOM).matches) this.speakBoth();
    this.shown = input;
    card.replaceChildren(...help.cloneNode(true).childNodes);
    card.className = this.isBilingual ? "help-card help--bilingual" : "help-card";
  }

  /** The other language of many cards comes when it is looked at; without a network, another time. */
  async speakBoth() {
    if (this.isAsked) return;
    this.isAsked = true;
    const other = document.documentElement.lang === "fr" ? "en" : "fr";
    const url = document.getElementById("judge").dataset.optionsUrl.replace(/field\/$/, `${this.field.name}/`);
    try {
      const answer = await fetch(`${url}?language=${other}`, { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
      // Parsed apart, so that nothing in it can run.
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const card of page.querySelectorAll("[data-value]")) {
        const help = this.helpOf(card.dataset.value);
        help.append(...card.childNodes);
        if (this.shown?.value === card.dataset.value) this.card.replaceChildren(...help.cloneNode(true).childNodes);
      }
    } catch {
      this.isAsked = false;
    }
  }
}

for (const kind of ["choice", "scale", "keyword"]) define(kind, Choice);
