"""``manage.py backup --output FILE``: the database and the files, while Barème runs."""

from __future__ import annotations

import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from annotation.backup.errors import BackupError
from annotation.backup.signing import public_key
from annotation.backup.whole import make, name_of
from annotation.management.files import named, unwritable
from annotation.room import is_disk_full

_NO_ROOM = (
    "The disk is full: no backup was made. On SQLite the data folder needs room for a second copy "
    "of the database while one is made. Make room, then try again."
)


class Command(BaseCommand):
    help = (
        "Write the database and the files to one ZIP with a manifest of SHA-256. It holds "
        "everything: keep it safe."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "--output",
            type=named,
            help=(
                "the file (an earlier backup there is replaced, anything else refused), or a "
                "folder that is there and gets a file named after the moment"
            ),
        )
        what.add_argument(
            "--public-key",
            action="store_true",
            help="print the key by which others check what is signed here, and make no backup",
        )
        parser.add_argument(
            "--portable",
            action="store_true",
            help=(
                "the database as JSON, to go from SQLite to PostgreSQL or back with the same "
                "version"
            ),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["public_key"]:
            self._tell_key()
            return
        output = Path(options["output"]).absolute()
        if output.is_dir():
            output /= name_of(timezone.now())
        try:
            made = make(output, portable=options["portable"])
        except (
            BackupError,
            OSError,
            sqlite3.Error,
            DatabaseError,
            subprocess.SubprocessError,
        ) as error:
            if is_disk_full(error):
                raise CommandError(_NO_ROOM) from error
            if isinstance(error, OSError) and _is_of(error, output):
                raise unwritable(output, error) from error
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{output}: database ({made.kind}) and {made.files} files, {made.bytes:,} bytes."
        )
        if not made.is_noted:
            self.stderr.write(
                "The database only lets itself be read: that this backup was made stands nowhere "
                "in it, nor on the system page."
            )
        if made.reason:
            self.stderr.write(
                "The database is in it as JSON (portable), which only this version of Barème can "
                f"restore. {made.reason}"
            )

    def _tell_key(self) -> None:
        try:
            key = public_key()
        except BackupError as error:
            raise CommandError(str(error)) from error
        if key is None:
            raise CommandError(
                "Nothing is signed here. Set BAREME_BACKUP_SIGNING_KEY to the output of: openssl "
                "rand -hex 32"
            )
        self.stdout.write(key)


def _is_of(error: OSError, output: Path) -> bool:
    """Whether it is the place for the backup that is in the way, and not a file that goes into
    it."""
    name = Path(str(error.filename)).absolute()
    place = output.absolute().parent
    return name.parent == place or name in (place, *place.parents)
