"""``manage.py restore FILE``: a backup in place of what is here."""

from __future__ import annotations

import fcntl
import sqlite3
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.backup.errors import BackupError
from annotation.backup.scheduled import backup_at
from annotation.backup.whole import Restored, restore
from annotation.management.backups import (
    add_backup_arguments,
    signed_in_words,
    tell_of_repeated,
)
from annotation.management.disk_refusals import disk_refusal


class Command(BaseCommand):
    help = "Put a backup in place. Stop the web server and the workers first."
    # The database may be empty or broken: that is what a restore is for.
    requires_system_checks: list[str] = []  # noqa: RUF012  (Django declares it so)

    def add_arguments(self, parser: CommandParser) -> None:
        add_backup_arguments(parser)
        parser.add_argument(
            "--replace", action="store_true", help="throw away what the database holds now"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with (settings.DATA_DIR / "serve.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise CommandError(
                    "Barème is running on this data folder. Stop it first."
                ) from error
            try:
                with backup_at(options["file"]) as path:
                    done = restore(
                        path,
                        replace=options["replace"],
                        identity=options["identity"],
                        unsigned_ok=options["unsigned"],
                    )
            # SQLite itself puts the rows in place, past Django's own errors.
            except (BackupError, OSError, sqlite3.Error) as error:
                raise CommandError(disk_refusal(error) or str(error)) from error
        self.stdout.write(f"Restored the backup of {done.made_at}: {done.files} files.")
        self.stdout.write(signed_in_words(done.signed_by))
        if done.protocols_absent:
            self.stderr.write(
                "Studies follow protocols that are not installed here: "
                f"{', '.join(done.protocols_absent)}. They can be read, and not judged. Set "
                "BAREME_PROTOCOLS (and PYTHONPATH) as where the backup was made, then run "
                "manage.py migrate; `BAREME_PROTOCOLS= manage.py protocol write` gives files back "
                "that the database holds now."
            )
        for reason in done.protocols_edited:
            self.stderr.write(f"{reason}.")
        self._tell_of_erasures(done)

    def _tell_of_erasures(self, done: Restored) -> None:
        repeated = done.erasures
        tell_of_repeated(self, repeated)
        if not repeated.is_sure:
            self.stderr.write(
                f"No list of erasures was here: whoever was erased after {done.made_at} is back. "
                "Erase them again with "
                "manage.py erase_person; docs/operations.md says where the list is kept."
            )
        self.stdout.write(
            "API tokens, invitations and accounts are as they were then: close again what was "
            "closed since."
        )
