"""``manage.py score``: scores for a file of pairs."""

from __future__ import annotations

import io
import json
import sys
import uuid
from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.cells import Sheet
from annotation.management.files import named
from annotation.scoring.errors import ScoringError
from annotation.services.scoring.jobs import read_pairs
from workers.management.files import existing_scorer, read_bytes
from workers.scorers.base import Pair
from workers.scoring.scores import score_pairs

_COLUMNS = ("original", "simplification", "score", "learned", "rule", "low", "high")


class Command(BaseCommand):
    help = "Score the pairs of a CSV, TSV or JSON-lines file (columns original, simplification)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=named, metavar="FILE")
        parser.add_argument("--scorer", required=True, metavar="ID", help="a version: 3 or v3")
        parser.add_argument(
            "--format", choices=["csv", "jsonl"], default="csv", help="default: %(default)s"
        )
        parser.add_argument(
            "--output", type=named, default="-", metavar="FILE", help="default: standard output"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        scorer = existing_scorer(options["scorer"])
        language = str(scorer.training_run.source.get("language", "fr"))
        try:
            texts = read_pairs(options["file"], read_bytes(options["file"]))
            if not texts:
                raise CommandError(f"{options['file']} holds no pair to score.")
            results = score_pairs(scorer, [Pair(**pair, language=language) for pair in texts])
        except ScoringError as error:
            raise CommandError(error.message.en) from error
        if results and (why := results[0].get("interval_undefined")):
            sys.stderr.write(f"No intervals: {why['en']}\n")
        rows = [pair | result for pair, result in zip(texts, results, strict=True)]
        if options["output"] == "-":
            shown = io.StringIO(newline="")
            _write(rows, shown, options["format"])
            # A reader such as head may close the pipe early: that is no defect.
            with suppress(BrokenPipeError):
                self.stdout.write(shown.getvalue(), ending="")
            return
        # A link is followed; and what somebody else writes beside it stays.
        output = Path(options["output"]).resolve()
        part = output.with_name(f".{output.name}.{uuid.uuid4().hex[:8]}.part")
        try:
            with part.open("x", encoding="utf-8", newline="") as out:
                _write(rows, out, options["format"])
            part.replace(output)
        except OSError as error:
            raise CommandError(
                f"{options['output']} cannot be written: {error.strerror}."
            ) from error
        finally:
            part.unlink(missing_ok=True)
        sys.stderr.write(f"{len(rows)} pairs scored by v{scorer.version}\n")


def _write(rows: list[dict[str, Any]], out: Any, form: str) -> None:
    if form == "jsonl":
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    writer = Sheet(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([row.get(column, "") for column in _COLUMNS] for row in rows)
