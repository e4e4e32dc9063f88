"""Whether a failure means that the database is not reached: its server is away, takes no more
connections, or has just closed the one there was."""

from __future__ import annotations

import sqlite3

from django.db import InterfaceError, OperationalError

from annotation.room import is_of

# PostgreSQL's "admin_shutdown", "crash_shutdown" and "cannot_connect_now", and its class of broken
# connections, which poolers use too (Appendix A of its manual).
_ENDED = ("57P01", "57P02", "57P03")
_BROKEN = "08"


def is_database_away(error: BaseException | None) -> bool:
    """Of this failure, or of one that it was raised from, or after."""
    return is_of(error, _says_away)


def _says_away(error: BaseException) -> bool:
    """Whether Django raised it because a driver has no connection. A lock, a time limit, a row that
    is refused are the server's answers, and come with its code."""
    driver = error.__cause__
    if driver is None or not isinstance(error, OperationalError | InterfaceError):
        return False
    if isinstance(driver, sqlite3.Error):
        return getattr(driver, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CANTOPEN
    if isinstance(error, InterfaceError):
        # What is asked of a connection that was lost a moment ago; others are faults of ours.
        return str(driver) == "connection already closed"
    code = getattr(driver, "pgcode", "")
    return code is None or code in _ENDED or code.startswith(_BROKEN)
