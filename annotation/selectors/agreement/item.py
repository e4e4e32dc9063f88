"""One item with all that people decided about it, for its leads; annotators by their pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch

from annotation.answers import restore
from annotation.models import Annotator, Assignment, Item, Simplification, Study
from annotation.protocols.base import Answers


@dataclass(frozen=True)
class Voice:
    """One sealed judgment. ``answers`` as the protocol restores them; ``values`` by dimension."""

    pseudonym: str
    is_imported: bool
    answers: Answers
    values: Mapping[str, int]
    deductions: int | None

    @property
    def errors(self) -> list[dict[str, Any]]:
        return list(self.answers.get("errors") or [])


@dataclass(frozen=True)
class PairReading:
    """One simplification and its voices, in the order of the annotators."""

    simplification: Simplification
    voices: tuple[Voice, ...]


@dataclass(frozen=True)
class ItemReading:
    """An item and its simplifications."""

    item: Item
    pairs: tuple[PairReading, ...]


def item_reading(study: Study, key: str) -> ItemReading | None:
    """The item of that key with its sealed human judgments, or None; a constant number of queries."""
    sealed = (
        Assignment.objects.filter(judgment__submitted_at__isnull=False, judgment__surplus=False)
        .exclude(annotator__kind=Annotator.Kind.MACHINE)
        .select_related("annotator", "judgment")
        .prefetch_related("judgment__ratings", "judgment__errors")
    )
    item = (
        Item.objects.filter(study=study, key=key)
        .prefetch_related(Prefetch("simplifications__assignments", queryset=sealed))
        .first()
    )
    if item is None:
        return None
    return ItemReading(
        item,
        tuple(
            PairReading(one, tuple(sorted((_voice(study, each) for each in one.assignments.all()), key=_in_order)))
            for one in item.simplifications.all()
        ),
    )


def _voice(study: Study, assignment: Assignment) -> Voice:
    judgment = assignment.judgment
    ratings = list(judgment.ratings.all())
    return Voice(
        pseudonym=assignment.annotator.pseudonym,
        is_imported=judgment.origin == judgment.Origin.IMPORTED,
        answers=restore(judgment, study.protocol),
        values={rating.dimension: rating.value for rating in ratings},
        deductions=next((rating.deductions for rating in ratings if rating.deductions is not None), None),
    )


def _in_order(voice: Voice) -> tuple[int, str]:
    # Shorter first, so that J10 follows J9.
    return len(voice.pseudonym), voice.pseudonym
