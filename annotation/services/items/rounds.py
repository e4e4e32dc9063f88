"""Which items are for practice. Only while a study is in preparation: assignments keep their
places."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from annotation.allocation import seeded_order
from annotation.errors import RuleError
from annotation.models import Item, PeoplePart, Study, User
from annotation.services.base.sizes import size_recount
from annotation.services.base.standings import standings_recount
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock


@transaction.atomic
def items_set_round(*, actor: User, study: Study, keys: Collection[str], to: str) -> int:
    """Move items to a round; how many moved. Raises ``RuleError`` once a round was opened."""
    _only_in_preparation(study)
    moved = Item.objects.filter(study=study, key__in=keys).exclude(round=to).update(round=to)
    _standings_follow(study)
    event_record(actor=actor, study=study, verb="items_moved", round=to, number=moved)
    return moved


@transaction.atomic
def practice_draw(*, actor: User, study: Study, number: int) -> list[str]:
    """Draw so many practice items by the study's seed, and leave the others to the main round.

    The same items and seed give the same draw. Raises ``RuleError``: a round was opened, or there
    are fewer items than asked for.
    """
    _only_in_preparation(study)
    keys = list(Item.objects.filter(study=study).values_list("key", flat=True))
    if not 0 <= number <= len(keys):
        raise RuleError.single(
            "number",
            "too_many",
            f"L'étude a {len(keys)} clauses : tirez-en de 0 à {len(keys)}.",
            f"The study has {len(keys)} clauses: draw from 0 to {len(keys)}.",
        )
    drawn = seeded_order(keys, f"{study.seed}:practice")[:number]
    Item.objects.filter(study=study).update(round=Item.Round.MAIN)
    Item.objects.filter(study=study, key__in=drawn).update(round=Item.Round.PRACTICE)
    _standings_follow(study)
    event_record(actor=actor, study=study, verb="practice_drawn", number=number, seed=study.seed)
    return drawn


def _standings_follow(study: Study) -> None:
    """A study that was taken back to preparation has given its pairs out already."""
    size_recount(study)
    standings_recount(list(study.annotators.values_list("pk", flat=True)))


def _only_in_preparation(study: Study) -> None:
    state = study_row_lock(study.pk).state
    if state != Study.State.DRAFT:
        raise RuleError.single(
            "round",
            "opened",
            (
                "Une ronde a été ouverte : la répartition ne change plus. Ramenez d'abord l'étude "
                "en préparation."
            ),
            "A round was opened: the division is fixed. Take the study back to preparation first.",
        )
    if PeoplePart.objects.filter(study=study).exists():
        raise RuleError.single(
            "round",
            "part_drawn",
            "Une part des passages a été tirée pour les personnes : annulez d'abord le tirage, "
            "sur la page du plan.",
            "A part of the passages was drawn for people: take the draw back first, on the plan's "
            "page.",
        )
