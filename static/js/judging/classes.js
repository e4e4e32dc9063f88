// Eighteen classes by number, or by type-ahead in the filter (either language, accents or not). Two digits
// choose, and so does 2 to 9 alone. A 1 alone is class 1 after a pause, but a digit that follows still joins it:
// who types slowly must not answer two questions with one number.

import { changed, choose, say } from "./form.js";
import { folded } from "./words.js";

const WAIT_MS = 900;

/** What a class is called, in both languages. */
function namesOf(option) {
  const label = option.querySelector("[data-label]");
  return `${label.textContent} ${label.dataset.also}`;
}

export class Classes {
  /** `answered` goes on from a class that was chosen by key. */
  constructor(form, answered) {
    this.form = form;
    this.answered = answered;
    this.filter = document.getElementById("class-filter");
    this.state = document.getElementById("class-filter-state");
    this.options = [...document.querySelectorAll("#id_characterization .option")].map((element) => ({
      element,
      value: Number(element.querySelector("input").value),
      label: element.querySelector("[data-label]").textContent,
      words: folded(namesOf(element)).plain,
    }));
    this.pending = "";
    this.timer = 0;
    this.filter.addEventListener("input", () => this.typed());
    this.filter.addEventListener("keydown", (event) => this.keyed(event));
  }

  typed() {
    const typed = this.filter.value.trim();
    this.forget();
    if (/^\d+$/.test(typed)) {
      this.show(this.options.filter((option) => option.value === Number(typed)));
      if (typed.length > 1 || Number(typed) > 1) this.settle(Number(typed));
    } else this.show(this.matching(typed));
  }

  matching(typed) {
    const wanted = folded(typed).plain.split(/\s+/).filter(Boolean);
    // A word's beginning, not its middle: "frais" should not bring "rafraîchir".
    const fits = (option) => wanted.every((part) => option.words.split(/[^\p{L}\p{N}]+/u).some((w) => w.startsWith(part)));
    return this.options.filter(fits);
  }

  show(found) {
    const typed = this.filter.value.trim();
    this.found = typed ? found : [];
    for (const { element } of this.options) {
      element.hidden = Boolean(typed) && found.length > 0 && !found.some((option) => option.element === element);
      element.toggleAttribute("data-first-match", Boolean(typed) && element === found[0]?.element);
    }
    if (!typed) this.state.textContent = "";
    else this.state.textContent = found.length ? say("classes", { count: found.length }) : say("classNone");
    if (typed && found.length) found[0].element.dispatchEvent(new Event("bareme:match", { bubbles: true }));
  }

  keyed(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      if (this.filter.value.trim()) this.settle(this.found?.[0]?.value);
      else this.answered(true);
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      const shown = this.options.filter(({ element }) => !element.hidden);
      const checked = shown.find(({ element }) => element.querySelector("input").checked);
      (checked ?? shown[0])?.element.querySelector("input").focus();
    } else if (event.key === "Escape" && this.filter.value) {
      event.stopPropagation();
      this.clear();
    }
  }

  /** A digit typed outside of the filter. */
  digit(key) {
    clearTimeout(this.timer);
    const typed = this.pending + key;
    this.pending = "";
    if (typed.length > 1 || Number(typed) > 1) return this.settle(Number(typed));
    this.pending = typed;
    if (typed === "1") this.timer = setTimeout(() => this.choose(1), WAIT_MS);
    return undefined;
  }

  settle(value) {
    if (this.choose(value)) this.answered();
    else this.state.textContent = say("classNone");
  }

  /** Enter ends the wait for a second digit; true where there was one. */
  settleNow() {
    const isWaiting = this.pending === "1";
    this.forget();
    if (isWaiting) this.settle(1);
    return isWaiting;
  }

  /** Whatever else is pressed: the next digit begins a number of its own. */
  forget() {
    clearTimeout(this.timer);
    this.pending = "";
  }

  choose(value) {
    const option = this.options.find((each) => each.value === value);
    if (!option || !this.filter.matches(":enabled")) return false;
    this.filter.value = "";
    this.show([]);
    choose(this.form, "characterization", value);
    option.element.scrollIntoView({ block: "nearest" });
    changed(option.element.querySelector("input"));
    return true;
  }

  clear() {
    this.forget();
    this.filter.value = "";
    this.show([]);
  }
}

// Where a card has room for both languages; the same height as in judge.css.
const ROOM = "(height >= 56em)";

// The help of the option that is pointed at, focused or chosen, under the options. One card at a time.
export class Cards {
  constructor(form) {
    this.helps = form.querySelector("[data-cards]");
    this.helps.addEventListener("toggle", () => this.speakBoth());
    this.cards = [...form.querySelectorAll("[data-card]")].map((card) => {
      const group = document.getElementById(`id_${card.dataset.card}`);
      return { card, group };
    });
    for (const each of this.cards) this.follow(each);
  }

  follow(each) {
    const { group } = each;
    for (const kind of ["mouseover", "focusin", "bareme:match"]) {
      group.addEventListener(kind, (event) => this.show(each, event.target.closest(".option")));
    }
    for (const kind of ["mouseleave", "change"]) group.addEventListener(kind, () => this.show(each, null));
    this.show(each, null);
  }

  show({ card, group }, option) {
    const input = option?.querySelector("input") ?? group.querySelector("input:checked");
    const help = input && document.getElementById(`help-${card.dataset.card}-${input.value}`);
    card.hidden = !help;
    if (!help) return;
    if (card.dataset.card === "characterization" && matchMedia(ROOM).matches) this.speakBoth();
    if (card.dataset.card === "characterization") this.shown = { card, input };
    card.replaceChildren(...help.cloneNode(true).childNodes);
    card.className = help.classList.contains("help--bilingual") ? "help-card help--bilingual" : "help-card";
  }

  /** The other language of the classes' cards comes when it is looked at; without a network, another time. */
  async speakBoth() {
    if (this.isAsked) return;
    this.isAsked = true;
    const other = document.documentElement.lang === "fr" ? "en" : "fr";
    try {
      const answer = await fetch(`${document.getElementById("judge").dataset.classesUrl}?language=${other}`, { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
      // Parsed apart, so that nothing in it can run.
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const card of page.querySelectorAll("[data-value]")) {
        const help = document.getElementById(`help-characterization-${card.dataset.value}`);
        help.append(...card.childNodes);
        const shown = this.shown?.input.value === card.dataset.value ? this.shown.card : null;
        shown?.replaceChildren(...help.cloneNode(true).childNodes);
      }
    } catch {
      this.isAsked = false;
    }
  }
}
