"""Active time, written to the day on which it was saved."""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.utils import timezone

from annotation.models import Assignment, Item, WorkedDay

_TABLE = WorkedDay._meta.db_table
# One statement that reads nothing first: two pairs of one person may be saved at the same moment.
# Django's own upsert can only put a value in the place of another, not add to it.
_ADD = (
    f"INSERT INTO {_TABLE} (annotator_id, day, is_practice, seconds, first_at, last_at) "  # noqa: S608  (our own table)
    "VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (annotator_id, day, is_practice) DO UPDATE SET "
    f"seconds = {_TABLE}.seconds + excluded.seconds, last_at = excluded.last_at"
)


def work_add(*, assignment: Assignment, moment: datetime, seconds: int) -> None:
    """Add the seconds that a save brought; none, or fewer, is nothing. Within the save's
    transaction.

    No audit event: the save is none either.
    """
    if seconds <= 0:
        return
    ops = connection.ops
    day = timezone.localdate(moment, timezone.get_default_timezone())
    at = ops.adapt_datetimefield_value(moment)
    is_practice = assignment.simplification.item.round == Item.Round.PRACTICE
    with connection.cursor() as cursor:
        cursor.execute(
            _ADD,
            [assignment.annotator_id, ops.adapt_datefield_value(day), is_practice, seconds, at, at],
        )
