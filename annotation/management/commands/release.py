"""``manage.py release``: the bundle that others download, from a snapshot."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import AnswersHidden, RuleError
from annotation.management.files import named, refused, unwritable
from annotation.models import DatasetSnapshot
from annotation.release.card import TO_COMPLETE
from annotation.services.publishing.releases import release_write, release_zip, snapshot_named


class Command(BaseCommand):
    help = (
        "Write the release bundle of a snapshot: every table as JSONL, CSV and Parquet, dataset "
        "card, Croissant, HEDS, codebook, checksums, and a script that recomputes the agreement. "
        "The same snapshot gives the same bytes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("snapshot", metavar="SNAPSHOT", help="KEY-N, or the snapshot's id")
        parser.add_argument(
            "--output",
            type=named,
            required=True,
            metavar="DIR",
            help="a new or empty folder; with --zip a folder, or the zip itself, NAME.zip",
        )
        parser.add_argument(
            "--zip",
            action="store_true",
            help="write one file, DIR/KEY-N.zip or NAME.zip, instead of the files themselves",
        )
        parser.add_argument(
            "--despite-withdrawal",
            action="store_true",
            help="make a bundle again that was published before somebody in it withdrew",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        snapshot = snapshot_named(options["snapshot"])
        if snapshot is None:
            names = (
                ", ".join(s.name for s in DatasetSnapshot.objects.select_related("study")[:20])
                or "none yet"
            )
            raise CommandError(f"There is no snapshot “{options['snapshot']}”. Snapshots: {names}.")
        output = Path(options["output"])
        named = output.suffix.lower() == ".zip" and not output.is_dir()
        if named and not options["zip"]:
            raise CommandError(f"{output} is named like a zip: add --zip, or name a folder.")
        if named and output.exists():
            raise unwritable(output, FileExistsError())
        chosen = {
            "actor": None,
            "snapshot": snapshot,
            "despite_withdrawal": options["despite_withdrawal"],
        }
        try:
            if options["zip"]:
                written = release_zip(
                    **chosen, path=output if named else output / f"{snapshot.name}.zip"
                )
            else:
                written = release_write(**chosen, folder=output)
        except RuleError as error:
            raise refused(error) from error
        except AnswersHidden as error:
            raise CommandError(error.words.en) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise CommandError(
                f"{output} cannot be written: {reason}. Nothing was released."
            ) from error
        self.stdout.write(f"{written.path} {written.sha256}")
        self.stderr.write(
            f"{written.files} files of {snapshot.name}. Before publishing, look for "
            f"“{TO_COMPLETE}”."
        )
