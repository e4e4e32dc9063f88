"""``manage.py import_judgments``: judgments made elsewhere, onto pairs of the study or with new
ones, all of a file or none."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.corpus.judged_columns import labels_of
from annotation.corpus.peers import PEERS
from annotation.corpus.problems import TableError
from annotation.corpus.table_files import check_name
from annotation.corpus.tables import Layout
from annotation.errors import RuleError
from annotation.management.files import (
    existing_study,
    header_row_argument,
    named,
    read_file,
    refused,
    row_line,
)
from annotation.management.keys import need_key
from annotation.management.released import check_not_released
from annotation.models import Study
from annotation.reading import pairs_file_read
from annotation.selectors.items.judged import judged_plan
from annotation.services.intake.judgments import judged_of, judging
from annotation.services.intake.pairs import released_options
from annotation.services.items.items import RowsRefused
from annotation.services.items.judged import judged_import


class Command(BaseCommand):
    help = (
        "Import judgments made elsewhere, onto the study's own pairs or with new ones: a table "
        "with a row for each pair and annotator (CSV, TSV, JSONL, JSON, XLSX, Parquet), or an "
        "export of "
        f"{', '.join(peer.title for peer in PEERS)}. A bad row stops all of it and is named; "
        "annotators become judges of unknown identity."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=named, metavar="FILE")
        parser.add_argument("--study", required=True, metavar="KEY", help="key of the study")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help="column of a field or a question, by name (default: by the columns' names)",
        )
        parser.add_argument(
            "--value",
            action="append",
            default=[],
            metavar="FIELD:THEIRS=OURS",
            help="what a value of a column becomes; nothing after = is no answer, none after it "
            "that no option of several applies",
        )
        parser.add_argument(
            "--same-scale",
            action="append",
            default=[],
            metavar="FIELD",
            help="its numbers are on our scale although they do not reach its top",
        )
        parser.add_argument(
            "--encoding", default="", help="for example utf-8, cp1252 (default: found out)"
        )
        parser.add_argument(
            "--sheet", default="", help="sheet of a workbook (default: the first with rows)"
        )
        header_row_argument(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="check everything, store nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        need_key("by which the judges of a file get their pseudonyms")
        study = existing_study(options["study"])
        content = read_file(options["file"])
        layout = Layout(
            encoding=options["encoding"],
            sheet=options["sheet"],
            header_row=options["header_row"],
        )
        try:
            check_name(options["file"], content)
            wanted = judging(study, options["file"], _choices(study, options))
            known = released_options(study, options["file"], pairs_only=bool(options["map"]))
            read = pairs_file_read(content, layout, person=None, judging=wanted, **known)
            check_not_released(read, options["file"], study)
            judged = judged_of(read)
            plan = judged_plan(study=study, judged=judged)
            if plan.problems:
                raise RowsRefused(plan.problems)
            if options["dry_run"]:
                onto = _onto(plan.attached, plan.existing)
                self.stdout.write(
                    f"Would add {plan.items} items, {plan.simplifications} simplifications, "
                    f"{plan.judgments} judgments of {len(plan.judges)} judges{onto}."
                )
                return
            outcome = judged_import(
                actor=None, study=study, judged=judged, name=Path(options["file"]).name
            )
        except TableError as error:
            raise CommandError(f"{row_line(error.problem)}\nNothing was stored.") from error
        except RuleError as error:
            raise refused(error) from error
        if columns := read.columns_left_out:
            self.stdout.write(f"Columns left out: {', '.join(columns)}.")
        left_out = f", {judged.left_out} answers left out by who gave them" * bool(judged.left_out)
        self.stdout.write(
            self.style.SUCCESS(
                f"Added {outcome.items} items, {outcome.simplifications} simplifications, "
                f"{outcome.judgments} judgments of {outcome.judges} judges of unknown identity"
                f"{_onto(outcome.attached, plan.existing)}{left_out}."
            )
        )


def _onto(attached: int, existing: int) -> str:
    return f", {attached} of them onto {existing} pairs of the study" * bool(attached)


def _choices(study: Study, options: dict[str, Any]) -> dict[str, Any]:
    fields = labels_of(study.protocol)
    names = dict(_parted(entry, "--map", fields) for entry in options["map"])
    values: dict[str, dict[str, str]] = {}
    for entry in options["value"]:
        field, _, equation = entry.partition(":")
        theirs, sign, ours = equation.rpartition("=")
        if field not in fields or not sign:
            raise CommandError(f"--value {entry}: write FIELD:THEIRS=OURS. {_known(fields)}")
        values.setdefault(field, {})[theirs] = ours
    for field in options["same_scale"]:
        if field not in fields:
            raise CommandError(f"--same-scale {field}: {_known(fields)}")
    return {"names": names or None, "values": values, "same_scale": options["same_scale"]}


def _parted(entry: str, option: str, fields: dict[str, Any]) -> tuple[str, str]:
    field, _, name = entry.partition("=")
    if field not in fields or not name:
        raise CommandError(f"{option} {entry}: write FIELD=COLUMN. {_known(fields)}")
    return field, name


def _known(fields: dict[str, Any]) -> str:
    return f"Fields of this study: {', '.join(fields)}."
