"""One figure of the report: its value, interval, n, method and seed, or in words why there is none.

Intervals are over source texts, each drawn with all of its questions (``agreement.systems``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.agreement.systems.figure import rounded
from annotation.agreement.systems.resampling import ratios, share_interval, sources_interval
from annotation.metrics.report import correlations
from annotation.metrics.report.correlations import Correlation
from annotation.metrics.report.estimate import (
    Drawn,
    Estimate,
    by_source,
    drawn_counts,
    numbered,
)
from annotation.metrics.report.people import BoolArray, FloatArray, IntArray
from annotation.protocols.base import Wording

METHOD = "bareme-questions"
VERSION = "1"
"""Counted up whenever the same rows, seed and draws would give another number."""

NOTHING = Wording("Il n'y a rien à compter.", "There is nothing to count.")
NO_YES_OF_PEOPLE = Wording(
    "Les gens n'ont dit oui à aucune : le rappel n'est pas défini.",
    "People said yes to none: recall is not defined.",
)
NO_YES_OF_MODEL = Wording(
    "Le modèle n'a dit oui à aucune : la précision n'est pas définie.",
    "The model said yes to none: precision is not defined.",
)
ONE_SIDED = Wording(
    "Le modèle et les gens disent partout la même chose : le kappa n'est pas défini.",
    "The model and people say the same everywhere: kappa is not defined.",
)
_SAME = 1e-12


@dataclass(frozen=True)
class Maker:
    """Makes figures of ``groups`` (n,), the number of each row's source."""

    groups: IntArray
    drawn: Drawn

    def within(self, inside: BoolArray) -> Maker:
        """Of these rows alone."""
        return Maker(self.groups[inside], self.drawn)

    def figure(self, name: str, estimate: Estimate) -> dict[str, Any]:
        """JSON-safe, with the method and the line by which it is computed again."""
        interval = estimate.interval
        has_bounds = interval is not None and interval.low is not None
        return {
            **estimate.as_dict(),
            "value": rounded(estimate.value),
            "method": interval.method if interval is not None and has_bounds else None,
            "seed": self.drawn.seed,
            "signature": (
                f"{METHOD}|{name}|n:{estimate.n}|sources:{estimate.sources}|draws:{self.drawn.draws}"
                f"|seed:{self.drawn.seed}|version:{VERSION}"
            ),
        }

    def share(self, name: str, inside: BoolArray) -> dict[str, Any]:
        """Of all rows, those ``inside`` (n,)."""
        return self.figure(name, self.ratio(inside, np.ones(len(inside)), NOTHING))

    def mean(self, name: str, values: FloatArray) -> dict[str, Any]:
        """Of ``values`` (n,)."""
        return self.figure(name, self.ratio(values, np.ones(len(values)), NOTHING, is_share=False))

    def ratio(self, above: Any, below: Any, reason: Wording, *, is_share: bool = True) -> Estimate:
        """The sum of ``above`` (n,) over the sum of ``below`` (n,). ``n`` is the latter's rows."""
        columns = np.stack([above, below], axis=1).astype(np.float64)
        kept = columns[:, 1] > 0
        groups, sources = numbered(self.groups[kept])
        number = int(kept.sum())
        if not number:
            return Estimate(None, 0, 0, undefined=reason)
        value = float(columns[:, 0].sum() / columns[:, 1].sum())
        totals = self._totals(columns[kept], groups, sources)
        make = share_interval if is_share else sources_interval
        interval = make(
            value,
            ratios(totals[:, 0], totals[:, 1]),
            sources=sources,
            confidence=self.drawn.confidence,
        )
        return Estimate(value, number, sources, interval)

    def kappa(self, model: BoolArray, people: BoolArray) -> Estimate:
        """Cohen's kappa of two labels (n,) each (Cohen 1960)."""
        groups, sources = numbered(self.groups)
        if not len(model):
            return Estimate(None, 0, 0, undefined=NOTHING)
        columns = np.stack([np.ones(len(model)), model, people, model == people], axis=1).astype(
            np.float64
        )
        value = float(_kappas(columns.sum(axis=0)[None])[0])
        if np.isnan(value):
            return Estimate(None, len(model), sources, undefined=ONE_SIDED)
        again = _kappas(self._totals(columns, groups, sources))
        interval = sources_interval(value, again, sources=sources, confidence=self.drawn.confidence)
        return Estimate(value, len(model), sources, interval)

    def pearson(self, values: FloatArray, people: FloatArray) -> Correlation:
        return correlations.pearson(values, people, self.groups, self.drawn)

    def spearman(self, values: FloatArray, people: FloatArray) -> Correlation:
        return correlations.spearman(values, people, self.groups, self.drawn)

    def difference(self, name: str, first: Correlation, second: Correlation) -> dict[str, Any]:
        """Of two correlations on the same sources, by the same draws."""
        estimate, other = first.estimate, second.estimate
        if estimate.value is None or other.value is None:
            missing = Estimate(
                None, estimate.n, estimate.sources, undefined=estimate.undefined or other.undefined
            )
            return self.figure(name, missing)
        value = estimate.value - other.value
        interval = sources_interval(
            value,
            first.again - second.again,
            sources=estimate.sources,
            confidence=self.drawn.confidence,
        )
        return self.figure(name, Estimate(value, estimate.n, estimate.sources, interval))

    def _totals(self, columns: FloatArray, groups: IntArray, sources: int) -> FloatArray:
        counts = drawn_counts(sources, self.drawn.draws, self.drawn.seed)
        totals: FloatArray = counts @ by_source(columns, groups, sources)
        return totals


def _kappas(sums: FloatArray) -> FloatArray:
    """Kappas (draws,) of numbers, YES of one, YES of the other, agreements (draws, 4); NaN where
    chance explains everything."""
    number, first, second, same = sums.T
    chance = first * second + (number - first) * (number - second)
    spare = number * number - chance
    kappas: FloatArray = np.divide(
        same * number - chance, spare, out=np.full(len(sums), np.nan), where=spare > _SAME
    )
    return kappas
