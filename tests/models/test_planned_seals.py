"""What PostgreSQL planned once for a trigger holds for its session, however large tables grow: what
a judgment is sealed by is found by key."""

from __future__ import annotations

import pytest
from django.db import connection

from annotation.models.triggers import names

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
