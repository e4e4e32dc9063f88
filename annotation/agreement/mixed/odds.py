"""Differences of systems in log odds, and as odds ratios, from fitted coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import Counts, Drawn, Figure, counts_of, figure
from annotation.agreement.systems.resampling import FEWEST_SOURCES
from annotation.agreement.systems.table import SystemRatings
from annotation.agreement.systems.wording import FEW_SOURCES
from annotation.agreement.table import FloatArray

ROBUST = "cumulative logit, robust over source texts, Student's t"


@dataclass(frozen=True)
class OddsDifference:
    """``first`` against ``second``: by how much higher its log odds of an answer above any given
    one are, and the same as an odds ratio."""

    first: str
    second: str
    log_odds: Figure
    odds_ratio: Figure

    def as_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            "log_odds": self.log_odds.as_dict(),
            "odds_ratio": self.odds_ratio.as_dict(),
        }


@dataclass(frozen=True, eq=False)
class Estimates:
    """Coefficients ``effects`` (p,) with their robust ``covariance`` (p, p), of ``table``, whose
    ``counts`` are all that was fitted; ``made``: the last parts of each signature."""

    table: SystemRatings
    effects: FloatArray
    covariance: FloatArray
    counts: Counts
    drawn: Drawn
    made: Mapping[str, object]

    def difference(self, contrast: FloatArray, first: int, second: int) -> OddsDifference:
        """Of two systems, given by their codes."""
        counts = self.counts_at(np.isin(self.table.system, [first, second]))
        names = [self.table.systems[code] for code in (first, second)]
        value, interval = self._estimated(contrast)
        named = {"first": names[0], "second": names[1]}
        log_odds = self.figure("log_odds_difference", value, interval, counts, **named)
        ratio = replace(interval, low=_exp(interval.low), high=_exp(interval.high))
        odds_ratio = self.figure("odds_ratio", float(np.exp(value)), ratio, counts, **named)
        return OddsDifference(names[0], names[1], log_odds, odds_ratio)

    def of_annotator(self, name: str, contrast: FloatArray, code: int, **options: object) -> Figure:
        """A figure of one annotator, given by their code: it rests on their own sources, and from
        fewer than ``FEWEST_SOURCES`` has no interval."""
        counts = self.counts_at(self.table.rater == code)
        value, interval = self._estimated(contrast, counts.sources)
        who = self.table.raters[code]
        return self.figure(name, value, interval, counts, annotator=who, **options)

    def counts_at(self, at: Any) -> Counts:
        return counts_of(self.table.unit[at], self.table.source[at], self.table.rater[at])

    def figure(
        self, name: str, value: float, interval: Interval | None, counts: Counts, **options: object
    ) -> Figure:
        return figure(name, value, interval, counts, self.drawn, **options, **self.made)

    def _estimated(
        self, contrast: FloatArray, sources: int | None = None
    ) -> tuple[float, Interval]:
        """``sources``: of what the figure rests on, by default all of them."""
        from scipy.special import stdtrit  # type: ignore[import-untyped]

        every = self.counts.sources
        own = every if sources is None else sources
        value, confidence = float(contrast @ self.effects), self.drawn.confidence
        if own < FEWEST_SOURCES:
            few = FEW_SOURCES.format(fewest=FEWEST_SOURCES, sources=own)
            return value, Interval(None, None, confidence, 0, undefined=few, method=ROBUST)
        # The covariance was made larger by that of all sources: G / (G - 1).
        few_more = (own / (own - 1)) / (every / (every - 1))
        error = float(contrast @ self.covariance @ contrast * few_more) ** 0.5
        half = float(stdtrit(own - 1, 1 - (1 - confidence) / 2)) * error
        return value, Interval(value - half, value + half, confidence, 0, method=ROBUST)


def _exp(value: float | None) -> float | None:
    return None if value is None else float(np.exp(value))
