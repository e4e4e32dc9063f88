"""How long a page or a program waits for rows that somebody else holds, and whether a failure means
that it waited in vain.

A web process has a few threads. While an import holds a study's rows, those who judge in it would
take all of them, and nobody would be answered, of whatever study. SQLite has its own bound
(``timeout`` in ``annotation/config/env.py``). Workers and commands wait as long as it takes.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from annotation.room import is_of

LONGEST_SECONDS = 3
"""Far longer than submissions hold each other up, far less than the judging page gives a request
before it sends it again."""
# PostgreSQL's "lock_not_available" (Appendix A of its manual).
_WAITED_POSTGRESQL = "55P03"


def lock_waits_bound() -> None:
    """From now on no connection of this process waits longer, but through a pooler that lends each
    transaction another one: what is set there would be the next one's, who may be a worker
    (``docs/operations.md`` says what the pooler is to set)."""
    connection_created.connect(_bound, dispatch_uid="annotation.web.platform.lock_waits")


def is_database_busy(error: BaseException | None) -> bool:
    """Of this failure, or of one that it was raised from, or after."""
    return is_of(error, _says_busy)


def _bound(connection: BaseDatabaseWrapper, **_: Any) -> None:
    is_lent = connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
    if connection.vendor != "postgresql" or is_lent:
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LONGEST_SECONDS}s'")


def _says_busy(error: BaseException) -> bool:
    return (
        getattr(error, "pgcode", None) == _WAITED_POSTGRESQL
        # The code alone: one with a reason above it is refused at once, which is a fault of ours.
        or getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
    )
