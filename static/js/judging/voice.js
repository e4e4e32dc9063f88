// Reading aloud by the browser's own voice, sentence by sentence; the one that is read is marked.

export class Voice {
  /** `tell` gets the panel and range being read, null when the voice falls silent. */
  constructor(panels, bar, tell) {
    Object.assign(this, { panels, bar, tell });
    this.isOn = false;
    bar.querySelector("[data-close]").addEventListener("click", () => this.stop());
    window.addEventListener("pagehide", () => speechSynthesis.cancel());
  }

  toggle() {
    return this.isOn ? this.stop() : this.start();
  }

  start() {
    this.isOn = true;
    this.bar.hidden = false;
    const turn = (this.turn = {});
    this.read(this.wanted(), turn);
  }

  stop() {
    this.isOn = false;
    this.turn = null;
    this.bar.hidden = true;
    speechSynthesis.cancel();
    this.tell(null);
  }

  /** The selected words; else the text that one is in, from the caret's sentence on; else all that the step shows. */
  wanted() {
    const panels = Object.values(this.panels).filter(({ isHidden }) => !isHidden);
    for (const panel of panels) {
      const selected = panel.selectedWords();
      if (selected) return [{ panel, range: selected }];
      const caret = panel.element === document.activeElement && panel.rawSelection();
      if (caret) return sentences(panel).filter(({ range }) => range.end > caret.anchor);
    }
    return panels.flatMap(sentences);
  }

  read(list, turn) {
    if (this.turn !== turn) return;
    // Another step may have opened meanwhile.
    const [next, ...rest] = list.filter(({ panel }) => !panel.isHidden);
    if (!next) {
      this.stop();
      return;
    }
    const { panel, range } = next;
    const said = new SpeechSynthesisUtterance(panel.text.slice(range.start, range.end));
    const { lang } = panel.element;
    said.lang = lang === "fr" ? "fr-CA" : lang;
    said.voice = (lang === "fr" && frenchVoice()) || null;
    said.onend = () => this.read(rest, turn);
    said.onerror = () => this.turn === turn && this.stop();
    this.tell(next);
    speechSynthesis.speak(said);
  }
}

function frenchVoice() {
  const french = speechSynthesis.getVoices().filter((voice) => voice.lang.toLowerCase().startsWith("fr"));
  return french.find((voice) => /ca$/i.test(voice.lang)) ?? french[0];
}

/** Sentences of a panel with their places; the whole text where the browser knows no sentences. */
function sentences(panel) {
  const { text } = panel;
  if (!Intl.Segmenter) return [{ panel, range: { start: 0, end: text.length } }];
  return Array.from(new Intl.Segmenter("fr", { granularity: "sentence" }).segment(text), ({ index, segment }) => ({
    panel,
    range: { start: index, end: index + segment.trimEnd().length },
  })).filter(({ range }) => range.end > range.start);
}
