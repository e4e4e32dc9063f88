// Aids for reading: word differences, every occurrence of a term, the keys; the guide is fetched when it is asked for.

import { differences, occurrences } from "./words.js";
import { say } from "./form.js";
import { spoken } from "../platform/language.js";

// The menu's buttons, and what each does once the aids are here.
const AIDS = {
  "toggle-renderings": "toggleRenderings",
  "look-up": "lookUp",
  "toggle-terms": "toggleTerms",
  "toggle-voice": "toggleVoice",
};

export class Reading {
  /** `note` is told the name of an aid that may steer a judgment, when it is opened. */
  constructor(panels, guideUrl, redraw, note) {
    this.panels = panels;
    this.guideUrl = guideUrl;
    this.main = document.getElementById("judge");
    this.redraw = redraw;
    this.note = note;
    this.differing = null;
    this.term = "";
    this.byId = (id) => document.getElementById(id);
    this.bind();
  }

  bind() {
    const { byId } = this;
    byId("toggle-differences").addEventListener("click", () => this.toggleDifferences());
    byId("toggle-term").addEventListener("click", () => this.toggleTerm());
    byId("term").addEventListener("input", () => this.find(byId("term").value));
    byId("term-close").addEventListener("click", () => this.closeTerm());
    byId("toggle-guide").addEventListener("click", () => this.toggleGuide());
    for (const id of Object.keys(AIDS)) byId(id)?.addEventListener("click", () => this.aid(id));
    this.menu = byId("aids-menu");
    this.offerVoice();
    if (this.guideStoodOpen()) this.withGuide((guide) => guide.open({ takesFocus: false }));
  }

  /** Of a text that is shown alone nothing is told that would say what the other holds. */
  showSides(sides) {
    const isAlone = sides.length < 2;
    if (isAlone && this.differing) this.toggleDifferences();
    for (const id of ["toggle-differences", "toggle-renderings"]) this.byId(id)?.toggleAttribute("hidden", isAlone);
    this.find(this.term);
  }

  toggleDifferences() {
    const { original, simplification } = this.panels;
    if (this.byId("toggle-differences").hidden) return false;
    this.differing = this.differing ? null : differences(original.text, simplification.text);
    this.byId("toggle-differences").setAttribute("aria-pressed", Boolean(this.differing));
    this.byId("diff-legend").hidden = !this.differing;
    this.redraw();
    return true;
  }

  /** Open the bar, with the selected words if there are any. */
  toggleTerm() {
    const bar = this.byId("term-bar");
    if (!bar.hidden && !this.selectedText()) return this.closeTerm();
    return this.openTerm(this.selectedText());
  }

  selectedText() {
    for (const panel of Object.values(this.panels)) {
      const words = panel.selectedWords();
      if (words) return panel.text.slice(words.start, words.end);
    }
    return "";
  }

  openTerm(term) {
    const input = this.byId("term");
    this.byId("term-bar").hidden = false;
    this.byId("toggle-term").setAttribute("aria-expanded", "true");
    if (term) input.value = term.slice(0, input.maxLength);
    this.find(input.value);
    if (!term) input.focus();
  }

  closeTerm() {
    const hadFocus = this.byId("term-bar").contains(document.activeElement);
    this.byId("term-bar").hidden = true;
    this.byId("toggle-term").setAttribute("aria-expanded", "false");
    this.find("");
    if (hadFocus) this.byId("toggle-term").focus();
  }

  find(term) {
    this.term = term.trim();
    const counts = { original: 0, simplification: 0 };
    for (const { side, text, isHidden } of Object.values(this.panels)) counts[side] = isHidden ? "–" : occurrences(text, this.term).length;
    this.byId("term-count").textContent = this.term ? say("termCount", counts) : "";
    this.redraw();
  }

  /** What these aids draw on a panel. */
  layers(panel) {
    const change = panel.side === "original" ? "removed" : "added";
    return [
      ...(this.differing?.[change] ?? []).map((range) => ({ ...range, className: `diff diff--${change}` })),
      ...(this.aids?.layers(panel) ?? []),
      ...occurrences(panel.text, this.term).map((range) => ({ ...range, className: "term" })),
    ];
  }

  toggleGuide() {
    return this.withGuide((guide) => guide.toggle());
  }

  /** Its script and its style come with the first use. */
  async withGuide(act) {
    this.fetched ??= Promise.all([import("./guide.js"), this.style()]).then(([{ Guide }]) => {
      const [panel, button] = [this.byId("guide-panel"), this.byId("toggle-guide")];
      return (this.guide = new Guide({ main: this.main, panel, button, url: this.guideUrl }));
    });
    return act(await this.fetched);
  }

  /** Open or close an aid of the menu; false where this study or this browser does not have it. */
  aid(id) {
    if (!this.byId(id) || this.byId(id).hidden) return false;
    this.menu.open = false;
    this.aidsFetched ??= Promise.all([import("./aids.js"), this.fragment(this.main.dataset.aidsUrl), this.style()]).then(
      ([{ Aids }, fragment]) => (this.aids = new Aids({ ...this, fragment })),
    );
    this.aidsFetched.then(
      (aids) => aids[AIDS[id]](),
      () => (this.aidsFetched = null),
    );
    return true;
  }

  async fragment(url) {
    const answer = await fetch(url, { headers: { Accept: "text/html", ...spoken } });
    if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
    // Parsed apart, so that nothing in it can run.
    return new DOMParser().parseFromString(await answer.text(), "text/html").body;
  }

  /** Only where the browser has a French voice, which some learn of late. */
  offerVoice() {
    const { speechSynthesis } = window;
    if (!speechSynthesis) return;
    const offer = () => {
      this.byId("toggle-voice").hidden = !speechSynthesis.getVoices().some(({ lang }) => /^fr/i.test(lang));
    };
    offer();
    speechSynthesis.addEventListener?.("voiceschanged", offer);
  }

  style() {
    if (this.styled) return this.styled;
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: this.main.dataset.aidsStyle });
    this.styled = new Promise((resolve) => (link.onload = link.onerror = resolve));
    document.head.append(link);
    return this.styled;
  }

  guideStoodOpen() {
    try {
      return sessionStorage.getItem(`bareme:v1:guide:${this.main.dataset.study}`)?.includes('"open":true');
    } catch {
      return false;
    }
  }

  /** Escape: close what is open; true where something was. */
  escape() {
    if (this.aids?.card?.open) this.aids.escape();
    else if (this.guide?.isOpen) this.guide.close();
    else if (!this.byId("term-bar").hidden) this.closeTerm();
    else return Boolean(this.aids?.escape());
    return true;
  }
}
