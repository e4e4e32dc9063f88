"""``manage.py import_summaries``: reference summaries with systems' summaries as pairs of a study,
all of a table or none."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.corpus.pairs import PairRow, Pairs
from annotation.corpus.summaries import SummariesFile
from annotation.errors import RuleError
from annotation.management.files import existing_study, named, read_file, refused, row_line
from annotation.models import Item
from annotation.questions.lengths import Border
from annotation.questions.table import within
from annotation.reading import summaries_read
from annotation.selectors.items.imports import pairs_plan
from annotation.services.items.items import RowsRefused, pairs_import


class Command(BaseCommand):
    help = (
        "Import a table of reference summaries and systems' summaries: the reference becomes the "
        "original, each system's summary a simplification of it. Columns id, reference, system, "
        "summary, a row for each summary; or a column summaries.<system> for each system. A bad "
        "row stops all of it and is named."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=named, metavar="FILE")
        parser.add_argument("--study", required=True, metavar="KEY", help="key of the study")
        parser.add_argument(
            "--round", choices=Item.Round.values, default="main", help="default: %(default)s"
        )
        parser.add_argument(
            "--window",
            type=int,
            default=0,
            metavar="TOKENS",
            help="refuse longer texts, with their number of tokens (default: none is too long)",
        )
        parser.add_argument(
            "--cut",
            choices=[border.value for border in Border],
            help="with --window: cut longer texts there instead",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="check everything, store nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["window"] < 0 or (options["cut"] and not options["window"]):
            raise CommandError("--window takes a number of tokens; --cut goes with --window.")
        study = existing_study(options["study"])
        pairs = Pairs(rows=self._rows(options))
        try:
            plan = pairs_plan(study=study, pairs=pairs, round=options["round"])
            if problems := plan.refusals(skip_duplicates=False):
                raise RowsRefused(problems)
            if not options["dry_run"]:
                name = Path(options["file"]).name
                pairs_import(
                    actor=None, study=study, pairs=pairs, name=name, round=options["round"]
                )
        except RuleError as error:
            raise refused(error) from error
        verb = "Would add" if options["dry_run"] else "Added"
        self.stdout.write(f"{verb} {plan.items} items, {plan.simplifications} simplifications.")

    def _rows(self, options: dict[str, Any]) -> list[PairRow]:
        summaries = summaries_read(read_file(options["file"]), person=None)
        _check(summaries)
        if options["window"]:
            border = Border(options["cut"]) if options["cut"] else None
            held = within(summaries, options["window"], border)
            _check(held.file)
            for row, column in held.cut:
                self.stdout.write(f"row {row}, {column}: cut")
            summaries = held.file
        return [
            PairRow(
                row=row.row,
                original=row.reference,
                simplification=row.text,
                key=row.id,
                system=row.system,
                structure="; ".join(row.structure),
            )
            for row in summaries.rows
        ]


def _check(summaries: SummariesFile) -> None:
    problems = [summaries.fatal] if summaries.fatal is not None else list(summaries.problems)
    if problems:
        lines = "\n".join(map(row_line, problems))
        raise CommandError(f"{lines}\nNothing was stored.")
