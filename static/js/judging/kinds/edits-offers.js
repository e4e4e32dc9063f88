// What differs between the two texts, offered as pale passages: each is taken over, and marked as suggested, or
// refused. The same comparison tells which words that differ are in no edit yet.

import { Field, changed, define } from "../form.js";
import { aligned, differing } from "./edits-aligned.js";

const SIDES = ["original", "simplification"];
const REFUSED = "bareme:v1:edits-refused";
const SHOWN = "bareme:v1:edits-shown";

/** Choices of the page alone: what is shown, for this browser; what was refused, for this tab. */
function kept(storage, name, value) {
  try {
    if (value !== undefined) storage().setItem(name, JSON.stringify(value));
    return JSON.parse(storage().getItem(name));
  } catch {
    return value ?? null;
  }
}

/** For who hears the page: what the button does, and to which words. */
function nameButton(button, edits, edit) {
  const words = SIDES.map((side) => edits.quoted(edit, side) || "∅").join(" → ");
  button.setAttribute("aria-label", button.dataset.named.replace("{words}", () => words));
}

const keyOf = (offer) => JSON.stringify(SIDES.map((side) => offer[side]));

/** Which suggestions were refused, as an answer: saved, undone and given back with the others. */
export class Refusals extends Field {
  constructor(element, form, page) {
    super(element, form);
    this.stored = element.querySelector("[data-written]");
    this.write(JSON.parse(this.stored.value || "[]"));
    (page.refusals ??= new Map()).set(this.name, this);
  }

  read() {
    return this.value.map((edit) => Object.fromEntries(SIDES.map((side) => [side, edit[side].map((span) => [...span])])));
  }

  write(value) {
    this.value = (value ?? []).map((edit) => Object.fromEntries(SIDES.map((side) => [side, edit[side] ?? []])));
    this.stored.value = JSON.stringify(this.value);
  }

  isAnswered(answers) {
    return answers[this.name].length > 0;
  }

  put(value) {
    this.write(value);
    changed(this.element);
  }

  /** `edits`: the field whose suggestions they are. */
  draw(edits) {
    const { element, value } = this;
    element.hidden = !value.length && !element.querySelector(".field__problem");
    element.querySelector("[data-count]").textContent = value.length;
    const rows = value.map((edit, index) => {
      const row = element.querySelector("template").content.firstElementChild.cloneNode(true);
      for (const side of SIDES) row.querySelector(`[data-quote="${side}"]`).textContent = edits.quoted(edit, side) || "∅";
      const button = row.querySelector("button");
      nameButton(button, edits, edit);
      button.disabled = !edits.isEditable;
      button.addEventListener("click", () => this.putBack(index));
      return row;
    });
    element.querySelector("ul").replaceChildren(...rows);
  }

  putBack(index) {
    this.put(this.value.toSpliced(index, 1));
    const next = this.element.querySelectorAll("li button")[Math.min(index, this.value.length - 1)];
    (next ?? this.element.closest("form")?.querySelector("[data-offers] summary"))?.focus();
  }
}

define("refusals", Refusals);

export class Offers {
  constructor(element, edits) {
    Object.assign(this, { element, edits });
    this.box = element.querySelector("[data-offers]");
    this.template = element.querySelector("template[data-offer-row]")?.content.firstElementChild;
    this.toggles = Object.fromEntries([...element.querySelectorAll("[data-toggle]")].map((toggle) => [toggle.dataset.toggle, toggle]));
    const { assignment } = document.getElementById("judge").dataset;
    this.place = `${REFUSED}:${assignment}:${edits.name}`;
    this.forgotten = new Set(kept(() => sessionStorage, this.place) ?? []);
    const [left, right] = SIDES.map((side) => ({ text: edits.panels[side]?.text ?? "", tokens: edits.tokens(side) }));
    this.pairs = aligned(left, right);
    const lengths = { original: left.tokens.length, simplification: right.tokens.length };
    /** Every passage that differs, as spans like those of an edit. */
    this.all = differing(this.pairs, lengths).map((places) => {
      const spans = Object.fromEntries(SIDES.map((side) => [side, places[side].length ? edits.spans(places[side], side) : []]));
      return { ...spans, places, key: keyOf(spans) };
    });
    this.shown = [];
    this.bind();
  }

  bind() {
    const on = kept(() => localStorage, SHOWN) ?? {};
    for (const [name, toggle] of Object.entries(this.toggles)) {
      if (name in on) toggle.setAttribute("aria-pressed", String(on[name]));
      toggle.addEventListener("click", () => {
        toggle.setAttribute("aria-pressed", String(!this.isOn(name)));
        const now = Object.fromEntries(Object.keys(this.toggles).map((each) => [each, this.isOn(each)]));
        kept(() => localStorage, SHOWN, { ...on, ...now });
        this.edits.redraw();
      });
    }
    this.box?.addEventListener("click", ({ target }) => {
      const { act } = target.closest("button")?.dataset ?? {};
      const index = [...this.box.querySelectorAll("[data-offer]")].indexOf(target.closest("[data-offer]"));
      if (act === "accept") this.accept(this.shown[index]);
      else if (act === "refuse") this.refuse(this.shown[index]);
    });
  }

  /** The field that keeps them, where the protocol has one. */
  get refusals() {
    return this.edits.page.refusals?.get(this.element.dataset.refused);
  }

  /** Without such a field, for this tab alone. */
  get refused() {
    return this.refusals ? new Set(this.refusals.value.map(keyOf)) : this.forgotten;
  }

  isOn(name) {
    return this.toggles[name]?.getAttribute("aria-pressed") === "true";
  }

  /** Of these tokens, those in no edit. */
  bare(side) {
    const covered = new Set(this.edits.edits.flatMap((edit) => this.edits.places(edit, side)));
    return this.all.flatMap(({ places }) => places[side]).filter((place) => !covered.has(place));
  }

  draw() {
    const bare = Object.fromEntries(SIDES.map((side) => [side, new Set(this.bare(side))]));
    const { refused } = this;
    const isFree = (offer) => SIDES.every((side) => offer.places[side].every((place) => bare[side].has(place)));
    const isOffered = (offer) => isFree(offer) && !refused.has(offer.key);
    this.shown = this.isOn("offers") && this.edits.isEditable ? this.all.filter(isOffered) : [];
    this.uncovered = this.isOn("bare") ? bare : null;
    this.element.toggleAttribute("data-names", this.isOn("names"));
    for (const panel of Object.values(this.edits.panels)) panel.element.toggleAttribute("data-names", this.isOn("names"));
    const counts = Object.fromEntries(SIDES.map((side) => [side, bare[side].size]));
    const place = this.element.querySelector("[data-bare-count]");
    place.textContent = this.isOn("bare") ? this.edits.words("bare", counts) : "";
    if (this.box) this.list();
    this.refusals?.draw(this.edits);
  }

  list() {
    this.box.hidden = !this.shown.length;
    this.box.querySelector("[data-count]").textContent = this.shown.length;
    const rows = this.shown.map((offer) => {
      const row = this.template.cloneNode(true);
      for (const side of SIDES) row.querySelector(`[data-quote="${side}"]`).textContent = this.edits.quoted(offer, side) || "∅";
      for (const button of row.querySelectorAll("button")) nameButton(button, this.edits, offer);
      return row;
    });
    this.box.querySelector("ul").replaceChildren(...rows);
  }

  layers(panel) {
    const offers = this.shown.flatMap((offer) =>
      offer[panel.side].map(([start, end]) => ({ ...panel.range(start, end), className: "edit-offer", dataset: {} })),
    );
    const tokens = this.edits.tokens(panel.side);
    const bare = [...(this.uncovered?.[panel.side] ?? [])].map((place) => ({ ...tokens[place], className: "edit-bare", dataset: {} }));
    return [...bare, ...offers];
  }

  at(at) {
    const isHere = ({ places }) => places[at.side].some((place) => place >= at.from && place <= at.to);
    return at && this.shown.find(isHere);
  }

  acceptAt(at) {
    return this.accept(this.at(at));
  }

  refuseAt(at) {
    return this.refuse(this.at(at));
  }

  /** It becomes the edit in hand, which only lacks its operation. */
  accept(offer) {
    if (!offer) return false;
    const { original, simplification } = offer;
    const index = this.edits.added({ original, simplification, source: "suggested" });
    if (index < 0) return true;
    this.edits.hand = this.edits.lit = index;
    this.edits.begun = this.edits.cursor.side ?? SIDES.find((side) => offer[side].length);
    this.edits.stand();
    this.edits.types.begin();
    return true;
  }

  refuse(offer) {
    if (!offer) return false;
    const had = this.box?.contains(document.activeElement);
    const { refusals } = this;
    if (refusals) refusals.put([...refusals.value, { original: offer.original, simplification: offer.simplification }]);
    else this.forget(offer.key);
    this.edits.tell("refused", {}, Boolean(refusals));
    if (had) this.box.querySelector("[data-act=refuse]")?.focus();
    return true;
  }

  forget(key) {
    this.forgotten.add(key);
    kept(() => sessionStorage, this.place, [...this.forgotten]);
    this.edits.redraw();
  }
}
