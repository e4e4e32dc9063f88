"""An SQLite database that only its owner may read, whatever the folder it lies in lets in."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from typing import Any


class OwnedConnection(sqlite3.Connection):
    """SQLite's connection, which makes a database that is not there as a file of its owner's alone.

    SQLite gives the files beside it (``-wal``, ``-shm``) the same rights. One that is there keeps
    those that it has.
    """

    def __init__(self, database: Any, *args: Any, **options: Any) -> None:
        if not str(database).startswith((":memory:", "file:")):
            # A file that cannot be made is for SQLite to refuse. Never opened where it is there:
            # closing it again would drop the locks of this process.
            with suppress(OSError):
                os.close(os.open(database, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        super().__init__(database, *args, **options)
