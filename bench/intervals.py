"""What the intervals of alpha cover where annotators, or source texts, are drawn anew.

``python -m bench.intervals`` (``--studies 1000``): simulated scores on 1–10 by people of unequal
severity; the truth is the alpha of 60 such people on 1,500 items. ``--sources``: items that share
source texts, judged by five people who stay; the truth is the alpha of these on 6,000 items.
"""

from __future__ import annotations

import argparse
from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from annotation.agreement.coefficients import alpha
from annotation.agreement.report import dimension_report
from annotation.agreement.table import Ratings
from bench.record import record

SCALE = tuple(range(1, 11))
SOURCES = (
    *((texts, 1) for texts in (12, 20, 30, 50, 100, 300)),
    *((texts, 3) for texts in (12, 20, 40, 60, 100)),
    (60, 6),
)
SIZES = ((30, 5), (60, 4), (60, 5), (60, 10), (300, 5))


def scores(rng: np.random.Generator, items: int, people: int) -> npt.NDArray[np.float64]:
    """Items × people; alpha is about 0.4."""
    level = 6.5 + rng.normal(0, 1.5, (items, 1)) + rng.normal(0, 0.9, people)
    rounded: npt.NDArray[np.float64] = np.clip(
        np.round(level + rng.normal(0, 1.5, (items, people))), 1, 10
    )
    return rounded


def covered(items: int, people: int, studies: int, seed: int = 5) -> tuple[float, float]:
    """The share of studies whose interval holds the truth: over items, and over annotators too."""
    truth = np.mean(
        [
            alpha(
                Ratings.from_matrix(scores(np.random.default_rng((9, at)), 1500, 60)), "ordinal"
            ).value
            or 0.0
            for at in range(6)
        ]
    )
    true = float(truth)
    held: list[tuple[bool, bool]] = []
    for number in range(studies):
        ratings = Ratings.from_matrix(scores(np.random.default_rng((seed, number)), items, people))
        report = dimension_report(ratings, level="ordinal", scale=SCALE, draws=400, seed=number)
        both = report.other_annotators
        assert both is not None
        ends = [
            (interval.low or 0.0, interval.high or 0.0)
            for interval in (report.other_sources.interval, both)
        ]
        held.append((ends[0][0] <= true <= ends[0][1], ends[1][0] <= true <= ends[1][1]))
    return float(np.mean([pair[0] for pair in held])), float(np.mean([pair[1] for pair in held]))


SEVERITY = np.array([-1.1, -0.4, 0.0, 0.5, 1.0])


def nested(rng: np.random.Generator, sources: int, each: int) -> npt.NDArray[np.float64]:
    """(Sources × each) items × five people who stay; most of the variance between items is between
    their sources."""
    level = 6.5 + np.repeat(rng.normal(0, 1.4, (sources, 1)), each, axis=0)
    level = level + rng.normal(0, 0.5, (sources * each, 1)) + SEVERITY
    answers = np.round(level + rng.normal(0, 1.5, level.shape))
    rounded: npt.NDArray[np.float64] = np.clip(answers, 1, 10)
    return rounded


def covered_by_source(sources: int, each: int, studies: int, seed: int = 6) -> tuple[float, float]:
    """The share of studies whose interval holds the truth: over items, and over source texts."""
    truths = [
        alpha(Ratings.from_matrix(nested(rng, 6000 // each, each)), "ordinal")
        for rng in (np.random.default_rng((8, at)) for at in range(6))
    ]
    true = float(np.mean([figure.value for figure in truths if figure.value is not None]))
    held: list[tuple[bool, bool]] = []
    for number in range(studies):
        ratings = Ratings.from_matrix(nested(np.random.default_rng((seed, number)), sources, each))
        of: dict[Hashable, Hashable] = {unit: unit // each for unit in range(sources * each)}
        report = dimension_report(
            ratings, level="ordinal", scale=SCALE, sources=of, draws=400, seed=number
        )
        over_items, other = report.fitting_alpha.interval, report.other_sources
        assert over_items is not None
        ends = [
            (interval.low or 0.0, interval.high or 0.0) for interval in (over_items, other.interval)
        ]
        held.append((ends[0][0] <= true <= ends[0][1], ends[1][0] <= true <= ends[1][1]))
    return float(np.mean([pair[0] for pair in held])), float(np.mean([pair[1] for pair in held]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--sources", action="store_true")
    options = parser.parse_args()
    studies = options.studies
    if options.sources:
        for sources, each in SOURCES:
            over_items, over_sources = covered_by_source(sources, each, studies)
            record(f"alpha, {sources} sources × {each}: items", 100 * over_items, "%")
            record(f"alpha, {sources} sources × {each}: sources", 100 * over_sources, "%")
        return
    for items, people in SIZES:
        over_items, over_both = covered(items, people, studies)
        record(f"alpha, {items} items × {people}: items", 100 * over_items, "%")
        record(f"alpha, {items} items × {people}: annotators too", 100 * over_both, "%")


if __name__ == "__main__":
    main()
