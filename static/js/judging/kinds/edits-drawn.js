// How edits are drawn on the texts: each underlined in a lane of its own where several meet, its number where it
// begins, and a line from one text to the other for the one that is looked at.

const LANES = 4;
const SVG = "http://www.w3.org/2000/svg";

/** For each edit a lane that no other one has at the same tokens, from 0; beyond the last they begin again. */
export function lanes(edits, placesOf) {
  const taken = [];
  return edits.map((edit) => {
    const places = placesOf(edit);
    let lane = 0;
    while (places.some((place) => taken[lane]?.has(place))) lane++;
    taken[lane] ??= new Set();
    for (const place of places) taken[lane].add(place);
    return lane;
  });
}

/** The layers of edits on one panel, the shortest innermost. `state`: {hand, lit, label(edit), placesOf(edit)}. */
export function layersOf(edits, panel, state) {
  const { side } = panel;
  const lane = lanes(edits, state.placesOf);
  const most = Math.min(LANES, Math.max(0, ...lane.map((each) => each + 1)));
  panel.element.style.setProperty("--lanes", most);
  const layers = edits.flatMap((edit, index) =>
    edit[side].map(([start, end], part) => ({
      ...panel.range(start, end),
      className: "edit",
      dataset: {
        ofEdit: index,
        hue: index % 8,
        lane: lane[index] % LANES,
        label: index + 1,
        ...(part === 0 && state.label(edit) && { called: state.label(edit) }),
        ...(part > 0 && { again: "" }),
        ...(state.hand === index && { hand: "" }),
        ...(state.lit === index && { lit: "" }),
      },
    })),
  );
  return layers.sort((a, b) => a.end - a.start - (b.end - b.start));
}

/** A line from the words of one text to those of the other. */
export class Link {
  constructor(panels) {
    this.panels = panels;
    this.box = document.getElementById("texts");
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("class", "edit-link");
    this.svg.setAttribute("aria-hidden", "true");
    this.path = this.svg.appendChild(document.createElementNS(SVG, "path"));
    this.box.append(this.svg);
    this.index = -1;
    for (const panel of Object.values(panels)) panel.element.addEventListener("scroll", () => this.draw(), { passive: true });
    window.addEventListener("resize", () => this.draw());
  }

  show(index) {
    this.index = index;
    this.draw();
  }

  draw() {
    const ends = Object.values(this.panels).map((panel) => this.end(panel));
    const isWhole = ends.length === 2 && ends.every(Boolean);
    this.svg.toggleAttribute("data-shown", isWhole);
    if (!isWhole) return;
    const [left, right] = ends;
    const { hue } = this.spans(Object.values(this.panels)[0])[0].dataset;
    this.svg.dataset.hue = hue;
    const bend = Math.max(16, (right.x - left.x) / 2);
    this.path.setAttribute("d", `M${left.x},${left.y} C${left.x + bend},${left.y} ${right.x - bend},${right.y} ${right.x},${right.y}`);
  }

  spans(panel) {
    return [...panel.element.querySelectorAll(`[data-of-edit="${this.index}"]`)];
  }

  /** Where the line meets a text: right of its words in the first, left of them in the second; null out of sight. */
  end(panel) {
    const frame = panel.element.getBoundingClientRect();
    const inSight = (box) => box.width && box.bottom > frame.top && box.top < frame.bottom;
    const boxes = this.spans(panel).flatMap((span) => [...span.getClientRects()]).filter(inSight);
    const isFirst = panel.side === "original";
    const box = boxes.at(isFirst ? -1 : 0);
    if (!box) return null;
    const own = this.box.getBoundingClientRect();
    return { x: (isFirst ? box.right : box.left) - own.left, y: box.bottom - own.top - 1 };
  }
}
