"""Whether a failure means that the database is not reached: its server is away, takes no more
connections, or has just closed the one there was; and what a log says of it in place of a stack.
"""

from __future__ import annotations

import sqlite3

from django.db import InterfaceError, OperationalError

from annotation.room import is_of, is_read_only

# PostgreSQL's "admin_shutdown", "crash_shutdown" and "cannot_connect_now", and its class of broken
# connections, which poolers use too (Appendix A of its manual).
_ENDED = ("57P01", "57P02", "57P03")
_BROKEN = "08"

NOT_REACHED = "the database is not reached"
TAKES_NOTHING = "the database takes nothing now"


def is_database_away(error: BaseException | None) -> bool:
    """Of this failure, or of one that it was raised from, or after."""
    return is_of(error, _says_away)


def database_state_of(error: BaseException | None) -> str:
    """What the database is, in words for a log, where a failure says that nothing that is stored
    would fare better; else empty."""
    if is_read_only(error):
        return TAKES_NOTHING
    return NOT_REACHED if is_database_away(error) else ""


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
