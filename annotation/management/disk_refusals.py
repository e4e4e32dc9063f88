"""Why a command could not use a disk, in words with a remedy, where one of these is why: it is
full, a file is another user's or on a disk that is read only, or the bucket does not answer."""

from __future__ import annotations

import errno
import os
import pwd
import shlex
import sqlite3
import stat
from pathlib import Path

from django.conf import settings

from annotation.errors import StorageAway
from annotation.room import is_disk_full

# The primary codes; the byte above them says more.
_CLOSED_SQLITE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}


def disk_refusal(error: Exception) -> str | None:
    """What to do about ``error``; ``None`` where it is of another kind."""
    if is_disk_full(error):
        return (
            f"A disk is full{_where()}: what was under way was not stored. `df -h` shows which "
            "disk. Make room, then run the command again."
        )
    if isinstance(error, StorageAway):
        return (
            f"The storage for files cannot be used: {error}. Check what begins with "
            "BAREME_STORAGE, and the network, then run the command again."
        )
    if isinstance(error, OSError) and error.errno == errno.EROFS and error.filename:
        return (
            f"{error.filename} is on a file system that is read only for this command. Let what it "
            "writes lie elsewhere (BAREME_DATA_DIR, BAREME_STATIC_DIR, or the file that it was "
            "given), or run it where it may write there."
        )
    path = _closed_path(error)
    return None if path is None else _whose(path)


def _where() -> str:
    # Not while the settings themselves are read.
    return f" (the data folder is {settings.DATA_DIR})" if settings.configured else ""


def _closed_path(error: Exception) -> Path | None:
    """The file, or the folder where there is none, that this process may not use."""
    if isinstance(error, PermissionError) and isinstance(error.filename, str):
        path = Path(error.filename).absolute()
        return next((there for there in (path, *path.parents) if os.path.lexists(there)), None)
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    if code is None or code & 0xFF not in _CLOSED_SQLITE:
        return None
    database = Path(settings.DATABASES["default"]["NAME"]).absolute()
    parts = [database, *(database.with_name(database.name + end) for end in ("-wal", "-shm"))]
    # A folder that is not there is kept from nobody.
    used = [part for part in (*parts, database.parent) if part.exists()]
    return next((part for part in used if not os.access(part, os.W_OK)), None)


def _whose(path: Path) -> str:
    facts = path.lstat()
    owner, user = _name(facts.st_uid), _name(os.geteuid())
    what = f"{path} ({stat.filemode(facts.st_mode)}) cannot be used"
    if owner == user:
        return f"{what}: its rights keep its own user {user} out. Look at them, and at its disk's."
    remedy = f"Run the command as {owner}"
    if settings.configured and path.is_relative_to(settings.DATA_DIR):
        chown = f"chown -R {user} {shlex.quote(str(settings.DATA_DIR))}"
        remedy += f", or give {user} the whole data folder: {chown}"
    return f"{what}: it belongs to {owner}, and this command runs as {user}. {remedy}."


def _name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
