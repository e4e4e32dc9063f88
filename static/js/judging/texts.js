// The two texts as readable, selectable, never editable panels, and what is drawn on them.
// A real caret comes from contenteditable; every way of changing the text is refused or undone.

import { offsets, snap, words } from "./words.js";

export class Panel {
  constructor(element, text) {
    this.element = element;
    this.side = element.dataset.side;
    this.text = text ?? element.textContent;
    this.points = offsets(this.text);
    this.layers = [];
    this.makeReadable();
    this.draw([]);
  }

  makeReadable() {
    const { element } = this;
    const attributes = {
      contenteditable: "true",
      role: "textbox",
      "aria-readonly": "true",
      "aria-multiline": "true",
      "aria-labelledby": `title-${this.side}`,
      inputmode: "none",
      spellcheck: "false",
      autocapitalize: "off",
      translate: "no",
      tabindex: "0",
    };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (document.getElementById("text-hint")) element.setAttribute("aria-describedby", "text-hint");
    element.dataset.gramm = "false";
    for (const name of ["beforeinput", "paste", "cut", "drop", "dragstart"]) {
      element.addEventListener(name, (event) => event.preventDefault());
    }
    // A dead key (^ then e) starts a composition, which browsers do not let a page refuse: undo it.
    for (const name of ["input", "compositionend"]) {
      element.addEventListener(name, () => this.draw(this.layers));
    }
  }

  /** Draw layers {start, end, className, dataset} in UTF-16 units; where they overlap they nest. */
  draw(layers) {
    const drawing = JSON.stringify(layers);
    this.layers = layers;
    // Asking for the selection makes the browser lay out the page: not for what stands there already.
    if (drawing === this.drawing && this.element.textContent === this.text) return;
    this.drawing = drawing;
    const held = this.rawSelection();
    const cuts = new Set([0, this.text.length]);
    for (const layer of layers) cuts.add(layer.start).add(layer.end);
    const places = [...cuts].sort((a, b) => a - b);
    const nodes = [];
    for (let i = 0; i + 1 < places.length; i++) nodes.push(this.segment(places[i], places[i + 1]));
    this.element.replaceChildren(...nodes);
    if (held) this.select(held.anchor, held.focus);
  }

  segment(start, end) {
    let node = document.createTextNode(this.text.slice(start, end));
    for (const layer of this.layers) {
      if (layer.start > start || layer.end < end) continue;
      const wrapper = document.createElement(layer.tag ?? "span");
      wrapper.className = layer.className;
      Object.assign(wrapper.dataset, layer.dataset);
      // The number stands once, where the passage begins.
      if (layer.start !== start) delete wrapper.dataset.label;
      wrapper.append(node);
      node = wrapper;
    }
    return node;
  }

  /** The selection inside this panel as units, in the order in which it was made; else null. */
  rawSelection() {
    const selection = document.getSelection();
    if (!selection.rangeCount || !this.element.contains(selection.anchorNode)) return null;
    if (!this.element.contains(selection.focusNode)) return null;
    return {
      anchor: this.unitAt(selection.anchorNode, selection.anchorOffset),
      focus: this.unitAt(selection.focusNode, selection.focusOffset),
    };
  }

  unitAt(node, offset) {
    const range = document.createRange();
    range.selectNodeContents(this.element);
    range.setEnd(node, offset);
    return range.toString().length;
  }

  /** The selected whole words, in units; null where there are none. */
  selectedWords() {
    const raw = this.rawSelection();
    if (!raw || raw.anchor === raw.focus) return null;
    return snap(this.text, Math.min(raw.anchor, raw.focus), Math.max(raw.anchor, raw.focus));
  }

  select(anchor, focus = anchor) {
    const [a, f] = [this.place(anchor), this.place(focus)];
    document.getSelection().setBaseAndExtent(a.node, a.offset, f.node, f.offset);
  }

  place(unit) {
    const walker = document.createTreeWalker(this.element, NodeFilter.SHOW_TEXT);
    let left = unit;
    let last = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= node.length) return { node, offset: left };
      left -= node.length;
      last = node;
    }
    return last ? { node: last, offset: last.length } : { node: this.element, offset: 0 };
  }

  /** Select the word at a place of the window, if there is one. */
  selectWordAt(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
    const [node, offset] = [caret?.offsetNode ?? caret?.startContainer, caret?.offset ?? caret?.startOffset];
    if (!node || !this.element.contains(node)) return;
    const unit = this.unitAt(node, offset);
    const word = words(this.text).find(({ start, end }) => start <= unit && unit <= end);
    if (word) this.select(word.start, word.end);
  }

  /** Into the text; false where the open step does not show it. */
  focus() {
    if (this.isHidden) return false;
    this.onShow?.();
    this.element.focus();
    if (!this.rawSelection()) this.select(0);
    return true;
  }

  /** Code point span from units, and back. */
  span(range) {
    return { start: this.points.toPoint(range.start), end: this.points.toPoint(range.end) };
  }

  range(start, end) {
    return { start: this.points.toUnit(start), end: this.points.toUnit(end) };
  }

  quote(start, end) {
    const range = this.range(start, end);
    return this.text.slice(range.start, range.end);
  }
}

/** Show the texts that a step asks about, and hide the others. */
export function showSides(panels, sides) {
  const box = document.getElementById("texts");
  const shown = Object.values(panels).filter(({ side }) => sides.includes(side));
  for (const panel of Object.values(panels)) panel.isHidden = panel.element.closest("article").hidden = !shown.includes(panel);
  box.toggleAttribute("data-alone", shown.length === 1);
  if (!sides.includes(box.dataset.shown)) shown[0]?.onShow();
}

/** Two tabs for the two texts, where a window is too narrow for both; going into a text shows it. */
export function bindTabs(panels) {
  const box = document.getElementById("texts");
  const tabs = [...box.querySelectorAll("[data-show]")];
  const show = (side) => {
    box.dataset.shown = side;
    for (const tab of tabs) {
      const isShown = tab.dataset.show === side;
      tab.setAttribute("aria-selected", isShown);
      tab.tabIndex = isShown ? 0 : -1;
    }
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => show(tab.dataset.show));
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = tabs.find((each) => each !== tab);
      show(other.dataset.show);
      other.focus();
    });
  }
  for (const panel of Object.values(panels)) panel.onShow = () => show(panel.side);
}
