"""``manage.py questions``: the rows of a run that answers questions or grades answers, or the
report on them."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from io import StringIO
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.cells import Sheet
from annotation.corpus.metric_scores import COLUMNS
from annotation.corpus.question_rows import as_csv
from annotation.errors import RuleError
from annotation.management.figures import draws_arguments, draws_check
from annotation.management.files import existing_study, refused
from annotation.metrics.report.estimate import DRAWS, SEED, Drawn
from annotation.questions.report import questions_report
from annotation.questions.values import HIGHEST, LOWEST, THRESHOLD
from annotation.selectors.generation.question_rows import chain_of, named_shares, rows_of, spent_of


class Command(BaseCommand):
    help = (
        "Questions, answers and grades of models, one row for each question and text; or the "
        "report on them as JSON. What was never answered has its row, and is no NO."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY")
        parser.add_argument(
            "--run",
            type=int,
            required=True,
            metavar="RUN",
            help="a run that answers questions, or one that grades answers",
        )
        parser.add_argument(
            "--format",
            choices=["csv", "jsonl", "report", "metric"],
            default="csv",
            help=(
                "metric: of each pair the share of questions that are still answered, as the page "
                "of metrics takes scores; default: %(default)s"
            ),
        )
        parser.add_argument(
            "--threshold",
            type=int,
            default=THRESHOLD,
            help=f"lowest grade that is a YES, {LOWEST}–{HIGHEST} (%(default)s)",
        )
        draws_arguments(
            parser, draws=DRAWS, drawn="of source texts", seeded="of the draws", seed=SEED
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        draws_check(options)
        if not LOWEST <= options["threshold"] <= HIGHEST:
            raise CommandError(
                f"--threshold {options['threshold']}: give a grade from {LOWEST} to {HIGHEST}."
            )
        run = study.generation_runs.filter(number=options["run"]).first()
        if run is None:
            raise CommandError(f"--run {options['run']}: the study has no such run.")
        try:
            chain = chain_of(run)
        except RuleError as error:
            raise refused(error) from error
        if options["format"] == "metric":
            if chain.grading is None:
                raise CommandError(
                    f"--run {options['run']} has answers without grades: name the run that grades "
                    "them."
                )
            out = StringIO()
            sheet = Sheet(out)
            sheet.writerow(COLUMNS)
            sheet.writerows(named_shares(chain, options["threshold"]))
            self.stdout.write(out.getvalue(), ending="")
            return
        rows = list(rows_of(chain))
        if options["format"] == "csv":
            self.stdout.write(as_csv(rows), ending="")
        elif options["format"] == "jsonl":
            for row in rows:
                self.stdout.write(json.dumps(asdict(row), ensure_ascii=False))
        else:
            drawn = Drawn(draws=options["draws"], seed=options["seed"])
            report = questions_report(
                rows, threshold=options["threshold"], drawn=drawn, spent=spent_of(chain)
            )
            self.stdout.write(json.dumps(report, indent=2, ensure_ascii=False))
