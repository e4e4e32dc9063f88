"""``manage.py personal_data EMAIL --output FILE``: everything held about a person, as they would
download it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.files import named, unwritable
from annotation.management.keys import need_key
from annotation.management.persons import existing_person
from annotation.services.privacy.archive import personal_archive


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
            with target.open("xb") as out:
                target.chmod(0o600)
                out.write(personal_archive(actor=None, user=user))
        except OSError as error:
            raise unwritable(target, error) from error
        self.stdout.write(f"Written: {target}. It holds personal data: hand it to nobody else.")
