"""``manage.py import_frjudge``: the released FrJUDGE ratings, all of them or none."""

from __future__ import annotations

from typing import Any

from annotation.management.released import ReleasedCommand
from annotation.reading import frjudge_file_read


class Command(ReleasedCommand):
    help = (
        "Import the released FrJUDGE file. It names no judge: the rows of a pair, in order, become "
        "judges of unknown identity, whose scores come without bracket, errors and times."
    )
    title = "FrJUDGE"

    def handle(self, *args: Any, **options: Any) -> None:
        released, outcome = self.bring_in(frjudge_file_read, options)
        self.stdout.write(
            self.style.SUCCESS(
                f"Added {outcome.items} pairs with {outcome.judgments} judgments of "
                f"{outcome.judges} judges of unknown "
                "identity, marked imported: they have a score, but no bracket, no errors and no "
                "times."
            )
        )
        per_pair = released.judges_per_pair
        if len(per_pair) > 1:
            counts = ", ".join(f"{pairs} pairs with {judges}" for judges, pairs in per_pair.items())
            self.stdout.write(
                self.style.WARNING(f"Not every pair has as many judgments: {counts}.")
            )
