"""The part of a study's passages that was drawn for people, the others being left to models."""

from __future__ import annotations

import hashlib

from annotation.models import Item, PeoplePart, Study
from annotation.protocols.base import Wording

DRAWN_FROM = (Item.Round.MAIN.value, Item.Aside.MACHINE.value)
"""The rounds over which a draw divides the passages."""

NOT_DRAWN = Wording(
    "Les paires que les personnes ont jugées n'ont pas été tirées au hasard parmi toutes\u00a0: ce "
    "que disent les modèles des autres ne peut pas être corrigé. Tirez une part pour les personnes "
    "sur la page du plan, avant d'ouvrir une ronde.",
    "The pairs that people judged were not drawn at random from all: what models say of the others "
    "cannot be corrected. Draw a part for people on the plan's page, before a round opens.",
)
NO_LONGER_DRAWN = Wording(
    "Des passages ont été ajoutés, déplacés ou retirés depuis le tirage du {day}\u00a0: la part "
    "des personnes n'est plus celle que le hasard a choisie.",
    "Passages were added, moved or removed since the draw of {day}: the people's part is no "
    "longer the one that chance has chosen.",
)


def people_part(study: Study) -> PeoplePart | None:
    """The draw in force; None where people judge every passage of the main round."""
    return PeoplePart.objects.filter(study=study).first()


def division_digest(study: Study) -> str:
    """SHA-256 of which item stands on which side of the draw, with its text; as hexadecimal."""
    rows = study.items.filter(round__in=DRAWN_FROM).order_by("key")
    lines = rows.values_list("round", "key", "original_digest")
    return hashlib.sha256("\n".join(" ".join(line) for line in lines).encode()).hexdigest()


def part_problem(study: Study, part: PeoplePart | None) -> Wording | None:
    """Why what people judged is no random part of all passages; None where it is one."""
    if part is None:
        return NOT_DRAWN
    if division_digest(study) != part.digest:
        return NO_LONGER_DRAWN.format(day=f"{part.drawn_at:%Y-%m-%d}")
    return None
