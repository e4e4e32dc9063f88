// Eighteen classes by type-ahead (either language, accents or not) or by number.
// Two digits choose at once; so does 2 to 9; a 1 waits a moment for its second digit, 0 as well.

import { changed, choose, say } from "./form.js";
import { folded } from "./words.js";

const WAIT_MS = 900;

export class Classes {
  constructor(form, goOn) {
    this.form = form;
    this.goOn = goOn;
    this.filter = document.getElementById("class-filter");
    this.state = document.getElementById("class-filter-state");
    this.options = [...document.querySelectorAll("#id_characterization .option")].map((element) => ({
      element,
      value: Number(element.querySelector("input").value),
      label: element.querySelector("[data-label]").textContent,
      words: folded(element.dataset.search).plain,
    }));
    this.pending = "";
    this.timer = 0;
    this.filter.addEventListener("input", () => this.typed());
    this.filter.addEventListener("keydown", (event) => this.keyed(event));
  }

  typed() {
    const typed = this.filter.value.trim();
    clearTimeout(this.timer);
    if (/^\d+$/.test(typed)) {
      this.show(this.options.filter((option) => option.value === Number(typed)));
      this.digits(typed, () => (this.filter.value = ""));
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
      if (this.filter.value.trim() && this.found?.length) this.choose(this.found[0].value);
      else this.goOn();
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

  /** Digits as they come, from the filter or from the page. */
  digits(typed, done) {
    clearTimeout(this.timer);
    const value = Number(typed);
    const settle = () => {
      this.pending = "";
      if (this.options.some((option) => option.value === value)) this.choose(value);
      done?.();
    };
    // Nothing above 18 begins with 2 to 9, so those need no second digit.
    if (typed.length >= 2 || value >= 2) settle();
    else this.timer = setTimeout(settle, WAIT_MS);
  }

  /** A digit typed outside of the filter. */
  digit(key) {
    this.pending = this.pending.length === 1 ? this.pending + key : key;
    this.digits(this.pending);
  }

  /** Enter ends the wait for a second digit; true where there was one. */
  settleNow() {
    if (!this.pending) return false;
    clearTimeout(this.timer);
    const value = Number(this.pending);
    this.pending = "";
    this.choose(value);
    return true;
  }

  choose(value) {
    const option = this.options.find((each) => each.value === value);
    if (!option || !this.filter.matches(":enabled")) return;
    this.clear();
    choose(this.form, "characterization", value);
    this.state.textContent = say("classChosen", { label: `${value}. ${option.label}` });
    option.element.scrollIntoView({ block: "nearest" });
    changed(option.element.querySelector("input"));
  }

  clear() {
    clearTimeout(this.timer);
    this.pending = "";
    this.filter.value = "";
    this.show([]);
  }
}
