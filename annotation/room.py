"""Whether a failure means that there is no room left: on a disk, in a quota, in the database."""

from __future__ import annotations

import errno
import sqlite3

_FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
# The second where a full disk has no room for what connections share, which the last of them took
# away with it: then even reading fails.
_FULL_SQLITE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
# PostgreSQL's "disk_full" (Appendix A of its manual).
_FULL_POSTGRESQL = "53100"


def is_disk_full(error: BaseException | None) -> bool:
    """Of this failure, or of one that it was raised from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, OSError) and error.errno in _FULL_DISK:
            return True
        if getattr(error, "sqlite_errorcode", None) in _FULL_SQLITE:
            return True
        if getattr(error, "pgcode", None) == _FULL_POSTGRESQL:
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
