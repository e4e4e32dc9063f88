"""``manage.py personal_data EMAIL --output FILE``: everything held about a person, as they would
download it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.files import named, unwritable
from annotation.management.keys import need_key
from annotation.management.persons import existing_person
from annotation.services.privacy.archive import personal_archive_write


@contextmanager
def _written(target: Path) -> Iterator[IO[bytes]]:
    """A new file for its owner alone, gone again where it could not be written whole: half of it
    would be personal data that nobody opens, and would stand in the way of the next attempt.
    Raises ``OSError``."""
    with target.open("xb") as out:
        try:
            target.chmod(0o600)
            yield out
        except BaseException:
            target.unlink(missing_ok=True)
            raise


class Command(BaseCommand):
    help = (
        "Write a ZIP file with everything held about a person (JSON, and a page to read). "
        "Recorded in the audit trail."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address of the person's account")
        parser.add_argument(
            "--output",
            type=named,
            required=True,
            metavar="FILE",
            help="the ZIP file to write; must not exist yet",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        need_key("with which log-ins say whose they are")
        user = existing_person(options["email"])
        target = Path(options["output"])
        try:
            with _written(target) as out:
                personal_archive_write(out, actor=None, user=user)
        except OSError as error:
            raise unwritable(target, error) from error
        self.stdout.write(f"Written: {target}. It holds personal data: hand it to nobody else.")
