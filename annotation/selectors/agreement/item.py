"""One item with all that people decided about it, for its leads; annotators by their pseudonyms."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch

from annotation.answers import PARTS
from annotation.models import Annotator, Assignment, Item, Simplification, Study
from annotation.selectors.agreement.voices import Voice, voice_of


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
    """The item of that key with its sealed human judgments, or None; a constant number of
    queries."""
    sealed = (
        Assignment.objects.filter(judgment__submitted_at__isnull=False, judgment__surplus=False)
        .exclude(annotator__kind=Annotator.Kind.MACHINE)
        .select_related("annotator", "judgment")
        .prefetch_related(*(f"judgment__{part}" for part in PARTS))
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
            PairReading(simplification, _voices(study, simplification))
            for simplification in item.simplifications.all()
        ),
    )


def _voices(study: Study, simplification: Simplification) -> tuple[Voice, ...]:
    voices = (
        voice_of(study, assignment.judgment) for assignment in simplification.assignments.all()
    )
    return tuple(sorted(voices, key=_in_order))


def _in_order(voice: Voice) -> tuple[int, str]:
    # Shorter first, so that J10 follows J9.
    return len(voice.pseudonym), voice.pseudonym
