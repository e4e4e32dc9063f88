"""``manage.py import_pairs``: pairs from a CSV, TSV, JSONL or XLSX file, all of them or none."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.corpus.columns import FIELDS, guess_mapping, plain
from annotation.corpus.delimited import separator_called
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.problems import TableError
from annotation.corpus.table_files import check_name
from annotation.corpus.tables import Layout, Table, check_called_once, naming
from annotation.errors import RuleError
from annotation.management.files import (
    existing_study,
    header_row_argument,
    named,
    read_file,
    refused,
    row_line,
)
from annotation.management.released import check_not_released
from annotation.models import Item, Study
from annotation.reading import pairs_file_read, refused_file
from annotation.selectors.items.imports import pairs_plan
from annotation.services.intake.pairs import JUDGMENTS, released_options, repeats_by_judges
from annotation.services.items.items import RowsRefused, pairs_import


class Command(BaseCommand):
    help = (
        "Import pairs (original, simplification) into a study. A bad row stops all of it and is "
        "named."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=named, metavar="FILE")
        parser.add_argument("--study", required=True, metavar="KEY", help="key of the study")
        parser.add_argument(
            "--round", choices=Item.Round.values, default="main", help="default: %(default)s"
        )
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help=(
                f"column of a field, by name or number; fields: {', '.join(FIELDS)} (default: by "
                "the columns' names)"
            ),
        )
        parser.add_argument(
            "--encoding", default="", help="for example utf-8, cp1252 (default: found out)"
        )
        parser.add_argument(
            "--separator", default="", help="one character, or tab (default: found out)"
        )
        parser.add_argument(
            "--sheet", default="", help="sheet of a workbook (default: the first with rows)"
        )
        parser.add_argument(
            "--no-header", action="store_true", help="the first row is a pair already"
        )
        header_row_argument(parser)
        parser.add_argument(
            "--no-quotes", action="store_true", help="quotation marks are plain characters"
        )
        parser.add_argument(
            "--skip-duplicates", action="store_true", help="leave repeated pairs out"
        )
        parser.add_argument(
            "--pairs-only",
            action="store_true",
            help="of a released file (FrJUDGE, JADES, CSMD) leave the judgments out",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="check everything, store nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        content = read_file(options["file"])
        try:
            check_name(options["file"], content)
            read = self._read(content, study, options)
            pairs = read.pairs
            assert pairs is not None  # noqa: S101  (else it was refused)
            choices = {"round": options["round"], "skip_duplicates": options["skip_duplicates"]}
            if options["dry_run"]:
                plan = pairs_plan(study=study, pairs=pairs, round=options["round"])
                if problems := plan.refusals(skip_duplicates=options["skip_duplicates"]):
                    raise RowsRefused(problems)
                self.stdout.write(
                    f"Would add {plan.items} items, {plan.simplifications} simplifications."
                )
                return
            outcome = pairs_import(
                actor=None, study=study, pairs=pairs, name=Path(options["file"]).name, **choices
            )
        except TableError as error:
            raise CommandError(f"{row_line(error.problem)}\nNothing was stored.") from error
        except RowsRefused as error:
            if repeats_by_judges(study, read, error.rows):
                raise refused(RuleError([JUDGMENTS])) from error
            raise refused(error) from error
        except RuleError as error:
            raise refused(error) from error
        left_out = f", {outcome.skipped} duplicates left out" if outcome.skipped else ""
        self.stdout.write(
            self.style.SUCCESS(
                f"Added {outcome.items} items, {outcome.simplifications} simplifications{left_out}."
            )
        )

    def _read(self, content: bytes, study: Study, options: dict[str, Any]) -> PairsFile:
        """The pairs of the file, read by a process of its own. Raises ``TableError``, and
        ``CommandError`` for a released file, which another command takes."""
        layout, file = _layout(options), options["file"]
        known = released_options(study, file, pairs_only=options["pairs_only"])
        read = pairs_file_read(content, layout, person=None, **known)
        check_not_released(read, file, study, or_else=" Without them: --pairs-only.")
        if read.table is None:
            raise refused_file(read.fatal)
        mapping = _mapping(read.table, options["map"])
        check_called_once(read.table, _by_name(read.table, mapping, options["map"]))
        self._say_reading(read.table, read.row_count, mapping)
        if options["map"]:
            read = pairs_file_read(
                content, layout, person=None, mapping=mapping, take_released=False
            )
        if read.pairs is None:
            raise refused_file(read.fatal)
        return read

    def _say_reading(self, table: Table, rows: int, mapping: dict[str, int]) -> None:
        """How the file was understood: what was guessed can be wrong."""
        layout = table.layout
        facts = [layout.format]
        if layout.encoding:
            facts.append(f"{layout.encoding} ({table.confidence})")
        if layout.separator:
            facts.append(f"separator {layout.separator!r}")
        if layout.sheet:
            facts.append(f"sheet {layout.sheet!r}")
        if layout.header_row:
            facts.append(f"names of columns in row {layout.header_row}")
        columns = ", ".join(f"{field}={table.columns[index]!r}" for field, index in mapping.items())
        unused = [name for place, name in enumerate(table.columns) if place not in mapping.values()]
        left_out = f"; left out: {', '.join(map(repr, unused))}" if unused else ""
        hidden = f", {len(table.hidden)} of them hidden in the sheet" if table.hidden else ""
        self.stdout.write(f"Read as {', '.join(facts)}: {rows} rows{hidden}; {columns}{left_out}")


def _layout(options: dict[str, Any]) -> Layout:
    layout = Layout(
        encoding=options["encoding"],
        separator=separator_called(options["separator"]),
        sheet=options["sheet"],
        header=False if options["no_header"] else None,
        header_row=options["header_row"],
        quoted=False if options["no_quotes"] else None,
    )
    return naming(layout, (entry.partition("=")[2] for entry in options["map"]))


def _mapping(table: Table, chosen: list[str]) -> dict[str, int]:
    """Columns as guessed, with the chosen ones in their place."""
    mapping = guess_mapping(table.columns)
    picked = {}
    for entry in chosen:
        field, _, name = entry.partition("=")
        if field not in FIELDS or not name:
            raise CommandError(
                f"--map {entry}: write FIELD=COLUMN with a field among {', '.join(FIELDS)}."
            )
        picked[field] = _column(table, name)
    # A column that was guessed for one field and chosen for another is the chosen one's.
    kept = {field: index for field, index in mapping.items() if index not in picked.values()}
    return kept | picked


def _by_name(table: Table, mapping: dict[str, int], chosen: list[str]) -> list[int]:
    """The places of columns that were found by a name, not chosen by their number."""
    entries = (entry.partition("=") for entry in chosen)
    numbered = {
        field for field, _, name in entries if name.isdecimal() and name not in table.columns
    }
    return [place for field, place in mapping.items() if field not in numbered]


def _column(table: Table, name: str) -> int:
    names = list(table.columns)
    if name in names:
        return names.index(name)
    plain_names = [plain(column) for column in names]
    if plain(name) and plain(name) in plain_names:
        return plain_names.index(plain(name))
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    raise CommandError(f"There is no column “{name}”. Columns: {', '.join(names)}.")
