"""What the intervals of the mixed models cover, and how long the models take.

``python -m bench.mixed`` (``--studies 1000``): simulated studies with planted differences and
variances; how often each 95 % interval holds the truth, and where systems are alike, how often it
leaves 0 out all the same: the type I error of reading it as a test. ``--models`` and ``--only``
take some of the models and designs; each study is drawn from the seed, its design and its number,
so that parts may be run apart. ``--sizes`` fits larger ones instead, once each, with the seconds
that the models take and the memory that the process had at most.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement.generalizability import ANNOTATORS, ITEMS, REST, SOURCES
from annotation.agreement.mixed.linear import TASTES, linear_model
from annotation.agreement.mixed.ordinal import ordinal_model
from annotation.agreement.mixed.thresholds import own_thresholds
from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.table import SystemRatings
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Level
from bench.record import record

MODELS = ("linear", "ordinal", "own")


@dataclass(frozen=True)
class Design:
    """Every text by every system; each output judged by ``each`` of the annotators. ``effects``:
    of the systems, in points (or log odds). ``parts``: the variances."""

    texts: int
    annotators: int
    each: int
    effects: tuple[float, ...]
    parts: dict[str, float]

    def cells(self, seed: tuple[int, ...]) -> tuple[IntArray, IntArray, np.random.Generator]:
        """The unit and the rater of each rating; units are numbered text by text."""
        rng = np.random.default_rng(seed)
        units = self.texts * len(self.effects)
        people = np.stack([rng.permutation(self.annotators)[: self.each] for _ in range(units)])
        return np.repeat(np.arange(units), self.each), people.ravel(), rng

    def points(self, seed: tuple[int, ...]) -> SystemRatings:
        """Ratings as the linear model has them: any numbers, to nine digits."""
        unit, rater, rng = self.cells(seed)
        k = len(self.effects)
        people = self.annotators
        sizes = {ANNOTATORS: people, TASTES: people * k, SOURCES: self.texts, ITEMS: self.texts * k}
        drawn = {
            name: rng.normal(0, self.parts.get(name, 0.0) ** 0.5, number)
            for name, number in sizes.items()
        }
        values = np.array(self.effects)[unit % k] + drawn[ANNOTATORS][rater]
        values += drawn[TASTES][rater * k + unit % k]
        values += drawn[SOURCES][unit // k] + drawn[ITEMS][unit]
        values += rng.normal(0, self.parts[REST] ** 0.5, len(unit))
        return self._table(unit, rater, np.round(values, 9), Level.INTERVAL)

    def answers(self, seed: tuple[int, ...], levels: int = 5, own: float = 0.0) -> SystemRatings:
        """Answers 1 to ``levels`` as the ordinal models have them: thresholds a log odds apart,
        moved by each annotator. ``own``: the standard deviation of the logarithm of how far apart
        each annotator's are."""
        unit, rater, rng = self.cells(seed)
        shifts = rng.normal(0, self.parts[ANNOTATORS] ** 0.5, self.annotators)
        place = np.array(self.effects)[unit % len(self.effects)] - shifts[rater]
        place += rng.logistic(size=len(unit))
        widths = np.exp(rng.normal(0, own, self.annotators))[rater]
        thresholds = np.arange(levels - 1) - (levels - 2) / 2
        scores = 1 + (place > thresholds[:, None] * widths).sum(axis=0)
        return self._table(unit, rater, scores.astype(np.float64), Level.ORDINAL)

    def _table(
        self, unit: IntArray, rater: IntArray, values: FloatArray, level: Level
    ) -> SystemRatings:
        k = len(self.effects)
        scale, place = np.unique(values, return_inverse=True)
        return SystemRatings(
            level,
            scale,
            tuple(f"system {number}" for number in range(k)),
            tuple(range(self.texts)),
            tuple(range(self.annotators)),
            unit,
            unit % k,
            unit // k,
            rater,
            place,
        )


_PARTS = {ANNOTATORS: 0.5, TASTES: 0.1, SOURCES: 0.4, ITEMS: 0.3, REST: 1.0}
DESIGNS = {
    "20 texts, 3 systems, 3 of 5 annotators": Design(20, 5, 3, (0.0, 0.3, 0.6), _PARTS),
    "12 texts, 2 systems, all of 4 annotators": Design(12, 4, 4, (0.0, 0.5), _PARTS),
    "60 texts, 3 systems, 3 of 10 annotators": Design(60, 10, 3, (0.0, 0.3, 0.6), _PARTS),
    "alike: 12 texts, 2 systems, all of 4 annotators": Design(12, 4, 4, (0.0, 0.0), _PARTS),
    "alike: 20 texts, 2 systems, 3 of 5 annotators, no tastes, nothing of the output's own": Design(
        20, 5, 3, (0.0, 0.0), _PARTS | {TASTES: 0.0, ITEMS: 0.0}
    ),
}
_OWN = 0.4
"""How unequally far apart annotators' own thresholds are: half to twice as far, for most."""
SIZES = {
    "1,485 ratings": Design(99, 5, 5, (0.0, 0.3, 0.6), _PARTS),
    "1,800 ratings": Design(200, 6, 3, (0.0, 0.3, 0.6), _PARTS),
    "10,000 ratings": Design(200, 10, 10, (0.0, 0.1, 0.2, 0.3, 0.4), _PARTS),
}


def covered(
    design: Design, studies: int, models: Sequence[str] = MODELS, seed: int = 20
) -> dict[str, tuple[float, int]]:
    """How often the interval of the first difference holds its truth, by model, and in how many
    studies there was one."""
    held: dict[str, list[bool]] = {model: [] for model in models}
    truth = design.effects[0] - design.effects[1]
    for number in range(studies):
        for model in models:
            interval = _FIRST[model](design, (seed, number))
            if interval is not None:
                held[model].append(_holds(interval, truth))
    return {name: (float(np.mean(hits)), len(hits)) for name, hits in held.items() if hits}


def _linear(design: Design, seed: tuple[int, ...]) -> Interval | None:
    model = linear_model(design.points(seed), Drawn())
    return None if model.undefined else model.differences[0].figure.interval


def _ordinal(design: Design, seed: tuple[int, ...]) -> Interval | None:
    model = ordinal_model(design.answers(seed), Drawn())
    return None if model.undefined else model.differences[0].log_odds.interval


def _own(design: Design, seed: tuple[int, ...]) -> Interval | None:
    model = own_thresholds(design.answers(seed, own=_OWN), Drawn())
    return None if model.undefined else model.differences[0].log_odds.interval


_FIRST: dict[str, Callable[[Design, tuple[int, ...]], Interval | None]] = {
    "linear": _linear,
    "ordinal": _ordinal,
    "own": _own,
}


def _holds(interval: Interval, truth: float) -> bool:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low <= truth <= interval.high


def _sizes() -> None:
    for name, design in SIZES.items():
        begun = time.perf_counter()
        linear = linear_model(design.points((1, 1)), Drawn())
        between = time.perf_counter()
        ordinal = ordinal_model(design.answers((1, 1)), Drawn())
        after = time.perf_counter()
        own = own_thresholds(design.answers((1, 1), own=_OWN), Drawn())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        record(
            f"mixed, {name}",
            between - begun,
            "s",
            note=f"ordinal {after - between:.1f} s, own thresholds "
            f"{time.perf_counter() - after:.2f} s, {memory:.0f} MB at most; defined: "
            f"{linear.undefined is None}, {ordinal.undefined is None}, {own.undefined is None}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--only", default="", help="designs whose name begins so")
    parser.add_argument("--sizes", action="store_true")
    options = parser.parse_args()
    if options.sizes:
        _sizes()
        return
    for name, design in DESIGNS.items():
        if not name.startswith(options.only):
            continue
        is_alike = design.effects[0] == design.effects[1]
        for model, (share, number) in covered(design, options.studies, options.models).items():
            what = "type I error" if is_alike else "covered"
            rate = 1 - share if is_alike else share
            record(f"mixed, {name}: {model}, {what}", 100 * rate, "%", note=f"{number} studies")


if __name__ == "__main__":
    main()
