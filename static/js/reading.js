// Aids for reading: word differences, every occurrence of a term, the guide beside the texts, the keys.

import { differences, occurrences } from "./words.js";
import { say } from "./form.js";

export class Reading {
  constructor(panels, guideUrl, redraw) {
    this.panels = panels;
    this.guideUrl = guideUrl;
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
    byId("guide-panel").querySelector("[data-close]").addEventListener("click", () => this.toggleGuide());
    byId("open-help").addEventListener("click", () => this.openHelp());
    byId("help-dialog").querySelector("[data-close]").addEventListener("click", () => byId("help-dialog").close());
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

  async toggleGuide() {
    const panel = this.byId("guide-panel");
    const button = this.byId("toggle-guide");
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
    if (panel.hidden) return button.focus();
    panel.focus();
    if (!panel.dataset.loaded) await this.loadGuide(panel);
    return undefined;
  }

  async loadGuide(panel) {
    const body = panel.querySelector("[data-body]");
    try {
      const answer = await fetch(`${this.guideUrl}?fragment=1`, { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
      // Parsed apart, so that nothing in it can run.
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      body.replaceChildren(...page.body.childNodes);
      panel.dataset.loaded = "1";
    } catch {
      body.textContent = say("guideFailed");
    }
  }

  /** Escape: close what is open; true where something was. */
  escape() {
    if (!this.byId("guide-panel").hidden) this.toggleGuide();
    else if (!this.byId("term-bar").hidden) this.closeTerm();
    else return false;
    return true;
  }
}
