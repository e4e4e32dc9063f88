"""``manage.py release``: the bundle that others download, from a snapshot."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import RuleError
from annotation.management.files import refused
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
        parser.add_argument("--output", required=True, metavar="DIR", help="a new or empty folder")
        parser.add_argument(
            "--zip", action="store_true", help="write DIR/KEY-N.zip instead of the files themselves"
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
        folder = Path(options["output"])
        chosen = {
            "actor": None,
            "snapshot": snapshot,
            "despite_withdrawal": options["despite_withdrawal"],
        }
        try:
            if options["zip"]:
                folder.mkdir(parents=True, exist_ok=True)
                written = release_zip(**chosen, path=folder / f"{snapshot.name}.zip")
            else:
                written = release_write(**chosen, folder=folder)
        except RuleError as error:
            raise refused(error) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise CommandError(
                f"{folder} cannot be written: {reason}. Nothing was released."
            ) from error
        self.stdout.write(f"{written.path} {written.sha256}")
        self.stderr.write(
            f"{written.files} files of {snapshot.name}. Before publishing, look for "
            f"“{TO_COMPLETE}”."
        )
