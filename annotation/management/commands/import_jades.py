"""``manage.py import_jades``: the released scores of JADES, all of them or none."""

from __future__ import annotations

from typing import Any

from annotation.management.released import ReleasedCommand
from annotation.reading import released_file_read


class Command(ReleasedCommand):
    help = (
        "Import the released scores of JADES: outputs of several systems, each with its three "
        "annotators, who become judges JADES-0, JADES-1, … of unknown identity."
    )
    title = "JADES"

    def handle(self, *args: Any, **options: Any) -> None:
        _file, outcome = self.bring_in(lambda file: released_file_read(file, "jades"), options)
        self.stdout.write(
            self.style.SUCCESS(
                f"Added {outcome.items} sources with {outcome.simplifications} outputs and "
                f"{outcome.judgments} judgments of {outcome.judges} judges of unknown identity, "
                "marked imported."
            )
        )
