"""``manage.py systems``: which system a study's judges judge better, by how much, how sure that
is."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from annotation.agreement.systems.comparison import Comparison
from annotation.agreement.systems.figure import Drawn, Figure
from annotation.agreement.systems.report import DimensionSystems
from annotation.agreement.systems.resampling import DRAWS
from annotation.agreement.systems.with_models import HelpedRow
from annotation.agreement.systems.wording import WITHOUT_FLAGGED
from annotation.management.figures import figures_arguments, figures_study
from annotation.protocols.base import Better
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems import systems_figures
from annotation.selectors.agreement.with_models import SystemsHelped
from annotation.selectors.base.one_moment import one_moment


class Command(BaseCommand):
    help = (
        "Systems side by side on each dimension: means and shares with intervals over source "
        "texts, paired differences, effect sizes, sign-flip tests with Holm's correction, ranks. "
        "What is compared again without flagged outputs is apart: looked at after the fact, "
        "exploratory, and corrected within itself. "
        "The main round and people only; models that judge are never counted among them. Where "
        "people judged a random part and models everything, their help is apart."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        figures_arguments(
            parser,
            draws=DRAWS,
            as_json="everything, shares 0–1",
            drawn="of source texts",
            seeded="of draws and tests",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = figures_study(options)
        with one_moment():
            figures = systems_figures(
                study,
                Filters(round=options["round"]),
                Drawn(draws=options["draws"], seed=options["seed"]),
                withdrawn=not options["without_withdrawn"],
            )
        if options["json"]:
            self.stdout.write(json.dumps(figures.as_dict(), indent=2, ensure_ascii=False))
            return
        if figures.reason is not None:
            self.stdout.write(figures.reason.en)
        for note in figures.notes:
            self.stdout.write(note.en)
        for name, dimension in figures.dimensions.items():
            self.stdout.write("\n".join(_lines(name, dimension)))
        if figures.helped is not None:
            self.stdout.write("\n".join(_helped_lines(figures.helped)))


_BETTER = {Better.HIGHER: "", Better.LOWER: ", lower is better", Better.NEITHER: ""}


def _lines(name: str, dimension: DimensionSystems) -> Iterator[str]:
    yield f"{name} ({dimension.level}{_BETTER[dimension.better]})"
    for note in dimension.notes:
        yield f"  {note.en}"
    for profile in dimension.profiles:
        mean = (
            f"mean {_shown(profile.mean)}" if profile.mean.value is not None else "shares in --json"
        )
        yield f"  {profile.system}: {profile.counts.outputs} outputs, {mean}"
    for pair in dimension.comparisons:
        yield f"  {pair.first} - {pair.second}: {_compared(pair)}"
    if dimension.whole:
        yield f"  without flagged outputs. {WITHOUT_FLAGGED.en}"
    for pair in dimension.whole:
        yield f"    {pair.first} - {pair.second}: {_compared(pair)}"
    if dimension.ranks and dimension.no_ranks is not None:
        yield f"  {dimension.no_ranks.en}"
    for rank in dimension.ranks:
        place = "no rank" if rank.rank is None else f"rank {rank.rank:g}"
        yield f"  {place} ({rank.best} to {rank.worst}): {rank.system}"


def _helped_lines(helped: SystemsHelped) -> Iterator[str]:
    yield "with the help of models that judge or score"
    if helped.of:
        yield f"  {helped.passages} of {helped.of} passages drawn for people, seed {helped.seed}"
    if helped.problem is not None:
        yield f"  {helped.problem.en}"
    for name, models in helped.dimensions.items():
        for model in models:
            if model.signature:
                yield f"  {name}, {model.model}: {model.signature}"
            for row in model.rows:
                yield f"  {name}, {model.model}, {_helped_line(row)}"


def _helped_line(row: HelpedRow) -> str:
    label = f"{row.first} - {row.second}" if row.second else row.first
    parts = [f"{row.texts} texts by people, {row.left} by the model alone"]
    if row.people.value is not None:
        parts += [f"people {_shown(row.people)}", f"model off by {_shown(row.bias)}"]
    if row.helped.value is not None:
        parts.append(f"with the model {_shown(row.helped)}, weight {row.weight:z.3f}")
    if row.worth is not None:
        parts.append(f"worth {row.worth:.0f} texts")
    if row.undefined is not None:
        parts.append(row.undefined.en)
    return f"{label}: " + "; ".join(parts)


def _compared(comparison: Comparison) -> str:
    if comparison.undefined is not None:
        return comparison.undefined.en
    parts = [f"{comparison.counts.sources} texts"]
    if comparison.difference.value is not None:
        parts.append(f"difference {_shown(comparison.difference)}")
        parts.append(f"with other annotators too {_bounds(comparison.elsewhere)}")
        parts.append(f"superiority {_shown(comparison.superiority)}")
        parts.append(f"Cliff's delta {_shown(comparison.delta)}")
    if comparison.test is not None:
        kind = "exact sign-flip test" if comparison.test.exact else "sign-flip test"
        parts.append(
            f"{kind} p = {comparison.test.p:z.4f}, Holm {comparison.adjusted:z.4f} of "
            f"{comparison.family}"
        )
    elif comparison.no_test is not None:
        parts.append(comparison.no_test.en)
    return "; ".join(parts)


def _bounds(figure: Figure) -> str:
    interval = figure.interval
    if interval is None or interval.low is None or interval.high is None:
        return interval.undefined.en if interval is not None and interval.undefined else ""
    return f"[{interval.low:z.4f}, {interval.high:z.4f}]"


def _shown(figure: Figure) -> str:
    interval = figure.interval
    if interval is None or interval.low is None or interval.high is None:
        return f"{figure.value:z.4f}"
    return (
        f"{figure.value:z.4f} [{interval.low:z.4f}, {interval.high:z.4f}] {interval.confidence:.0%}"
    )
