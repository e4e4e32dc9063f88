"""What people submitted on each day: counted from their submissions, and as it is kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import BooleanField, Case, Count, Max, Min, Q, Value, When
from django.db.models.functions import TruncDate
from django.utils import timezone

from annotation.models import Annotator, Item, JudgmentRevision, WorkedDay, standing
from annotation.selectors.base.standings import Departure

DayKey = tuple[int, date, bool]
"""Annotator, day, whether of practice."""


@dataclass(frozen=True)
class DayCounted:
    """Submissions of one day: pairs for the first time, and again; without what was taken back, but
    for the moments."""

    judgments: int
    corrections: int
    first_at: datetime
    last_at: datetime


def days_counted(annotators: Collection[int]) -> dict[DayKey, DayCounted]:
    """Of those among them who are paid: people with an account."""
    rows = (
        JudgmentRevision.objects.filter(
            assignment__annotator__in=annotators,
            assignment__annotator__kind=Annotator.Kind.PERSON,
            assignment__annotator__user__isnull=False,
        )
        .order_by()
        .values_list(
            "assignment__annotator",
            TruncDate("submitted_at", tzinfo=timezone.get_default_timezone()),
            Case(
                When(assignment__simplification__item__round=Item.Round.PRACTICE, then=Value(True)),
                default=Value(False),
                output_field=BooleanField(),
            ),
        )
        .annotate(
            first=Count("pk", filter=standing() & Q(number=1)),
            later=Count("pk", filter=standing() & Q(number__gt=1)),
            first_at=Min("submitted_at"),
            last_at=Max("submitted_at"),
        )
    )
    return {
        (annotator, day, is_practice): DayCounted(*of) for annotator, day, is_practice, *of in rows
    }


def days_kept(annotators: Collection[int]) -> dict[DayKey, tuple[int, int]]:
    """Judgments and corrections of the same people, as they are kept."""
    rows = WorkedDay.objects.filter(
        annotator__in=annotators, annotator__user__isnull=False
    ).order_by()
    names = ("annotator", "day", "is_practice", "judgments", "corrections")
    return {tuple(key): (first, later) for *key, first, later in rows.values_list(*names)}


def days_departing(annotators: Collection[int]) -> list[Departure]:
    """Where what is kept of their days departs from what is counted; none, one hopes."""
    kept = days_kept(annotators)
    counted = {
        key: (day.judgments, day.corrections) for key, day in days_counted(annotators).items()
    }
    return [
        Departure(f"annotator {key[0]}, {key[1]}", kept.get(key, (0, 0)), counted.get(key, (0, 0)))
        for key in sorted(kept.keys() | counted.keys())
        if kept.get(key, (0, 0)) != counted.get(key, (0, 0))
    ]
