// Aids that come with their first use: terms rendered otherwise, the study's glossary, a voice. What they show (bars,
// the glossary's card and entries) is fetched in one piece and stands in the page from then on.

import { renderings } from "./renderings.js";
import { finder, folded, snap } from "./words.js";

export class Aids {
  /** `note`: told the name of an aid that may steer a judgment, when it is opened. */
  constructor({ main, panels, redraw, note, fragment }) {
    Object.assign(this, { main, panels, redraw, note });
    main.append(...fragment.childNodes);
    const byId = (id) => document.getElementById(id);
    this.bar = byId("renderings-bar");
    this.card = byId("glossary-card");
    document.querySelector(".texts").append(this.bar);
    this.bar.querySelector("[data-close]").addEventListener("click", () => this.toggleRenderings());
    if (this.card) this.bindCard();
    this.renderings = null;
    this.shown = null;
    // A step that shows one text alone: they would say what the other holds.
    const texts = byId("texts");
    const leave = () => "alone" in texts.dataset && this.renderings && this.toggleRenderings();
    new MutationObserver(leave).observe(texts, { attributeFilter: ["data-alone"] });
  }

  bindCard() {
    const { card } = this;
    this.entries = [...card.querySelectorAll("[data-entry]")].map((element) => ({
      element,
      term: element.querySelector("dt").textContent,
    }));
    this.input = card.querySelector("input");
    this.input.addEventListener("input", () => this.filter(this.input.value));
    card.querySelector("[data-close]").addEventListener("click", () => this.closeCard());
    for (const panel of Object.values(this.panels)) {
      panel.element.addEventListener("click", (event) => {
        const mark = event.target.closest(".gloss");
        if (mark && document.getSelection().isCollapsed) this.openCard(this.entries[mark.dataset.gloss].term, mark);
      });
    }
  }

  toggleRenderings() {
    this.renderings = this.renderings ? null : this.findRenderings();
    if (this.renderings) this.note("renderings");
    this.bar.hidden = !this.renderings;
    this.press("toggle-renderings", this.renderings);
    this.redraw();
  }

  findRenderings() {
    const { original, simplification } = this.panels;
    const matches = renderings(original.text, simplification.text, this.entries?.map(({ term }) => term));
    const { dataset } = this.bar;
    this.bar.querySelector("[data-text]").textContent = matches.length ? dataset.some : dataset.none;
    const items = matches.map(({ term, kept, renderings: names }) => {
      const words = names.map((name) => `« ${name} »`).join(", ");
      const text = (kept ? dataset.several : dataset.other).replace("{term}", term).replace("{words}", words);
      return Object.assign(document.createElement("li"), { textContent: text });
    });
    this.bar.querySelector("[data-list]").replaceChildren(...items);
    return matches;
  }

  /** The glossary's terms that stand in the texts, underlined; a longer term covers the shorter ones within it. */
  toggleTerms() {
    this.shown = this.shown
      ? null
      : Object.fromEntries(Object.entries(this.panels).map(([side, panel]) => [side, this.termsIn(panel.text)]));
    if (this.shown) this.note("glossary");
    this.press("toggle-terms", this.shown);
    this.redraw();
  }

  termsIn(text) {
    const find = finder(text);
    const all = this.entries.flatMap(({ term }, gloss) => find(term).map((range) => ({ ...range, gloss })));
    all.sort((a, b) => b.end - b.start - (a.end - a.start));
    const kept = [];
    for (const range of all) if (!kept.some((each) => each.start < range.end && each.end > range.start)) kept.push(range);
    return kept;
  }

  press(id, isOn) {
    document.getElementById(id)?.setAttribute("aria-pressed", String(Boolean(isOn)));
  }

  /** What these aids draw on a panel. */
  layers(panel) {
    const marked = (this.renderings ?? []).flatMap((each) => each[panel.side]);
    const terms = this.shown?.[panel.side] ?? [];
    return [
      ...marked.map((range) => ({ ...range, className: "rendering" })),
      ...terms.map(({ start, end, gloss }) => ({ start, end, className: "gloss", dataset: { gloss } })),
      ...(this.spoken?.panel === panel ? [{ ...this.spoken.range, className: "spoken" }] : []),
    ];
  }

  /** The selected words, or the term at the caret, or nothing yet: then one types. */
  lookUp() {
    if (this.card.open) return this.closeCard();
    const panel = Object.values(this.panels).find((each) => each.rawSelection());
    return this.openCard(panel ? this.termAt(panel) : "", panel?.element);
  }

  termAt(panel) {
    const selected = panel.selectedWords();
    if (selected) return panel.text.slice(selected.start, selected.end);
    const { anchor } = panel.rawSelection();
    const term = this.termsIn(panel.text).find((range) => range.start <= anchor && range.end >= anchor);
    const word = snap(panel.text, Math.max(0, anchor - 1), anchor + 1);
    return term ? this.entries[term.gloss].term : word ? panel.text.slice(word.start, word.end) : "";
  }

  openCard(words, anchor) {
    this.note("glossary");
    const panel = Object.values(this.panels).find((each) => each.element.contains(anchor ?? null));
    this.back = { element: document.activeElement, panel, selection: panel?.rawSelection() };
    this.card.show();
    this.input.value = words;
    const isFound = this.filter(words) && words;
    this.place(anchor);
    (isFound ? this.card : this.input).focus({ preventScroll: true });
  }

  /** Terms within the words, else those that hold them; how many there are. */
  filter(words) {
    const wanted = folded(words.trim()).plain;
    const within = finder(words);
    const exact = wanted ? this.entries.filter(({ term }) => within(term).length) : [];
    const shown = new Set(exact.length ? exact : this.entries.filter(({ term }) => folded(term).plain.includes(wanted)));
    for (const entry of this.entries) entry.element.hidden = !shown.has(entry);
    this.card.querySelector("[data-none]").hidden = shown.size > 0;
    return shown.size;
  }

  /** Below what was asked about, above it where there is no room; on a small window the style sheet decides. */
  place(anchor) {
    const isMark = anchor?.classList.contains("gloss");
    const selection = document.getSelection();
    const box = isMark || !selection.rangeCount ? anchor?.getBoundingClientRect() : selection.getRangeAt(0).getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.card;
    const { left = 16, top = 80, bottom = 80 } = box?.bottom ? box : {};
    const below = bottom + 8 + height <= innerHeight;
    const y = below ? bottom + 8 : Math.max(8, top - height - 8);
    this.card.style.setProperty("--card-top", `${Math.round(y)}px`);
    this.card.style.setProperty("--card-left", `${Math.round(Math.max(8, Math.min(left, innerWidth - width - 8)))}px`);
  }

  closeCard() {
    this.card.close();
    const { element, panel, selection } = this.back;
    if (panel) panel.element.focus({ preventScroll: true });
    else element?.focus({ preventScroll: true });
    if (selection) panel.select(selection.anchor, selection.focus);
  }

  async toggleVoice() {
    const { Voice } = await import("./voice.js");
    this.voice ??= new Voice(this.panels, document.getElementById("voice-bar"), (spoken) => {
      this.spoken = spoken;
      this.press("toggle-voice", spoken);
      this.redraw();
    });
    this.voice.toggle();
  }

  /** Escape: close what is open; true where something was. */
  escape() {
    if (this.card?.open) this.closeCard();
    else if (this.voice?.isOn) this.voice.stop();
    else if (this.renderings) this.toggleRenderings();
    else return false;
    return true;
  }
}
