"""``manage.py agreement``: how far a study's judges agree, with intervals, on each dimension."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.agreement.bootstrap import CONFIDENCE, DRAWS
from annotation.agreement.report import SEED, DimensionReport
from annotation.agreement.result import Coefficient
from annotation.management.files import existing_study
from annotation.release.recipe import MOST_DRAWS
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.base.one_moment import snapshot
from annotation.selectors.publishing.exports import ROUNDS


class Command(BaseCommand):
    help = (
        "Agreement on each dimension: percent agreement, Krippendorff's alpha by level of "
        "measurement, AC2, kappa, with bootstrap intervals over items. The main round and people "
        "only; models are never counted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="KEY")
        parser.add_argument(
            "--json", action="store_true", help="an object per dimension, shares 0–1"
        )
        parser.add_argument("--round", default="main", choices=ROUNDS, help="default: %(default)s")
        parser.add_argument(
            "--without-withdrawn",
            action="store_true",
            help="leave out annotators who have withdrawn",
        )
        parser.add_argument(
            "--draws", type=int, default=DRAWS, help="of the bootstrap (default: %(default)s)"
        )
        parser.add_argument(
            "--seed", type=int, default=SEED, help="of the bootstrap (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = existing_study(options["study"])
        if not 0 <= options["draws"] <= MOST_DRAWS or options["seed"] < 0:
            raise CommandError(f"--draws takes 0–{MOST_DRAWS}, --seed a number from 0.")
        with snapshot():
            ratings = study_ratings(
                study, round=options["round"], withdrawn=not options["without_withdrawn"]
            )
        reports = ratings.reports(draws=options["draws"], seed=options["seed"])
        if options["json"]:
            self.stdout.write(
                json.dumps({name: report.as_dict() for name, report in reports.items()}, indent=2)
            )
            return
        for name, report in reports.items():
            self.stdout.write("\n".join(_lines(name, report)) + "\n")


def _lines(dimension: str, report: DimensionReport) -> Iterator[str]:
    yield (
        f"{dimension} ({report.fitting}): {report.items} items, {report.annotators} annotators, "
        f"{report.ratings} ratings"
    )
    for name, found in report.coefficients().items():
        marked = " (fits this scale)" if name == f"alpha.{report.fitting}" else ""
        yield f"  {name:<17} {_shown(name, found)}{marked}"


def _shown(name: str, found: Coefficient) -> str:
    if found.value is None:
        return f"undefined: {found.undefined.en if found.undefined else ''}"
    share = name in ("percent_agreement", "within_one")

    def written(value: float) -> str:
        return f"{100 * value:.2f} %" if share else f"{value:.4f}"

    interval = found.interval
    if interval is None or interval.low is None or interval.high is None:
        return written(found.value)
    return (
        f"{written(found.value)}  [{written(interval.low)}, {written(interval.high)}] "
        f"{CONFIDENCE:.0%}"
    )
