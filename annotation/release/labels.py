"""Final labels with everything that a reader needs in order to disagree with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.consensus import (
    Consensus,
    Label,
    Posteriors,
    Provenance,
    Recipe,
    Rule,
    consensus,
)
from annotation.agreement.table import FloatArray, Ratings
from annotation.protocols.base import Level

_DIGITS = 12
SETTLED, DIVIDED, ADJUDICATED = "settled", "divided", "adjudicated"


class Ruling(NamedTuple):
    """What an adjudication decided: "settled" with its value, or "divided" (two readings hold)
    without one."""

    outcome: str
    value: float | None


@dataclass(frozen=True)
class FinalLabel:
    """The label of one unit on one dimension.

    ``value`` and ``provenance`` are final; ``computed_value`` and ``computed_provenance`` are what
    the recipe alone gives, before any adjudication. A unit that was found legitimately divided has
    no single value: its distribution is the label. ``mean``, ``median``, ``sd`` (sample),
    ``severity_adjusted_mean`` and ``zscore`` (mean of the raters' own standard scores) are of
    scales only. ``posteriors`` by value: of the model that the recipe names, None without one.
    """

    unit: str
    dimension: str
    level: str
    rule: str
    value: float | None
    provenance: str
    ratings: int
    distribution: tuple[tuple[float, int], ...]
    tied: tuple[float, ...] = ()
    adjudication: str | None = None
    computed_value: float | None = None
    computed_provenance: str = ""
    mean: float | None = None
    median: float | None = None
    sd: float | None = None
    severity_adjusted_mean: float | None = None
    zscore: float | None = None
    posteriors: Mapping[float, float] | None = None

    @property
    def shares(self) -> dict[float, float]:
        """The soft label: the share of ratings with each value; empty without ratings."""
        return {value: round(count / self.ratings, _DIGITS) for value, count in self.distribution}

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe values in a fixed order; whole numbers as such."""
        return {
            "simplification_key": self.unit,
            "dimension": self.dimension,
            "level": self.level,
            "rule": self.rule,
            "value": plain(self.value),
            "provenance": self.provenance,
            "ratings": self.ratings,
            "distribution": {str(plain(value)): count for value, count in self.distribution},
            "shares": {str(plain(value)): share for value, share in self.shares.items()},
            "posteriors": None
            if self.posteriors is None
            else {str(plain(value)): share for value, share in self.posteriors.items()},
            "tied": [plain(value) for value in self.tied],
            "adjudication": self.adjudication,
            "computed_value": plain(self.computed_value),
            "computed_provenance": self.computed_provenance,
            "mean": plain(self.mean),
            "median": plain(self.median),
            "sd": plain(self.sd),
            "severity_adjusted_mean": plain(self.severity_adjusted_mean),
            "zscore": plain(self.zscore),
        }


def final_labels(
    tables: Mapping[str, Ratings],
    levels: Mapping[str, Level],
    recipe: Recipe,
    rulings: Mapping[tuple[str, str], Ruling] | None = None,
    posteriors: Mapping[str, Posteriors] | None = None,
) -> dict[str, list[FinalLabel]]:
    """The labels of each dimension, in order of unit ids. ``rulings`` by (unit, dimension),
    ``posteriors`` by dimension.

    Raises ``KeyError`` where the recipe has no rule for a dimension.
    """
    return {
        name: list(
            _labels(name, table, levels[name], recipe, rulings or {}, (posteriors or {}).get(name))
        )
        for name, table in sorted(tables.items())
    }


def severities(ratings: Ratings) -> dict[str, float]:
    """What the severity-adjusted mean takes off each rater's ratings, in points; below zero gives
    lower values."""
    adjusted = consensus(ratings, Rule.SEVERITY_ADJUSTED)
    return {str(rater): points + 0.0 for rater, points in adjusted.severities}


def is_drawn(row: Mapping[str, Any]) -> bool:
    """Whether the lot decided this final label (``FinalLabel.as_dict``); not where somebody has
    ruled on it since."""
    return bool(row["provenance"] == Provenance.DRAWN)


def plain(value: float | None) -> float | int | None:
    """A number as JSON shows it best: 7 rather than 7.0. None stays None."""
    if value is None:
        return None
    return int(value) if value == int(value) else value


def _labels(
    name: str,
    table: Ratings,
    level: Level,
    recipe: Recipe,
    rulings: Mapping[tuple[str, str], Ruling],
    posteriors: Posteriors | None,
) -> Iterator[FinalLabel]:
    agreed = consensus(
        table, recipe.rule(name), recipe.seed, posteriors, question=recipe.drawn_for(name)
    )
    beside = [{}] * table.n_units if level == Level.NOMINAL else _scale_figures(table)
    for label, figures in zip(agreed.labels, beside, strict=True):
        final = _final(name, label, level, agreed, figures, rulings.get((str(label.unit), name)))
        probable = None if posteriors is None else posteriors.get(str(label.unit))
        yield final if probable is None else replace(final, posteriors=probable)


def _final(
    name: str,
    label: Label,
    level: Level,
    agreed: Consensus,
    figures: Mapping[str, Any],
    ruling: Ruling | None,
) -> FinalLabel:
    value, provenance, outcome = label.value, str(label.provenance), None
    if ruling is not None:
        value, provenance, outcome = ruling.value, ADJUDICATED, ruling.outcome
        if outcome == DIVIDED:
            value = None
    return FinalLabel(
        unit=str(label.unit),
        dimension=name,
        level=str(level),
        rule=str(agreed.rule),
        value=value,
        provenance=provenance,
        ratings=sum(count for _, count in label.distribution),
        distribution=label.distribution,
        tied=label.tied,
        adjudication=outcome,
        computed_value=label.value,
        computed_provenance=str(label.provenance),
        **figures,
    )


def _scale_figures(table: Ratings) -> list[dict[str, float | None]]:
    """Mean, median, deviation, severity-adjusted mean and z-score of each unit."""
    by_rule = {
        "mean": consensus(table, Rule.MEAN),
        "median": consensus(table, Rule.MEDIAN),
        "severity_adjusted_mean": consensus(table, Rule.SEVERITY_ADJUSTED),
    }
    figures: list[dict[str, float | None]] = [
        {name: agreed.labels[place].value for name, agreed in by_rule.items()}
        for place in range(table.n_units)
    ]
    deviations, scores = _deviations(table), _standard_scores(table)
    for place, row in enumerate(figures):
        row["sd"] = _known(deviations[place])
        row["zscore"] = _known(scores[place])
    return figures


def _deviations(table: Ratings) -> FloatArray:
    """Sample standard deviation of each unit's ratings, shape (n_units,); NaN for fewer than
    two."""
    n = table.ratings_per_unit
    mean = np.bincount(
        table.unit_index, weights=table.values, minlength=table.n_units
    ) / np.maximum(n, 1)
    squares = np.bincount(
        table.unit_index, weights=(table.values - mean[table.unit_index]) ** 2, minlength=len(n)
    )
    variances: FloatArray = np.full(len(n), np.nan)
    np.divide(squares, n - 1, out=variances, where=n > 1)
    return np.sqrt(variances)


def _standard_scores(table: Ratings) -> FloatArray:
    """Mean over the raters of (value − rater's mean) / rater's sample deviation, shape (n_units,).

    Who gave all units the same value, or rated one, has no deviation: left out. NaN where nobody is
    left.
    """
    scores: FloatArray = np.full(table.n_ratings, np.nan)
    for rater in range(table.n_raters):
        own = table.rater_index == rater
        values = table.values[own]
        if len(values) > 1 and np.ptp(values) > 0:
            scores[own] = (values - values.mean()) / values.std(ddof=1)
    known = ~np.isnan(scores)
    count = np.bincount(table.unit_index[known], minlength=table.n_units)
    total = np.bincount(table.unit_index[known], weights=scores[known], minlength=table.n_units)
    means: FloatArray = np.full(table.n_units, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means


def _known(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), _DIGITS) + 0.0
