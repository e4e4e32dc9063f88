"""A figure of the report: a value with what it rests on and its interval, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE, resampled_counts
from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import rounded, wording_facts
from annotation.agreement.systems.resampling import share_interval, sources_interval
from annotation.metrics.report.people import FloatArray, IntArray
from annotation.protocols.base import Wording

DRAWS, SEED = 1000, 42
FEWEST = 3
TOO_FEW = Wording("Moins de trois sorties : pas de figure.", "Fewer than three outputs: no figure.")
CONSTANT_SCORES = Wording(
    "Toutes les notes humaines sont égales : la corrélation n'est pas définie.",
    "All human scores are the same: correlation is not defined.",
)
CONSTANT_VALUES = Wording(
    "La mesure donne partout la même valeur : la corrélation n'est pas définie.",
    "The metric has the same value everywhere: correlation is not defined.",
)
NO_SCALE = Wording(
    "La mesure n'a pas de bornes, ou aucun sens n'y est meilleur : elle ne se ramène pas à "
    "l'échelle humaine.",
    "The metric has no ends, or neither way is better: it cannot be brought to the human scale.",
)


@dataclass(frozen=True)
class Drawn:
    """How sources are drawn; with 0 ``draws`` no figure has an interval."""

    draws: int = DRAWS
    seed: int = SEED
    confidence: float = CONFIDENCE


@dataclass(frozen=True)
class Estimate:
    """``n`` outputs of ``sources`` texts. Exactly one of ``value`` and ``undefined`` is None; the
    interval says itself why it is missing."""

    value: float | None
    n: int
    sources: int
    interval: Interval | None = None
    undefined: Wording | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe, without NaN."""
        interval = self.interval
        has_bounds = interval is not None and interval.low is not None
        reason = self.undefined or (interval.undefined if interval else None)
        return {
            "value": rounded(self.value),
            "low": rounded(interval.low) if interval and has_bounds else None,
            "high": rounded(interval.high) if interval and has_bounds else None,
            "n": self.n,
            "sources": self.sources,
            "undefined": wording_facts(reason),
        }


def undefined(reason: Wording, n: int = 0, sources: int = 0) -> Estimate:
    """A figure that there is not."""
    return Estimate(None, n, sources, undefined=reason)


@lru_cache(maxsize=4)
def drawn_counts(sources: int, draws: int, seed: int) -> FloatArray:
    """How often each source is in each draw, (draws, sources): the same for every metric, so that
    differences are paired."""
    once = np.ones(sources, dtype=np.int64)
    if not draws:
        return np.zeros((0, sources))
    return np.concatenate(list(resampled_counts(once, draws, seed)))


def numbered(groups: IntArray) -> tuple[IntArray, int]:
    """Sources counted from 0 among these outputs, and how many there are."""
    distinct, numbers = np.unique(groups, return_inverse=True)
    return numbers.astype(np.int64).ravel(), len(distinct)


def by_source(columns: FloatArray, groups: IntArray, sources: int) -> FloatArray:
    """The sums of the columns (n, k) over each source's outputs, (sources, k)."""
    summed = np.zeros((sources, columns.shape[1]))
    np.add.at(summed, groups, columns)
    return summed


def share_estimate(inside: FloatArray, groups: IntArray, drawn: Drawn) -> Estimate:
    """The share of outputs for which ``inside`` (n,) is 1."""
    return _mean(inside, groups, drawn, is_share=True)


def root_estimate(squares: FloatArray, groups: IntArray, drawn: Drawn) -> Estimate:
    """The root of the mean of squared errors (n,)."""
    return _mean(squares, groups, drawn, is_share=False)


def _mean(values: FloatArray, groups: IntArray, drawn: Drawn, *, is_share: bool) -> Estimate:
    groups, sources = numbered(groups)
    if not len(values):
        return undefined(TOO_FEW)
    totals = drawn_counts(sources, drawn.draws, drawn.seed) @ by_source(
        np.stack([values, np.ones(len(values))], axis=1), groups, sources
    )
    again, value = totals[:, 0] / totals[:, 1], float(values.mean())
    if not is_share:
        again, value = np.sqrt(again), value**0.5
    make = share_interval if is_share else sources_interval
    interval = make(value, again, sources=sources, confidence=drawn.confidence)
    return Estimate(value, len(values), sources, interval)
