// Aids for reading: word differences, every occurrence of a term, the keys; the guide is fetched when it is asked for.

import { differences, occurrences } from "./words.js";
import { say } from "./form.js";

export class Reading {
  constructor(panels, guideUrl, redraw) {
    this.panels = panels;
    this.guideUrl = guideUrl;
    this.main = document.getElementById("judge");
    this.redraw = redraw;
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
    byId("open-help").addEventListener("click", () => this.openHelp());
    byId("help-dialog").querySelector("[data-close]").addEventListener("click", () => byId("help-dialog").close());
    if (this.guideStoodOpen()) this.withGuide((guide) => guide.open({ takesFocus: false }));
  }

  toggleDifferences() {
    const { original, simplification } = this.panels;
    this.differing = this.differing ? null : differences(original.text, simplification.text);
    this.byId("toggle-differences").setAttribute("aria-pressed", String(Boolean(this.differing)));
    this.byId("diff-legend").hidden = !this.differing;
    this.redraw();
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
    const counts = Object.fromEntries(
      Object.entries(this.panels).map(([side, panel]) => [side, occurrences(panel.text, this.term).length]),
    );
    this.byId("term-count").textContent = this.term ? say("termCount", counts) : "";
    this.redraw();
  }

  /** What these aids draw on a panel. */
  layers(panel) {
    const changedWords = this.differing?.[panel.side === "original" ? "removed" : "added"] ?? [];
    const className = panel.side === "original" ? "diff diff--removed" : "diff diff--added";
    return [
      ...changedWords.map((range) => ({ ...range, className })),
      ...occurrences(panel.text, this.term).map((range) => ({ ...range, className: "term" })),
    ];
  }

  openHelp() {
    this.byId("help-dialog").showModal();
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

  style() {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: this.main.dataset.aidsStyle });
    const isThere = new Promise((resolve) => (link.onload = link.onerror = resolve));
    document.head.append(link);
    return isThere;
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
    if (this.guide?.isOpen) this.guide.close();
    else if (!this.byId("term-bar").hidden) this.closeTerm();
    else return false;
    return true;
  }
}
