"""``manage.py import_csmd``: a released file of the Continuous Scale Meaning Dataset, all of it or
none."""

from __future__ import annotations

from typing import Any

from annotation.corpus.csmd import part_of
from annotation.management.released import ReleasedCommand
from annotation.reading import released_file_read


class Command(ReleasedCommand):
    help = (
        "Import a released file of CSMD (original, simplification, label). A label is a mean: it "
        "becomes the rating of one judge, rounded, and stands as it was in the comment. Import "
        "train.tsv, dev.tsv and test.tsv one after the other."
    )
    title = "CSMD"

    def handle(self, *args: Any, **options: Any) -> None:
        part = part_of(options["file"])
        _file, outcome = self.bring_in(
            lambda file: released_file_read(file, "csmd", part=part), options
        )
        self.stdout.write(
            self.style.SUCCESS(
                f"Added {outcome.items} pairs, {part}-0001 and on, each with its label as the "
                "rating of one judge, marked imported."
            )
        )
