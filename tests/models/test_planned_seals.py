"""What PostgreSQL planned once for a trigger holds for its session, however large tables grow: what
a judgment is sealed by is found by key."""

from __future__ import annotations

import pytest
from django.db import connection

from annotation.models.triggers import names
from tests.bulk import fill_study
from tests.factories import make_study

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite keeps no plan for a session"
    ),
]


def test_no_trigger_reads_or_joins_whole_tables():
    """Counted at 10,000 judgments by a connection that had planned at 1,000, each read 2,550 rows
    where joins were not forced, and 114 where they are (docs/performance.md)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT proname, proconfig FROM pg_proc WHERE proname LIKE 'bareme\\_%'")
        settings = {name: set(given or ()) for name, given in cursor.fetchall()}
    assert {f"bareme_{name}" for name in names()} <= {*settings}
    forced = {"enable_seqscan=off", "enable_hashjoin=off", "enable_mergejoin=off"}
    assert {name: given for name, given in settings.items() if given != forced} == {}


def rows_by_key() -> int:
    """Within this transaction. Whole tables are read by what stores the judgments, not by a
    trigger: the test above."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT SUM(COALESCE(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables")
        return int(cursor.fetchone()[0])


@pytest.mark.parametrize("planned_on", ["few", "none counted", "many counted"])
def test_what_was_planned_for_few_judgments_reads_no_more_for_many(planned_on):
    """Whatever the tables were taken to hold when the connection planned what seals a judgment."""
    if planned_on == "many counted":
        fill_study(make_study("before"), pairs=50, annotators=20)
    with connection.cursor() as cursor:
        if planned_on != "few":
            cursor.execute("ANALYZE")
        cursor.execute("DISCARD PLANS")
    read = {}
    # From forty on: of fewer, what a study begins with is a part of the mean that may be a tenth.
    for pairs in (40, 100):
        before = rows_by_key()
        judgments = fill_study(make_study(f"of-{pairs}"), pairs=pairs, annotators=20)
        read[pairs] = (rows_by_key() - before) / judgments
    assert read[100] < 1.1 * read[40], read
    assert read[100] < 130, read
