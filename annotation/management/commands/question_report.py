"""``manage.py question_report``: the report on long rows of questions, answers and grades, with
what people said of them; or the pairs that people are to judge."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.cells import Sheet
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.question_rows import QuestionRow, as_csv
from annotation.management.figures import draws_arguments, draws_check
from annotation.management.files import (
    existing_study,
    named,
    read_file,
    row_line,
    study_with_answers,
)
from annotation.management.question_lines import question_lines
from annotation.metrics.report.estimate import DRAWS, SEED, Drawn
from annotation.models import Study
from annotation.questions.people import COLUMNS, Texts, for_people, with_people
from annotation.questions.report import questions_report
from annotation.questions.values import HIGHEST, LOWEST, THRESHOLD
from annotation.reading import question_rows_read, summaries_read
from annotation.selectors.publishing.question_people import QUESTION_PROTOCOLS, said_in
from annotation.selectors.publishing.questions import texts_of


class Command(BaseCommand):
    help = (
        "The report on a file of long rows, one for each question and text (as `manage.py "
        "questions` writes them, in CSV, TSV, JSONL, XLSX, Parquet): shares of YES and mean "
        "grades, the model against people, variants, cost, the published line. Or, with "
        "--for-people, the pairs of a study in which people judge them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=named, metavar="FILE", help="long rows")
        parser.add_argument(
            "--judged",
            action="append",
            default=[],
            metavar="KEY",
            help="a study by qa_pairs or qa_answers whose people judged these rows; again for each",
        )
        parser.add_argument(
            "--format",
            choices=["text", "json", "rows"],
            default="text",
            help="rows: what the report is computed from, as CSV (default: %(default)s)",
        )
        parser.add_argument(
            "--threshold",
            type=int,
            default=THRESHOLD,
            help=f"lowest grade that is a YES, {LOWEST}–{HIGHEST} (default: %(default)s)",
        )
        draws_arguments(
            parser, draws=DRAWS, drawn="of reference texts", seeded="of the draws", seed=SEED
        )
        group = parser.add_argument_group("pairs for people, as CSV that a study imports")
        group.add_argument("--for-people", choices=QUESTION_PROTOCOLS, help="by which protocol")
        group.add_argument(
            "--texts",
            type=named,
            metavar="FILE",
            help="table of references and systems' texts: id, reference, system, summary",
        )
        group.add_argument(
            "--of", default="", metavar="KEY", help="the study that the texts stand in"
        )
        group.add_argument("--language", choices=["fr", "en"], default="fr", help="of its words")

    def handle(self, *args: Any, **options: Any) -> None:
        _check(options)
        rows = self._rows(options)
        if options["for_people"]:
            self._write_pairs(rows, options)
        elif options["format"] == "rows":
            self.stdout.write(as_csv(rows), ending="")
        else:
            drawn = Drawn(options["draws"], options["seed"])
            report = questions_report(rows, threshold=options["threshold"], drawn=drawn)
            text = (
                json.dumps(report, indent=2, ensure_ascii=False)
                if options["format"] == "json"
                else "\n".join(question_lines(report))
            )
            self.stdout.write(text)

    def _rows(self, options: dict[str, Any]) -> list[QuestionRow]:
        rows_file = question_rows_read(read_file(options["file"]))
        _refuse(rows_file.fatal, rows_file.problems)
        rows = list(rows_file.rows)
        judged: dict[str, list[Study]] = {}
        for key in dict.fromkeys(options["judged"]):
            study = study_with_answers(key)
            if study.protocol_key not in QUESTION_PROTOCOLS:
                raise CommandError(
                    f"--judged {key}: its protocol is {study.protocol_key}; people judge these "
                    f"rows by {' or '.join(QUESTION_PROTOCOLS)}."
                )
            judged.setdefault(study.protocol_key, []).append(study)
        for protocol, studies in judged.items():
            rows = with_people(rows, said_in(studies), protocol)
        return rows

    def _write_pairs(self, rows: list[QuestionRow], options: dict[str, Any]) -> None:
        texts = (
            _texts_of_table(options["texts"])
            if options["texts"]
            else texts_of(existing_study(options["of"]))
        )
        try:
            pairs = for_people(rows, texts, options["for_people"], options["language"])
        except TableError as error:
            raise CommandError(row_line(error.problem)) from error
        sheet = Sheet(self.stdout, lineterminator="\n")
        sheet.writerow(COLUMNS)
        sheet.writerows(pairs)


def _check(options: dict[str, Any]) -> None:
    if not LOWEST <= options["threshold"] <= HIGHEST:
        raise CommandError(f"--threshold takes a grade from {LOWEST} to {HIGHEST}.")
    draws_check(options)
    given = bool(options["texts"]) + bool(options["of"])
    if given != bool(options["for_people"]):
        raise CommandError(
            "--for-people needs the texts: either --texts FILE or --of KEY; these are for it alone."
        )


def _refuse(fatal: RowProblem | None, problems: tuple[RowProblem, ...]) -> None:
    if fatal is not None or problems:
        row_problems = [fatal] if fatal is not None else list(problems)
        raise CommandError("\n".join(map(row_line, row_problems)))


def _texts_of_table(name: str) -> Texts:
    summaries = summaries_read(read_file(name), person=None)
    _refuse(summaries.fatal, summaries.problems)
    return Texts(
        {row.id: row.reference for row in summaries.rows},
        {(row.id, row.system): row.text for row in summaries.rows},
    )
