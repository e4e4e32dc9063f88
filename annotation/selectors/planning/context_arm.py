"""In which arm people see pairs: whether it can still be chosen, and how even the arms are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Q

from annotation.models import Annotator, Assignment, Item, Study


class Given(NamedTuple):
    """A pair that a person has. ``counts``: whether they have judged it or are still to; else it
    was taken back, or they have left."""

    pair: int
    annotator: int
    is_shown: bool
    counts: bool


@dataclass(frozen=True)
class Arms:
    """How the pairs of the main round that several people judge are divided into arms. ``alone``:
    pairs that all of them see the same way; ``uneven``: others whose arms differ by more than one.
    """

    pairs: int
    alone: int
    uneven: int


def pairs_opened(study: Study) -> bool:
    """Whether anybody has seen a pair of this study, with its neighbours or without."""
    return Assignment.objects.filter(annotator__study=study, opened_at__isnull=False).exists()


def people_given(study: Study, pairs: Collection[int]) -> list[Given]:
    """Which of these simplifications each person of the study has; one query. What was brought in
    or is a machine's is no part of it: nothing was shown there."""
    rows = Assignment.objects.filter(
        annotator__study=study,
        annotator__kind=Annotator.Kind.PERSON,
        simplification__in=list(pairs),
    ).order_by()
    return [
        Given(pair, annotator, is_shown, judged is not None or (released is None and left is None))
        for pair, annotator, is_shown, judged, released, left in rows.values_list(
            "simplification",
            "annotator",
            "context_shown",
            "judgment__submitted_at",
            "released_at",
            "annotator__withdrawn_at",
        )
    ]


def context_arms(study: Study) -> Arms | None:
    """How even the arms are that were drawn; ``None`` where there are none, or nothing is given
    out. A pair without neighbours shows them to nobody and is not counted."""
    if study.context_arm != Study.ContextArm.HALF:
        return None
    counts = Q(judgment__submitted_at__isnull=False) | Q(
        released_at__isnull=True, annotator__withdrawn_at__isnull=True
    )
    rows = (
        Assignment.objects.filter(
            counts,
            annotator__study=study,
            annotator__kind=Annotator.Kind.PERSON,
            simplification__item__round=Item.Round.MAIN,
        )
        .exclude(simplification__item__context_before="", simplification__item__context_after="")
        .order_by()
    )
    arms: dict[int, Counter[bool]] = defaultdict(Counter)
    for pair, is_shown in rows.values_list("simplification", "context_shown"):
        arms[pair][is_shown] += 1
    several = [(arm[True], arm[False]) for arm in arms.values() if arm.total() > 1]
    if not several:
        return None
    alone = sum(0 in arm for arm in several)
    uneven = sum(0 not in arm and abs(arm[0] - arm[1]) > 1 for arm in several)
    return Arms(len(several), alone, uneven)
