"""What a study holds, kept in the transaction that adds items or pairs, moves them or takes them
away. Whoever does so holds the study already; nobody who judges writes here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F

from annotation.models import OFFERED_ASIDE, Item, Simplification, Study, StudySize
from annotation.selectors.base.sizes import (
    Sizes,
    expected_languages,
    is_other_language,
    sizes_counted,
    sizes_departing,
    systems_counted,
    systems_kept,
)
from annotation.selectors.base.standings import Departure


class NewPair(NamedTuple):
    """What a study keeps count of in a pair."""

    system: str
    language: str
    is_identical: bool


def new_pairs(simplifications: Iterable[Simplification]) -> list[NewPair]:
    return [NewPair(made.system, made.language, made.is_identical) for made in simplifications]


def size_add(study: Study, *, rounds: Iterable[str] = (), pairs: Iterable[NewPair] = ()) -> None:
    """Add new items, by the round of each, and new pairs of the study's own."""
    rounds, own, expected = list(rounds), list(pairs), expected_languages(study)
    added = Sizes(
        practice=rounds.count(Item.Round.PRACTICE),
        main=rounds.count(Item.Round.MAIN),
        beside=sum(round_ in OFFERED_ASIDE for round_ in rounds),
        pairs=len(own),
        identical=sum(pair.is_identical for pair in own),
        other_language=sum(is_other_language(pair.language, expected) for pair in own),
    )
    StudySize.objects.bulk_create([StudySize(study=study)], ignore_conflicts=True)
    changed: dict[str, Any] = {
        name: F(name) + number for name, number in added._asdict().items() if number
    }
    known = systems_kept(study.pk)
    if new := {pair.system for pair in own} - {"", *known}:
        changed["systems"] = sorted(new.union(known))
    if changed:
        StudySize.objects.filter(study=study).update(**changed)


def size_recount(study: Study) -> None:
    """Count anew what the study holds: items were moved or taken away."""
    counted = sizes_counted(study)._asdict() | {"systems": systems_counted(study.pk)}
    StudySize.objects.update_or_create(study=study, defaults=counted)


def sizes_check(*, rebuild: bool = False) -> Iterator[Departure]:
    """Where what is kept of studies departs from what is counted; with ``rebuild`` it is counted
    anew there."""
    for key in Study.objects.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            study = Study.objects.select_for_update(no_key=True).filter(pk=key).first()
            departing = sizes_departing(study) if study else []
            if study and departing and rebuild:
                size_recount(study)
        yield from departing
