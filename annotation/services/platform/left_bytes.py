"""What SQLite leaves of rows that are gone: pages of the database are written over (see
``config.env``), its write-ahead log holds them as they were until it is cut off."""

from __future__ import annotations

import logging

from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

log = logging.getLogger(__name__)
_WAIT_MS = 3000
"""Meanwhile nobody writes; who reads for longer is not waited for."""


def log_cut(database: BaseDatabaseWrapper = connection) -> None:
    """Take SQLite's log into the database and cut it to nothing; on PostgreSQL nothing. Outside of
    a transaction. Where somebody reads all the while it stays, and is written over by and by."""
    if database.vendor != "sqlite":
        return
    try:
        with database.cursor() as cursor:
            before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
            cursor.execute(f"PRAGMA busy_timeout={_WAIT_MS}")
            try:
                is_busy = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                cursor.execute(f"PRAGMA busy_timeout={int(before)}")
    except DatabaseError:
        log.warning("the write-ahead log could not be cut", exc_info=True)
        return
    if is_busy:
        log.warning("the write-ahead log is being read, and was not cut")
