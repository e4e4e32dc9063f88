// The guide beside the texts. On a wide window it stands in a column of its own, and everything else makes
// room: it never covers what it explains. Elsewhere it is a sheet over the page that one key puts away.
// It opens at the section of the step at hand, and where one was in it.

import { say } from "./form.js";
import { spoken } from "../platform/language.js";

// Narrower than this, in the reader's own type size, two columns of texts and steps leave no third.
const DOCK_REM = 76;

export class Guide {
  constructor({ main, panel, button, url }) {
    Object.assign(this, { main, panel, button, url });
    this.body = panel.querySelector("[data-body]");
    this.name = `bareme:v1:guide:${main.dataset.study}`;
    this.memory = { open: false, last: null, ...remembered(this.name) };
    this.step = "";
    panel.querySelector("[data-close]").addEventListener("click", () => this.close());
    panel.addEventListener("close", () => this.closed());
    panel.addEventListener("keydown", (event) => this.key(event));
    panel.addEventListener("scroll", () => this.isPlaced && this.keep(), { passive: true });
    new MutationObserver(() => this.follow()).observe(main, { subtree: true, attributeFilter: ["data-current"] });
    new ResizeObserver(() => this.isOpen && this.fit()).observe(document.documentElement);
  }

  get isOpen() {
    return this.panel.open;
  }

  toggle() {
    return this.isOpen ? this.close() : this.open();
  }

  async open({ takesFocus = true } = {}) {
    this.from = takesFocus ? document.activeElement : null;
    this.fit();
    this.button?.setAttribute("aria-expanded", "true");
    if (takesFocus) this.panel.focus({ preventScroll: true });
    await this.load();
    this.settle();
  }

  close() {
    this.panel.close();
  }

  /** Closed by us, or by the browser when Escape is pressed in the sheet. */
  closed() {
    // Told a moment later: a sheet that became a column, or the other way round, stands open again by then.
    if (this.isOpen) return;
    delete this.main.dataset.guide;
    this.isPlaced = false;
    this.remember({ open: false });
    this.button?.setAttribute("aria-expanded", "false");
    const back = this.from?.isConnected && this.from.checkVisibility() ? this.from : this.button;
    if (this.from) back?.focus({ preventScroll: true });
    this.showStep();
  }

  /** A column or a sheet, as the window allows; only a sheet keeps what is behind it out of reach. */
  fit() {
    const { main, panel } = this;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const kind = document.documentElement.clientWidth / rem >= DOCK_REM ? "dock" : "sheet";
    if (panel.open && main.dataset.guide === kind) return;
    const hadFocus = panel.contains(document.activeElement);
    if (panel.open) panel.close();
    main.dataset.guide = kind;
    // A sheet would cover the next pair too: only a column opens there by itself.
    this.remember({ open: kind === "dock" });
    if (kind === "dock") panel.show();
    else panel.showModal();
    if (hadFocus) panel.focus({ preventScroll: true });
    if (this.isPlaced) panel.scrollTop = this.place() ?? 0;
    this.showStep();
  }

  /** What is being answered stays in the window although everything else moved. */
  showStep() {
    const step = this.main.querySelector("[data-step][data-current]");
    const { top, bottom } = step?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    if (top < 0 || bottom > innerHeight) step.scrollIntoView({ block: bottom - top > innerHeight ? "start" : "nearest" });
  }

  async load() {
    if (this.panel.dataset.loaded) return;
    try {
      const answer = await fetch(`${this.url}?fragment=1`, { headers: { Accept: "text/html", ...spoken } });
      if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
      // Parsed apart, so that nothing in it can run.
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      this.body.replaceChildren(...page.body.childNodes);
      this.panel.dataset.loaded = "1";
    } catch {
      this.body.textContent = say("guideFailed");
    }
  }

  currentStep() {
    return this.main.querySelector("[data-step][data-current]")?.dataset.step ?? "";
  }

  /** From its heading to the next of the same level, in the panel's own pixels; null where none names the step. */
  section(step) {
    const heading = this.body.querySelector(`[data-guide-step="${step}"]`);
    if (!heading) return null;
    const isNext = (each) => each.tagName <= heading.tagName && /^H\d$/.test(each.tagName);
    let end = heading.nextElementSibling;
    while (end && !isNext(end)) end = end.nextElementSibling;
    return { top: this.topOf(heading), bottom: end ? this.topOf(end) : Infinity };
  }

  topOf(element) {
    return element.getBoundingClientRect().top - this.panel.getBoundingClientRect().top + this.panel.scrollTop - this.head;
  }

  get blocks() {
    return [...this.body.querySelectorAll("[data-guide-body] > *")];
  }

  /** What stands above the guide's words and does not scroll with them. */
  get head() {
    return this.panel.querySelector("[data-head]").offsetHeight;
  }

  /** To the section of the step, unless one was in that very section already; without one, where one was last. */
  settle() {
    this.step = this.currentStep();
    const section = this.section(this.step);
    const last = this.place();
    const isWithin = section && last !== null && last >= section.top - 1 && last < section.bottom - 1;
    this.panel.scrollTop = section && !isWithin ? section.top : (last ?? 0);
    this.isPlaced = true;
    this.keep();
  }

  /** A step was opened: its section comes into view, but not under the eyes of who is reading here. */
  follow() {
    if (!this.isOpen || !this.isPlaced || this.currentStep() === this.step) return;
    if (this.panel.contains(document.activeElement) || this.panel.matches(":hover")) return;
    this.settle();
  }

  /** Kept as a block and how far into it, which holds at any width. */
  keep() {
    const { blocks } = this;
    const index = blocks.findIndex((block) => this.topOf(block) + block.offsetHeight > this.panel.scrollTop);
    if (index >= 0) this.remember({ last: [index, Math.round(this.panel.scrollTop - this.topOf(blocks[index]))] });
  }

  place() {
    const [index, into] = this.memory.last ?? [];
    const block = this.blocks[index];
    return block ? this.topOf(block) + Math.min(into, block.offsetHeight) : null;
  }

  remember(what) {
    Object.assign(this.memory, what);
    try {
      sessionStorage.setItem(this.name, JSON.stringify(this.memory));
    } catch {
      // It is then forgotten with the page.
    }
  }

  key(event) {
    if (this.main.dataset.guide !== "sheet" || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.key.toLowerCase() !== "g") return;
    event.preventDefault();
    this.close();
  }
}

function remembered(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}
