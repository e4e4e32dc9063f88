"""One final label per unit out of several ratings, with the whole distribution beside it and where
it came from."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from statistics import median
from typing import Any

import numpy as np

from annotation.agreement.table import FloatArray, Ratings

RECIPE_VERSION = "2"
RECIPE_VERSIONS = ("1", RECIPE_VERSION)
"""Under version 1 a draw depends on seed and unit alone, so that ties of several questions on one
unit fall alike wherever as many values are tied; since version 2 each question draws by itself. A
snapshot keeps the version by which it was frozen."""
LOT = "lot"
"""Who decides a tie where no model is asked first: a draw by seed."""
SETTLED_ABOVE = 0.5
"""A posterior settles a tie where the tied value is more probable than not."""
_DIGITS = 12

Posteriors = Mapping[str, Mapping[float, float]]
"""How probable each value is under a model of the annotators, by unit's id as text."""


class Rule(StrEnum):
    """How ratings become a label."""

    MAJORITY = "majority"
    MEAN = "mean"
    MEDIAN = "median"
    SEVERITY_ADJUSTED = "severity_adjusted_mean"


class Provenance(StrEnum):
    """Where a label came from. ``MAJORITY``, ``POSTERIOR`` (a tie that a model of the annotators
    settled) and ``DRAWN`` occur under the majority rule alone; a mean or median of unequal values
    is ``COMPUTED``."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    POSTERIOR = "posterior"
    DRAWN = "drawn"
    COMPUTED = "computed"
    SINGLE = "single"
    NONE = "none"


@dataclass(frozen=True)
class Label:
    """The final ``value`` of a unit (None without ratings) and its ``distribution`` (value, count)
    ascending.

    ``tied`` are the values among which a posterior or a draw decided, empty where none did.
    """

    unit: Hashable
    value: float | None
    provenance: Provenance
    distribution: tuple[tuple[float, int], ...]
    tied: tuple[float, ...] = ()


@dataclass(frozen=True)
class Consensus:
    """Labels in order of unit ids, made by one rule with one seed. ``severities`` (rater, points)
    in order of rater ids under the severity-adjusted mean: what was taken off that rater's
    ratings."""

    rule: Rule
    seed: int
    labels: tuple[Label, ...]
    severities: tuple[tuple[Hashable, float], ...] = ()

    @property
    def drawn(self) -> tuple[Label, ...]:
        """The labels that a draw decided, with the tied values."""
        return tuple(label for label in self.labels if label.provenance == Provenance.DRAWN)


@dataclass(frozen=True)
class Recipe:
    """How a snapshot's labels are made, stored as data: a rule per dimension, the seed of draws, a
    version, and who decides ties: ``LOT``, or the model whose posterior is asked first."""

    rules: tuple[tuple[str, Rule], ...]
    seed: int
    version: str = RECIPE_VERSION
    ties: str = LOT

    def as_dict(self) -> dict[str, Any]:
        """The recipe as JSON-safe values; ``from_dict`` gives it back."""
        return {
            "rules": {name: str(rule) for name, rule in self.rules},
            "seed": self.seed,
            "version": self.version,
            "ties": self.ties,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Recipe:
        """Raises ``ValueError`` for an unknown rule or version, ``KeyError`` where something is
        missing. Recipes from before posteriors say nothing of ties: the lot decided."""
        if stored["version"] not in RECIPE_VERSIONS:
            known = " and ".join(map(repr, RECIPE_VERSIONS))
            raise ValueError(f"recipe version {stored['version']!r}: only {known} are known")
        rules = tuple(sorted((str(name), Rule(rule)) for name, rule in stored["rules"].items()))
        ties = str(stored.get("ties", LOT))
        return cls(rules, int(stored["seed"]), str(stored["version"]), ties)

    def rule(self, dimension: str) -> Rule:
        """The rule of a dimension. Raises ``KeyError`` where the recipe has none."""
        return dict(self.rules)[dimension]

    def drawn_for(self, dimension: str) -> str:
        """What of a dimension is in its draws (``consensus``, ``question``)."""
        return "" if self.version == "1" else dimension


def consensus(
    ratings: Ratings,
    rule: Rule | str,
    seed: int = 42,
    posteriors: Posteriors | None = None,
    question: str = "",
) -> Consensus:
    """The final label of every unit.

    ``majority``: the most frequent value; a tie goes to the tied value that is more probable than
    not under ``posteriors``, if one is, and else is drawn from (seed, question, unit id) alone, so
    the same seed draws the same label in whatever order rows come. ``question``: the name of what
    is rated, so that ties of two questions on one unit do not fall alike; "" where there is but
    one. ``mean``, ``median``: of the ratings.
    ``severity_adjusted_mean``: see ``rater_severities``; the mean of the ratings less their rater's
    severity. Raises ``ValueError`` for another rule.
    """
    rule, drawn_by = Rule(rule), f"{seed}:{question}" if question else str(seed)
    severities = (
        rater_severities(ratings) if rule == Rule.SEVERITY_ADJUSTED else np.zeros(ratings.n_raters)
    )
    values = ratings.values.tolist()
    adjusted = (ratings.values - severities[ratings.rater_index]).tolist()
    ends = np.cumsum(ratings.ratings_per_unit).tolist()
    labels = []
    start = 0
    for unit, end in zip(ratings.unit_ids, ends, strict=True):
        probable = (posteriors or {}).get(str(unit), {})
        labels.append(
            _label(unit, values[start:end], adjusted[start:end], rule, drawn_by, probable)
        )
        start = end
    named = (
        tuple(zip(ratings.rater_ids, severities.tolist(), strict=True))
        if rule == Rule.SEVERITY_ADJUSTED
        else ()
    )
    return Consensus(rule, seed, tuple(labels), named)


def rater_severities(ratings: Ratings) -> FloatArray:
    """The rater effects of the additive model, in points, shape (n_raters,); negative is strict, 0
    without ratings.

    Least squares of x_ur = μ_u + β_r + ε over the ratings there are (two-way layout without
    interaction and with holes: Searle 1971, Linear Models, chapter 7). Unit effects are eliminated:
    with N_r ratings and m_u per unit, (diag(N) − Σ_u 1_u 1_uᵀ / m_u) β = Σ_u (x_ur − x̄_u). The β
    are centred to Σ β = 0 within each group of raters that common units connect, since the data say
    nothing of differences between groups; hence the least-norm solution.
    """
    n_units, n_raters = ratings.n_units, ratings.n_raters
    per_unit = np.maximum(ratings.ratings_per_unit, 1)
    means = np.bincount(ratings.unit_index, weights=ratings.values, minlength=n_units) / per_unit
    residual = np.bincount(
        ratings.rater_index, weights=ratings.values - means[ratings.unit_index], minlength=n_raters
    )
    rated = (~np.isnan(ratings.matrix)).astype(np.float64)
    normal = np.diag(ratings.ratings_per_rater.astype(np.float64)) - rated.T @ (
        rated / per_unit[:, None]
    )
    return np.asarray(
        np.round(np.linalg.lstsq(normal, residual, rcond=1e-10)[0], _DIGITS), dtype=np.float64
    )


def _label(
    unit: Hashable,
    values: list[float],
    adjusted: list[float],
    rule: Rule,
    drawn_by: str,
    probable: Mapping[float, float],
) -> Label:
    if not values:
        return Label(unit, None, Provenance.NONE, ())
    distribution = tuple(sorted(Counter(values).items()))
    if rule == Rule.MAJORITY:
        most = max(count for _, count in distribution)
        tied = tuple(value for value, count in distribution if count == most)
        source = _provenance(len(values), len(distribution), len(tied))
        if len(tied) == 1:
            return Label(unit, tied[0], source, distribution)
        for value in tied:
            if probable.get(value, 0.0) > SETTLED_ABOVE:
                return Label(unit, value, Provenance.POSTERIOR, distribution, tied)
        drawn = tied[_draw(drawn_by, unit, len(tied))]
        return Label(unit, drawn, source, distribution, tied)
    source = Provenance.SINGLE if len(values) == 1 else Provenance.UNANIMOUS
    if len(distribution) > 1:
        source = Provenance.COMPUTED
    # fsum rounds once, so that a mean does not depend on the order of its terms.
    value = median(values) if rule == Rule.MEDIAN else fsum(adjusted) / len(adjusted)
    return Label(unit, round(value, _DIGITS), source, distribution)


def _provenance(ratings: int, distinct: int, tied: int) -> Provenance:
    if tied > 1:
        return Provenance.DRAWN
    if ratings == 1:
        return Provenance.SINGLE
    return Provenance.UNANIMOUS if distinct == 1 else Provenance.MAJORITY


def _draw(drawn_by: str, unit: Hashable, choices: int) -> int:
    """A place below ``choices`` that depends on the seed, the question and the unit's id alone;
    anybody can check it (SHA-256)."""
    digest = hashlib.sha256(f"{drawn_by}:{unit}".encode()).digest()
    return int.from_bytes(digest, "big") % choices
