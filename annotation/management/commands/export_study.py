"""``manage.py export_study``: a study's file, written whole or not at all."""

from __future__ import annotations

import shutil
import stat
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import RuleError
from annotation.management.files import WITHOUT_SYSTEMS, existing_study, named, refused
from annotation.models import Study
from annotation.selectors.publishing.exports import (
    FORMATS,
    LAYOUTS,
    ROUNDS,
    ExportSpec,
    export_spec,
)
from annotation.services.publishing.exports import Written, export_to_path
from annotation.workbooks import WorkbookLimit


class Command(BaseCommand):
    help = (
        "Export a study. Annotators appear by pseudonym only; free text is as it was typed and may "
        "hold names or addresses, so publish a release (freeze, release) instead. The main round "
        "only, unless --round says otherwise. What the columns mean: --layout codebook."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY")
        parser.add_argument("--layout", required=True, choices=list(LAYOUTS))
        parser.add_argument(
            "--format",
            default="",
            help=(
                "jsonl, csv, csv-fr, tsv or xlsx; json for the codebook (default: what FILE ends "
                "in, else the layout's first)"
            ),
        )
        parser.add_argument(
            "--output",
            type=named,
            required=True,
            metavar="FILE",
            help="file to write, or - for standard output",
        )
        parser.add_argument("--round", default="main", choices=ROUNDS, help="default: %(default)s")
        parser.add_argument(
            "--bom", action="store_true", help="mark CSV and TSV as UTF-8, for Excel"
        )
        parser.add_argument("--coarse-times", action="store_true", help="days instead of moments")
        parser.add_argument("--without-systems", action="store_true", help=WITHOUT_SYSTEMS)
        parser.add_argument(
            "--without-withdrawn",
            action="store_true",
            help="leave out annotators who have withdrawn",
        )
        parser.add_argument(
            "--without-models",
            action="store_true",
            help="leave out what models judged beside people (layouts of people's answers always "
            "do)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        chosen = {
            "round": options["round"],
            "bom": options["bom"],
            "coarse_times": options["coarse_times"],
            "systems": not options["without_systems"],
            "withdrawn": not options["without_withdrawn"],
            "machines": not options["without_models"],
        }
        try:
            format_ = options["format"] or _ending(options["output"])
            spec = export_spec(options["layout"], format_, chosen)
            written = self._write(study, spec, options["output"])
        except RuleError as error:
            raise refused(error) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise CommandError(
                f"{options['output']} cannot be written: {reason}. Nothing was exported."
            ) from error
        except WorkbookLimit as error:
            raise CommandError(
                f"This does not fit into a workbook ({error.code}, row {error.row}): ask for csv."
            ) from error
        # Standard output may be the data.
        self.stderr.write(f"{written.rows} rows, {written.size} bytes, sha256 {written.sha256}")

    def _write(self, study: Study, spec: ExportSpec, output: str) -> Written:
        # A link is followed: replacing it would leave the old file where it points.
        path = Path(output).resolve()
        if output != "-" and (not path.exists() or stat.S_ISREG(path.stat().st_mode)):
            return export_to_path(actor=None, study=study, spec=spec, path=path)
        # Neither standard output nor a device can be replaced: they get the whole file once there
        # is one.
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "export"
            written = export_to_path(actor=None, study=study, spec=spec, path=whole)
            with whole.open("rb") as file:
                if output == "-":
                    shutil.copyfileobj(file, sys.stdout.buffer)
                    sys.stdout.flush()
                else:
                    with path.open("wb") as out:
                        shutil.copyfileobj(file, out)
        return written


def _ending(output: str) -> str:
    """The format that a file's name says; "" where it says none."""
    ending = Path(output).suffix[1:].lower()
    return ending if ending in FORMATS else ""
