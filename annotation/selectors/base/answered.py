"""What leads are told of each annotator and of each item, counted from the judgments themselves.

What is kept (``Tally.judged`` and its neighbours, ``Item.answers`` and its neighbours) must equal
it: ``services/base/standings.py`` and ``services/base/answered.py`` write it so, and the command
``check_positions`` compares.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Max, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from annotation.models import LONG_AGO, Annotator, Assignment, Item

OWN = Q(simplification__item__round__in=Item.Round.values)
"""Of the study's own pairs: no control, no repeat."""


def answered(way: str = "") -> Q:
    """As a condition on assignments, or on what ``way`` leads to them from: an answer that
    counts."""
    return Q(**{f"{way}judgment__submitted_at__isnull": False, f"{way}judgment__surplus": False})


def awaited(way: str = "") -> Q:
    """As a condition on assignments: a pair that is held and not submitted."""
    return Q(**{f"{way}judgment__submitted_at__isnull": True, f"{way}released_at__isnull": True})


class ItemNumbers(NamedTuple):
    """An item's numbers, in the order of its columns."""

    answers: int = 0
    expected: int = 0
    waits_since: datetime = LONG_AGO


KEPT = ItemNumbers._fields


def expected_of(rows: QuerySet[Assignment]) -> QuerySet[Any, Any]:
    """(annotator, in practice, judged, awaited, awaited beside) of these assignments."""
    return (
        rows.order_by()
        .values_list("annotator", "in_practice")
        .annotate(
            now_judged=Count("pk", filter=answered() & OWN),
            now_awaited=Count("pk", filter=awaited() & OWN),
            now_beside=Count("pk", filter=awaited() & ~OWN),
        )
    )


def with_numbers(items: QuerySet[Item]) -> QuerySet[Any]:
    """These items with ``now_`` and the name of each column, as everything else says."""
    pairs, way = "simplifications__assignments", "simplifications__assignments__"
    here = Q(
        **{
            f"{way}annotator__kind": Annotator.Kind.PERSON,
            f"{way}annotator__withdrawn_at__isnull": True,
        }
    )
    return items.order_by().annotate(
        now_answers=Count(pairs, filter=here & answered(way)),
        now_expected=Count(pairs, filter=here & (answered(way) | awaited(way))),
        now_waits_since=Coalesce(Max(f"{way}judgment__submitted_at", filter=here), Value(LONG_AGO)),
    )


def items_counted(items: Collection[int]) -> dict[int, ItemNumbers]:
    """By id, as everything else says; one query."""
    rows = with_numbers(Item.objects.filter(pk__in=items))
    names = (f"now_{name}" for name in KEPT)
    return {pk: ItemNumbers(*of) for pk, *of in rows.values_list("pk", *names)}


def items_kept(items: Collection[int]) -> dict[int, ItemNumbers]:
    """The same as it is kept; one query."""
    rows = Item.objects.filter(pk__in=items).order_by().values_list("pk", *KEPT)
    return {pk: ItemNumbers(*of) for pk, *of in rows}
