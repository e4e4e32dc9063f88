// The help of the option that is pointed at, focused or chosen: beside the texts where the page is wide,
// under the options elsewhere. One card at a time.

export class Cards {
  constructor(form) {
    this.slot = document.getElementById("help-slot");
    this.grid = document.querySelector(".judge__grid");
    this.cards = [...form.querySelectorAll("[data-card]")].map((card) => {
      const group = document.getElementById(`id_${card.dataset.card}`);
      return { card, group, home: card.parentElement, next: card.nextElementSibling, step: card.closest("[data-step]") };
    });
    for (const each of this.cards) this.follow(each);
  }

  follow(each) {
    const { group } = each;
    for (const kind of ["mouseover", "focusin", "bareme:match"]) {
      group.addEventListener(kind, (event) => this.show(each, event.target.closest(".option")));
    }
    for (const kind of ["mouseleave", "change"]) group.addEventListener(kind, () => this.show(each, null));
  }

  /** The card of a step as it opens; none for a step without one. */
  open(index) {
    const found = this.cards.find(({ step }) => Number(step.dataset.step) === index + 1);
    if (found) this.show(found, null);
    else for (const { card } of this.cards) card.hidden = true;
  }

  show(each, option) {
    const input = option?.querySelector("input") ?? each.group.querySelector("input:checked");
    const help = input && document.getElementById(`help-${each.card.dataset.card}-${input.value}`);
    for (const { card } of this.cards) card.hidden = card !== each.card || !help;
    if (!help) return;
    const isWide = getComputedStyle(this.grid).gridTemplateColumns.split(" ").length > 1;
    if (isWide) this.slot.append(each.card);
    else each.home.insertBefore(each.card, each.next);
    each.card.replaceChildren(...help.cloneNode(true).childNodes);
    each.card.className = help.classList.contains("help--bilingual") ? "help-card help--bilingual" : "help-card";
  }
}
