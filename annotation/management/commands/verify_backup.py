"""``manage.py verify_backup FILE``: whether a backup would do, without touching anything."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.backup.errors import BackupError
from annotation.backup.rehearsal import rehearse
from annotation.backup.scheduled import backup_at
from annotation.management.backups import add_backup_arguments, signed_in_words
from annotation.management.disk_refusals import disk_refusal
from annotation.management.files import named
from annotation.management.interruptions import ended_as_by_keys
from annotation.room import is_disk_full

_NO_ROOM = (
    "The disk is full: the backup was not verified. Beside the data folder a second copy of all "
    "that the backup holds needs room. Make room, then try again."
)


class Command(BaseCommand):
    help = (
        "Restore a backup into a database of its own, compare it table by table with what went in, "
        "and throw that database away. Barème may run."
    )
    # On a machine that has nothing else: that is where one tries.
    requires_system_checks: list[str] = []  # noqa: RUF012  (Django declares it so)

    def add_arguments(self, parser: CommandParser) -> None:
        add_backup_arguments(parser)
        parser.add_argument(
            "--scratch",
            type=named,
            help="URL of a database without any table to restore into, where none can be made; it "
            "is emptied again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with ended_as_by_keys(), backup_at(options["file"]) as path:
                rehearsed = rehearse(
                    path,
                    identity=options["identity"],
                    unsigned_ok=options["unsigned"],
                    scratch=options["scratch"] or "",
                )
        except (BackupError, OSError) as error:
            refusal = _NO_ROOM if is_disk_full(error) else disk_refusal(error)
            raise CommandError(refusal or str(error)) from error
        self.stdout.write(
            f"The backup of {rehearsed.made_at} can be restored: database ({rehearsed.kind}) with "
            f"{rehearsed.rows:,} rows, and {rehearsed.files} files."
        )
        self.stdout.write(
            "It was made before backups wrote down what goes in: nothing was compared."
            if rehearsed.compared is None
            else f"{rehearsed.compared} tables hold what went in."
        )
        self.stdout.write(signed_in_words(rehearsed.signed_by))
