// Words of a text that are picked for an edit. They are checkboxes and need no script; with it, arrows move among them,
// Shift takes those on the way along, and a pointer drawn over several picks them all.

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

class Picks {
  constructor(text) {
    this.boxes = [...text.querySelectorAll("input")];
    this.drawn = null;
    this.boxes.forEach((box, place) => (box.tabIndex = place ? -1 : 0));
    text.addEventListener("keydown", (event) => this.key(event));
    text.addEventListener("focusin", ({ target }) => this.stop(this.boxes.indexOf(target)));
    text.addEventListener("pointerdown", (event) => this.begin(event));
    text.addEventListener("pointerover", ({ target, buttons }) => buttons === 1 && this.draw(this.at(target)));
    // What follows a drawing is no click on the word where it ended.
    text.addEventListener("click", (event) => this.drawn?.isWide && event.preventDefault());
    document.addEventListener("pointerup", () => setTimeout(() => (this.drawn = null)));
  }

  at(target) {
    return this.boxes.indexOf(target.closest(".pick")?.querySelector("input"));
  }

  /** One of them is reached by Tab: where one was last. */
  stop(place) {
    if (place >= 0) this.boxes.forEach((box, each) => (box.tabIndex = each === place ? 0 : -1));
  }

  key(event) {
    const from = this.boxes.indexOf(event.target);
    if (from < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      return event.target.closest("[data-adding]").querySelector("[data-add]").click();
    }
    const to = this.goal(event.key, from);
    if (to === null) return;
    event.preventDefault();
    if (event.shiftKey) this.set(from, to, true);
    this.boxes[to].focus();
  }

  goal(key, from) {
    const last = this.boxes.length - 1;
    if (key === "Home") return 0;
    if (key === "End") return last;
    if (key in STEPS) return Math.max(0, Math.min(last, from + STEPS[key]));
    if (key === "ArrowDown") return this.line(from, 1);
    return key === "ArrowUp" ? this.line(from, -1) : null;
  }

  /** The word above or below. */
  line(from, step) {
    const box = (place) => this.boxes[place].parentElement.getClientRects()[0];
    const here = box(from);
    let best = from;
    let line = null;
    for (let place = from + step; this.boxes[place]; place += step) {
      const there = box(place);
      if ((there.top - here.top) * step < here.height / 2) continue;
      line ??= there.top;
      if (Math.abs(there.top - line) > here.height / 2) break;
      if (best === from || Math.abs(there.left - here.left) < Math.abs(box(best).left - here.left)) best = place;
    }
    return best;
  }

  begin({ target, pointerType }) {
    const place = this.at(target);
    // A finger scrolls.
    if (place >= 0 && pointerType !== "touch") this.drawn = { place, is: !this.boxes[place].checked, isWide: false };
  }

  draw(place) {
    if (!this.drawn || place < 0 || (place === this.drawn.place && !this.drawn.isWide)) return;
    this.drawn.isWide = true;
    this.set(this.drawn.place, place, this.drawn.is);
  }

  set(from, to, is) {
    for (let place = Math.min(from, to); place <= Math.max(from, to); place += 1) this.boxes[place].checked = is;
  }
}

for (const text of document.querySelectorAll("[data-picks]")) new Picks(text);
