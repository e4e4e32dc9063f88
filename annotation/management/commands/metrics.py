"""``manage.py metrics``: how far automatic metrics agree with people, on a study or on a table of
human scores."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.corpus.human_scores import ScoreColumns
from annotation.corpus.problems import RowProblem
from annotation.errors import AnswersHidden, RuleError
from annotation.management.figures import draws_arguments, draws_check
from annotation.management.files import existing_study, named, read_file, row_line
from annotation.management.metric_lines import report_lines
from annotation.metrics.papers.paper import beside
from annotation.metrics.papers.registry import TABLES
from annotation.metrics.report.estimate import DRAWS, SEED
from annotation.selectors.metrics.material import rated_dimensions
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import report_now
from annotation.services.metrics.tables import TableRequest, table_report

_OF_STUDIES = ("dimension", "reference_system", "snapshot")
_OF_TABLES = (
    "human",
    "original",
    "simplification",
    "reference",
    "system",
    "source",
    "score",
    "lower",
    "count",
    "scale",
    "language",
)


class Command(BaseCommand):
    help = (
        "Automatic metrics against people: correlations with intervals over originals, how far "
        "behind the best with tests, sanity checks, systems, parts of the outputs. Of a study's "
        "main round (people only; models that judge are never counted), or of a table of human "
        "scores (CSV, TSV, XLSX, JSONL, Parquet) with --table and --human."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY", nargs="?", help="a study; or give --table")
        parser.add_argument("--json", action="store_true", help="everything, shares 0–1")
        parser.add_argument(
            "--slow", action="store_true", help="with TER: a quarter of a second a pair"
        )
        draws_arguments(
            parser,
            draws=DRAWS,
            drawn="of originals",
            seeded="of draws, control pairs and folds",
            seed=SEED,
        )
        parser.add_argument(
            "--paper",
            default="",
            choices=["", *TABLES],
            metavar="TABLE",
            help=f"a published table to lay beside: {', '.join(TABLES)}",
        )
        self._study_arguments(parser)
        self._table_arguments(parser)

    def _study_arguments(self, parser: ArgumentParser) -> None:
        group = parser.add_argument_group("of a study")
        group.add_argument(
            "--dimension", default="", help="of its protocol (default: what a scorer predicts)"
        )
        group.add_argument(
            "--snapshot",
            type=int,
            default=0,
            metavar="NUMBER",
            help="of its frozen texts and answers (default: the study as it is)",
        )
        group.add_argument(
            "--reference-system",
            default="",
            metavar="SYSTEM",
            help="whose outputs the others are compared with; left out itself",
        )

    def _table_arguments(self, parser: ArgumentParser) -> None:
        group = parser.add_argument_group("of a table")
        group.add_argument(
            "--table", type=named, metavar="FILE", help="its first row names columns"
        )
        group.add_argument(
            "--scale",
            nargs=2,
            type=float,
            metavar=("LOW", "HIGH"),
            help="ends of the human scale (default: the lowest and highest score)",
        )
        group.add_argument(
            "--language", default="", help="of the texts, for example fr (default: told from them)"
        )
        for name, words in (
            ("original", "found by its name where it is not given"),
            ("simplification", "found by its name where it is not given"),
            ("system", "who wrote the simplification"),
            ("source", "what tells source texts apart (default: the original)"),
        ):
            group.add_argument(f"--{name}", default="", metavar="COLUMN", help=words)
        for name, words in (
            ("human", "scores of a person, or their mean; again for each person"),
            ("reference", "a text to compare with; again for each"),
            ("score", "what another metric said; again for each"),
            ("lower", "as --score, where lower is better"),
            ("count", "of something in each simplification: by how much these explain metrics"),
        ):
            group.add_argument(
                f"--{name}", action="append", default=[], metavar="COLUMN", help=words
            )

    def handle(self, *args: Any, **options: Any) -> None:
        draws_check(options)
        if bool(options["study"]) == bool(options["table"]):
            raise CommandError("Name a study, or a table with --table FILE; one of the two.")
        try:
            report = self._of_table(options) if options["table"] else self._of_study(options)
        except RuleError as error:
            raise CommandError("\n".join(map(_words, error.problems))) from error
        except AnswersHidden as error:
            raise CommandError(error.words.en) from error
        if options["paper"]:
            report |= {"papers": [beside(TABLES[options["paper"]], report)]}
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=2, ensure_ascii=False))
            return
        self.stdout.write("\n".join(report_lines(report)))

    def _of_study(self, options: dict[str, Any]) -> dict[str, Any]:
        _refuse(options, _OF_TABLES, "is of a table: give --table")
        study = existing_study(options["study"])
        known = rated_dimensions(study)
        dimension = options["dimension"] or next(iter(known), "")
        # Where there is none at all, the report says so.
        if options["dimension"] and known and dimension not in known:
            raise CommandError(f"--dimension {dimension}: the study has {', '.join(known)}.")
        return report_now(study, _report_request(options, dimension), _Silence())

    def _of_table(self, options: dict[str, Any]) -> dict[str, Any]:
        _refuse(options, _OF_STUDIES, "is of a study: a table names its columns with --human")
        if not options["human"]:
            raise CommandError("--table needs --human COLUMN: the human scores.")
        low, high = options["scale"] or (None, None)
        columns = ScoreColumns(
            human=tuple(options["human"]),
            original=options["original"],
            simplification=options["simplification"],
            references=tuple(options["reference"]),
            system=options["system"],
            source=options["source"],
            scores=(*options["score"], *options["lower"]),
            counts=tuple(options["count"]),
            lowest=low,
            highest=high,
        )
        table_request = TableRequest(columns, frozenset(options["lower"]), options["language"])
        return table_report(
            read_file(options["table"]), table_request, _report_request(options, ""), _Silence()
        )


def _refuse(options: dict[str, Any], names: tuple[str, ...], words: str) -> None:
    for name in names:
        if options[name]:
            raise CommandError(f"--{name.replace('_', '-')} {words}.")


def _report_request(options: dict[str, Any], dimension: str) -> ReportRequest:
    return ReportRequest(
        dimension,
        reference=options["reference_system"],
        snapshot=options["snapshot"],
        slow=options["slow"],
        seed=options["seed"],
        draws=options["draws"],
    )


def _words(problem: Any) -> str:
    return row_line(problem) if isinstance(problem, RowProblem) else str(problem.message.en)


class _Silence:
    """A terminal waits, and stops a report by its keys."""

    def progress(self, rows: int, total: int) -> None:
        """Nothing is told, and nothing stops it."""
