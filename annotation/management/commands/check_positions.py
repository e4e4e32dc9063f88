"""Compare what is kept of annotators' orders, of items, days, studies and runs of models with what
is counted; with --rebuild, count it anew where they differ.

Positions, numbers and the next open pair are kept as they change, and so is what leads are told of
people, items, days, remarks and what a study holds. They depart only where something
else than Barème has written to the database, or an older version has after the database was
migrated.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.services.base.standings import drafts_own, positions_check

SHOWN = 20


class Command(BaseCommand):
    help = "Compare what is kept of orders, items, days, studies and runs with what is counted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rebuild", action="store_true", help="count anew where they differ")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rebuild"] and (number := drafts_own()):
            self.stdout.write(f"{number} drafts of an older version: whose they are is kept now.")
        differences = list(positions_check(rebuild=options["rebuild"]))
        for difference in differences[:SHOWN]:
            self.stdout.write(
                f"{difference.what}: kept {difference.kept}, counted {difference.counted}"
            )
        if len(differences) > SHOWN:
            self.stdout.write(f"… and {len(differences) - SHOWN} more")
        if differences and not options["rebuild"]:
            raise CommandError(
                f"{len(differences)} kept otherwise than counted: run it again with --rebuild."
            )
        self.stdout.write(
            f"{len(differences)} rebuilt." if differences else "What is kept is what is counted."
        )
