// The help of the option that is pointed at, focused or chosen, under the options. One card at a time.

export class Cards {
  constructor(form) {
    this.cards = [...form.querySelectorAll("[data-card]")].map((card) => {
      const group = document.getElementById(`id_${card.dataset.card}`);
      return { card, group };
    });
    for (const each of this.cards) this.follow(each);
  }

  follow(each) {
    const { group } = each;
    for (const kind of ["mouseover", "focusin", "bareme:match"]) {
      group.addEventListener(kind, (event) => this.show(each, event.target.closest(".option")));
    }
    for (const kind of ["mouseleave", "change"]) group.addEventListener(kind, () => this.show(each, null));
    this.show(each, null);
  }

  show({ card, group }, option) {
    const input = option?.querySelector("input") ?? group.querySelector("input:checked");
    const help = input && document.getElementById(`help-${card.dataset.card}-${input.value}`);
    card.hidden = !help;
    if (!help) return;
    card.replaceChildren(...help.cloneNode(true).childNodes);
    card.className = help.classList.contains("help--bilingual") ? "help-card help--bilingual" : "help-card";
  }
}
