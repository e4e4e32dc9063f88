"""``manage.py backup --output FILE``: the database and the files, while Barème runs."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.management.backup.archive import BackupError
from annotation.management.backup.whole import make


class Command(BaseCommand):
    help = (
        "Write the database and the files to one ZIP with a manifest of SHA-256. It holds "
        "everything: keep it safe."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--output",
            required=True,
            help="the file, or a folder that gets a file named after the moment",
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
        output = Path(options["output"])
        if output.is_dir():
            output /= f"bareme-{timezone.now():%Y%m%dT%H%M%SZ}.zip"
        try:
            made = make(output, portable=options["portable"])
        except (BackupError, OSError, subprocess.SubprocessError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{output}: database ({made.kind}) and {made.files} files, {made.bytes:,} bytes."
        )
