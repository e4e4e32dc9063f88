"""``manage.py recovered --to MOMENT``: after PostgreSQL itself was put back to then."""

from __future__ import annotations

import fcntl
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotation.backup import erasures
from annotation.backup.errors import BackupError
from annotation.management.backups import tell_of_repeated
from annotation.services.platform.events import event_record


class Command(BaseCommand):
    help = (
        "What `restore` does beside the data, where the database server was put back to an earlier "
        "moment: everybody logs in anew, who was erased since is erased again, and it is recorded. "
        "Stop the web server and the workers first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--to",
            required=True,
            metavar="MOMENT",
            help="the moment, with its offset: 2026-05-04T11:30:00+02:00",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        moment = _moment(options["to"])
        with (settings.DATA_DIR / "serve.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise CommandError(
                    "Barème is running on this data folder. Stop it first."
                ) from error
            try:
                # The present database is the one that was put back: only the list knows more.
                known, _ = erasures.gather()
            except (BackupError, OSError) as error:
                raise CommandError(str(error)) from error
            is_sure = erasures.is_listed()
            with transaction.atomic():
                Session.objects.all().delete()
                event_record(actor=None, verb="database_recovered", moment=moment)
            repeated = erasures.repeat(
                known, is_sure=is_sure, after=f"the database was put back to {moment}"
            )
        self.stdout.write(f"The database is as it was at {moment}. Everybody logs in anew.")
        tell_of_repeated(self, repeated)
        if not repeated.is_sure:
            self.stderr.write(
                f"No list of erasures is in the data folder: whoever was erased after {moment} is "
                "back. Erase them again with manage.py erase_person; docs/operations.md says where "
                "the list is kept."
            )


def _moment(text: str) -> str:
    """As it is recorded. Raises ``CommandError`` for what is none, or has no offset."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CommandError(
            f"{text!r} is no moment with its offset. Write it as 2026-05-04T11:30:00+02:00."
        )
    if moment > timezone.now():
        raise CommandError(
            f"{moment.isoformat()} is yet to come: no database was put back to it. Give the moment "
            "that recovery_target_time named."
        )
    return moment.isoformat()
