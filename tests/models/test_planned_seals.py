"""What PostgreSQL planned once for a trigger holds for its session, however large tables grow."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.bulk import fill_study
from tests.factories import make_study

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite keeps no plan for a session"
    ),
]


def rows_touched() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT SUM(seq_tup_read + COALESCE(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"
        )
        return int(cursor.fetchone()[0])


def test_what_was_planned_for_few_judgments_reads_no_more_for_many():
    """Each judgment is sealed by what is found of it by key, in one transaction as in many."""
    read = {}
    for pairs in (20, 100):
        before = rows_touched()
        judgments = fill_study(make_study(f"of-{pairs}"), pairs=pairs, annotators=20)
        read[pairs] = (rows_touched() - before) / judgments
    assert read[100] < 1.5 * read[20], read
