"""``manage.py agreement``: how far a study's judges agree, with intervals, on each dimension."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from annotation.agreement.bootstrap import CONFIDENCE, DRAWS
from annotation.agreement.generalizability import NOT_TOLD_FROM_NONE, Variance
from annotation.agreement.report import DimensionReport
from annotation.agreement.result import NO_DRAWS, Coefficient, Interval
from annotation.management.figures import figures_arguments, figures_study
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.base.one_moment import one_moment


class Command(BaseCommand):
    help = (
        "Agreement on each dimension: percent agreement, Krippendorff's alpha by level of "
        "measurement, AC2, kappa, with bootstrap intervals over items, and the fitting alpha with "
        "those for other source texts and other annotators; where the variance is, and what means "
        "of several annotators are worth. The main round and people only; models are never counted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        figures_arguments(
            parser,
            draws=DRAWS,
            as_json="an object per dimension, shares 0–1",
            drawn="of the bootstrap",
            seeded="of the bootstrap",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = figures_study(options)
        with one_moment():
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
    for name, coefficient in report.coefficients().items():
        marked = " (fits this scale)" if name == f"alpha.{report.fitting}" else ""
        yield f"  {name:<17} {_shown(name, coefficient)}{marked}"
    yield from _further(report)
    if report.variance is not None:
        yield from _variance(report.variance)


def _further(report: DimensionReport) -> Iterator[str]:
    """The intervals of the fitting alpha that are not over items alone."""
    texts, others = report.other_sources, report.other_annotators
    if report.fitting_alpha.value is None:
        return
    what = "source texts" if texts.shared else "items, each a text of its own"
    yield f"    for other {what} ({texts.sources} here):{_ends_or_reason(texts.interval)}"
    if others is not None and texts.interval.low is not None:
        yield f"    for other annotators too ({report.annotators} here):{_ends_or_reason(others)}"


def _ends_or_reason(interval: Interval) -> str:
    return _ends(interval) or f" {interval.undefined.en if interval.undefined else ''}"


def _variance(variance: Variance) -> Iterator[str]:
    if variance.undefined is not None:
        yield f"  {'variance':<17} undefined: {variance.undefined.en}"
        return
    for part in variance.components:
        name = f"variance.{part.name}"
        if part.interval.undefined == NOT_TOLD_FROM_NONE:
            yield f"  {name:<19} {NOT_TOLD_FROM_NONE.en}"
            continue
        yield (
            f"  {name:<19} {100 * part.share:z.2f} %{_ends(part.interval, 100)}; "
            f"{part.variance:z.4f} points²{_ends(part.variance_interval)}"
        )
    for mean in variance.dependability:
        here = " (as here)" if mean.annotators == variance.typical else ""
        yield (
            f"  mean of {mean.annotators}: G {mean.relative:z.4f}"
            f"{_ends(mean.relative_interval)}, Phi {mean.absolute:z.4f}"
            f"{_ends(mean.absolute_interval)}, ± {mean.half_width:z.2f} points{here}"
        )


def _ends(interval: Interval, times: int = 1) -> str:
    if interval.low is None or interval.high is None:
        return ""
    places = 2 if times > 1 else 4
    return f"  [{times * interval.low:z.{places}f}, {times * interval.high:z.{places}f}]"


def _why_not(interval: Interval) -> str:
    """Why there is no interval where one was asked for."""
    if interval.undefined is None or interval.undefined == NO_DRAWS:
        return ""
    return interval.undefined.en


def _shown(name: str, coefficient: Coefficient) -> str:
    if coefficient.value is None:
        return f"undefined: {coefficient.undefined.en if coefficient.undefined else ''}"
    share = name in ("percent_agreement", "within_one")

    def written(value: float) -> str:
        return f"{100 * value:z.2f} %" if share else f"{value:z.4f}"

    interval = coefficient.interval
    if interval is None or interval.low is None or interval.high is None:
        reason = "" if interval is None else _why_not(interval)
        return f"{written(coefficient.value)}  {reason}".rstrip()
    return (
        f"{written(coefficient.value)}  [{written(interval.low)}, {written(interval.high)}] "
        f"{CONFIDENCE:.0%}"
    )
