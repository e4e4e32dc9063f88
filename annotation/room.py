"""Whether a failure means that nothing can be stored now: there is no room left (on a disk, in a
quota, in the database), or the database only lets itself be read."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable

_FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
# The second where a full disk has no room for what connections share, which the last of them took
# away with it: then even reading fails.
_FULL_SQLITE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
# PostgreSQL's "disk_full" (Appendix A of its manual).
_FULL_POSTGRESQL = "53100"
# "read_only_sql_transaction": a replica that took the place of its server, or a database that was
# made so.
_READ_ONLY_POSTGRESQL = "25006"


def is_disk_full(error: BaseException | None) -> bool:
    """Of this failure, or of one that it was raised from."""
    return is_of(error, _says_full)


def is_read_only(error: BaseException | None) -> bool:
    """The same of a database that answers what it is asked and refuses what it is told."""
    return is_of(error, _says_read_only)


def _says_full(error: BaseException) -> bool:
    return (
        (isinstance(error, OSError) and error.errno in _FULL_DISK)
        or getattr(error, "sqlite_errorcode", None) in _FULL_SQLITE
        or getattr(error, "pgcode", None) == _FULL_POSTGRESQL
    )


def _says_read_only(error: BaseException) -> bool:
    # The byte above the code says why.
    code = getattr(error, "sqlite_errorcode", None) or 0
    return (
        code & 0xFF == sqlite3.SQLITE_READONLY
        or getattr(error, "pgcode", None) == _READ_ONLY_POSTGRESQL
    )


def is_of(error: BaseException | None, says: Callable[[BaseException], bool]) -> bool:
    """Whether this is said of a failure, or of one that it was raised from, or after."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if says(error):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
