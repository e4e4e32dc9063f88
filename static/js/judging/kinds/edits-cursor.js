// The words at hand in the two texts: a selection of whole tokens, moved and extended by keys, by the mouse and by
// touch. It is the browser's own selection, so that everybody sees and hears it.

import { sentences, tokens } from "./edits-tokens.js";

// How far a line above or below is looked for, in tokens.
const FAR = 240;

class Text {
  constructor(panel, cut) {
    this.panel = panel;
    this.tokens = tokens(panel.text, cut);
    this.sentences = sentences(panel.text, this.tokens);
    /** Where it was left, by places of tokens; a selection begins at `anchor`. */
    this.anchor = this.focus = 0;
  }

  /** The first token that ends behind this unit, or the last one. */
  placeAt(unit) {
    const place = this.tokens.findIndex(({ end }) => end > unit);
    return place < 0 ? this.tokens.length - 1 : place;
  }

  box(place) {
    const { start, end } = this.tokens[place];
    const range = document.createRange();
    const [from, to] = [this.panel.place(start), this.panel.place(end)];
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, to.offset);
    // Its last piece: where a token stands on two lines, and not the number that stands before it.
    return [...range.getClientRects()].at(-1) ?? range.getBoundingClientRect();
  }
}

export class Cursor {
  /** `isOurs`: whether the texts are marked at this moment; `moved` hears of each other place. */
  constructor(panels, cut, { isOurs, moved }) {
    Object.assign(this, { isOurs, moved });
    this.texts = Object.fromEntries(Object.values(panels).map((panel) => [panel.side, new Text(panel, cut)]));
    this.side = null;
    this.pointer = "";
    document.addEventListener("selectionchange", () => this.follow());
    for (const text of Object.values(this.texts)) this.bind(text);
  }

  bind(text) {
    const { element } = text.panel;
    element.addEventListener("pointerdown", ({ pointerType }) => (this.pointer = pointerType));
    element.addEventListener("focus", () => this.entered(text));
    element.addEventListener("click", (event) => this.clicked(event, text));
    element.addEventListener("pointerup", () => setTimeout(() => this.snap(text)));
  }

  /** {side, from, to}: places of tokens, both included; null before anything was chosen. */
  get at() {
    if (!this.side || !this.text.tokens.length) return null;
    const { anchor, focus } = this.text;
    return { side: this.side, from: Math.min(anchor, focus), to: Math.max(anchor, focus) };
  }

  get text() {
    return this.texts[this.side];
  }

  /** By Tab or a key: the words that were left are at hand again. */
  entered(text) {
    if (!this.isOurs() || this.pointer) return;
    this.select(text);
  }

  /** What is selected by other means than ours is followed; it is cut to tokens once the pointer lets go. */
  follow() {
    if (!this.isOurs()) return;
    const text = Object.values(this.texts).find(({ panel }) => panel.rawSelection());
    if (!text?.tokens.length) return;
    const { anchor, focus } = text.panel.rawSelection();
    const [start, end] = [Math.min(anchor, focus), Math.max(anchor, focus)];
    const first = text.placeAt(start);
    // No token at all is in it where only white space is selected: the next one is at hand.
    const last = Math.max(first, text.tokens.findLastIndex((token) => token.start < end));
    const [before, was] = [text.anchor, text.focus];
    [text.anchor, text.focus] = anchor === focus ? [first, first] : anchor < focus ? [first, last] : [last, first];
    const isOther = this.side !== text.panel.side || before !== text.anchor || was !== text.focus;
    this.side = text.panel.side;
    if (isOther) this.moved();
  }

  snap(text) {
    if (!this.isOurs() || this.pointer === "touch" || !text.panel.rawSelection()) return;
    this.select(text);
  }

  /** A finger chooses where words begin, then where they end. */
  clicked(event, text) {
    if (this.pointer !== "touch") this.pointer = "";
    if (event.pointerType !== "touch" || !this.isOurs()) return;
    const raw = text.panel.rawSelection();
    if (!raw || raw.anchor !== raw.focus) return;
    const place = text.placeAt(raw.anchor);
    const isEnd = this.tapped?.text === text && this.tapped.place !== place;
    const anchor = isEnd ? this.tapped.place : place;
    this.tapped = isEnd ? null : { text, place };
    this.pointer = "";
    this.select(text, anchor, place);
  }

  select(text, anchor = text.anchor, focus = text.focus) {
    if (!text.tokens.length) return;
    const [a, f] = [text.tokens[anchor], text.tokens[focus]];
    Object.assign(text, { anchor, focus });
    this.side = text.panel.side;
    if (anchor <= focus) text.panel.select(a.start, f.end);
    else text.panel.select(a.end, f.start);
    this.reveal(text);
    this.moved();
  }

  reveal(text) {
    const [box, frame] = [text.box(text.focus), text.panel.element.getBoundingClientRect()];
    const below = box.bottom + box.height - frame.bottom;
    const above = box.top - box.height - frame.top;
    if (below > 0) text.panel.element.scrollTop += below;
    else if (above < 0) text.panel.element.scrollTop += above;
  }

  /** Into a text, at a place of it or where it was left; false where the open step does not show it. */
  enter(side, place) {
    const text = this.texts[side];
    if (!text || text.panel.element.closest("article").hidden) return false;
    if (place !== undefined && text.tokens.length) {
      text.anchor = text.focus = Math.max(0, Math.min(place, text.tokens.length - 1));
    }
    this.pointer = "";
    this.tapped = null;
    text.panel.onShow?.();
    text.panel.element.focus({ preventScroll: true });
    this.select(text);
    return true;
  }

  /** A key that moves, or extends with Shift: true where it was one. */
  key({ key, shiftKey, ctrlKey, altKey, metaKey }) {
    const isFar = ctrlKey || altKey || metaKey;
    const { text } = this;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[key];
    const last = text.tokens.length - 1;
    let focus;
    if (last < 0) return false;
    if (key === "Home") focus = isFar ? 0 : this.lineEnd(text, -1);
    else if (key === "End") focus = isFar ? last : this.lineEnd(text, 1);
    else if (!step) return false;
    else if (key === "ArrowDown" || key === "ArrowUp") focus = this.line(text, step);
    else if (isFar) focus = this.sentence(text, step, shiftKey);
    else focus = this.next(text, step, shiftKey);
    focus = Math.max(0, Math.min(focus, last));
    this.select(text, shiftKey ? text.anchor : focus, focus);
    return true;
  }

  /** Of several words, an arrow leaves at the side to which it points. */
  next({ anchor, focus }, step, isExtending) {
    if (isExtending || anchor === focus) return focus + step;
    return step > 0 ? Math.max(anchor, focus) + 1 : Math.min(anchor, focus) - 1;
  }

  sentence(text, step, isExtending) {
    const { focus } = text;
    if (step < 0) return text.sentences.findLast((place) => place < focus) ?? 0;
    // To the end of this one, where it is extended; it stands there already: of the next.
    const next = text.sentences.find((place) => place > focus + (isExtending ? 1 : 0)) ?? text.tokens.length;
    return isExtending ? next - 1 : next;
  }

  /** The token above or below. */
  line(text, step) {
    const from = text.box(text.focus);
    const middle = (from.left + from.right) / 2;
    let line = null;
    let best = null;
    for (let place = text.focus + step; text.tokens[place] && Math.abs(place - text.focus) < FAR; place += step) {
      const box = text.box(place);
      const isOther = step > 0 ? box.top >= from.bottom - from.height / 3 : box.bottom <= from.top + from.height / 3;
      if (!isOther) continue;
      line ??= box;
      if (Math.abs(box.bottom - line.bottom) > line.height / 2) break;
      const apart = Math.abs((box.left + box.right) / 2 - middle);
      if (!best || apart < best.apart) best = { place, apart };
    }
    return best?.place ?? (step > 0 ? text.tokens.length - 1 : 0);
  }

  lineEnd(text, step) {
    const from = text.box(text.focus);
    let place = text.focus;
    while (text.tokens[place + step] && Math.abs(text.box(place + step).bottom - from.bottom) <= from.height / 2) place += step;
    return place;
  }
}
