"""Active time and submissions, written to the day on which they were saved."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime

from django.db import connection
from django.db.models import F, QuerySet
from django.utils import timezone

from annotation.models import DAY_SECONDS, Assignment, Item, JudgmentRevision, WorkedDay
from annotation.selectors.base.worked import DayKey, days_counted, days_kept

_TABLE = WorkedDay._meta.db_table
# One statement that reads nothing first: two pairs of one person may be saved at the same moment.
# Django's own upsert can only put a value in the place of another, not add to it. A day that is
# full stays full: the sum is never made where it would pass what a day, or the column, holds.
_ADD = (
    f"INSERT INTO {_TABLE} (annotator_id, day, is_practice, seconds, judgments, corrections, "  # noqa: S608  (our own table)
    "first_at, last_at) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) "
    "ON CONFLICT (annotator_id, day, is_practice) DO UPDATE SET "
    f"seconds = CASE WHEN {_TABLE}.seconds > {DAY_SECONDS} - excluded.seconds THEN {DAY_SECONDS} "
    f"ELSE {_TABLE}.seconds + excluded.seconds END, "
    f"judgments = {_TABLE}.judgments + excluded.judgments, "
    f"corrections = {_TABLE}.corrections + excluded.corrections, last_at = excluded.last_at"
)


def work_add(*, assignment: Assignment, moment: datetime, seconds: int) -> None:
    """Add the seconds that a save brought; none, or fewer, is nothing. Within the save's
    transaction.

    No audit event: the save is none either.
    """
    if seconds > 0:
        _add(assignment, moment, seconds=seconds)


def submission_add(
    *, assignment: Assignment, moment: datetime, number: int, seconds: int = 0
) -> None:
    """Add a submission, the pair's first or a later one, and the seconds that came with it. Within
    its transaction."""
    _add(
        assignment,
        moment,
        seconds=seconds,
        judgments=int(number == 1),
        corrections=int(number > 1),
    )


def submission_take(*, assignment: Assignment, revision: JudgmentRevision) -> None:
    """Take a submission off its day, which stays worked. Within the transaction that takes it
    back."""
    column = "judgments" if revision.number == 1 else "corrections"
    WorkedDay.objects.filter(
        annotator=assignment.annotator_id,
        day=_day(revision.submitted_at),
        is_practice=_is_practice(assignment),
    ).update(**{column: F(column) - 1})


def days_recount(annotators: Collection[int]) -> None:
    """Count the submissions of each day of these people anew; their pairs are held. The time that
    was worked is nowhere else, and stays."""
    days = days_counted(annotators)
    for key in days_kept(annotators).keys() - days.keys():
        _of(key).update(judgments=0, corrections=0)
    for key, counted in days.items():
        annotator, day, is_practice = key
        changed = _of(key).update(judgments=counted.judgments, corrections=counted.corrections)
        if not changed:
            WorkedDay.objects.create(
                annotator_id=annotator,
                day=day,
                is_practice=is_practice,
                seconds=0,
                judgments=counted.judgments,
                corrections=counted.corrections,
                first_at=counted.first_at,
                last_at=counted.last_at,
            )


def _of(key: DayKey) -> QuerySet[WorkedDay]:
    annotator, day, is_practice = key
    return WorkedDay.objects.filter(annotator=annotator, day=day, is_practice=is_practice)


def _add(
    assignment: Assignment,
    moment: datetime,
    *,
    seconds: int = 0,
    judgments: int = 0,
    corrections: int = 0,
) -> None:
    ops = connection.ops
    at = ops.adapt_datetimefield_value(moment)
    day = ops.adapt_datefield_value(_day(moment))
    numbers = (min(seconds, DAY_SECONDS), judgments, corrections)
    with connection.cursor() as cursor:
        cursor.execute(
            _ADD, [assignment.annotator_id, day, _is_practice(assignment), *numbers, at, at]
        )


def _day(moment: datetime) -> date:
    return timezone.localdate(moment, timezone.get_default_timezone())


def _is_practice(assignment: Assignment) -> bool:
    return assignment.simplification.item.round == Item.Round.PRACTICE
