"""Intervals for Cohen's kappa: a bootstrap over units in small tables, the infinitesimal jackknife
in large ones.

Kappa depends on who rated, so units do not collapse into few patterns and a bootstrap costs draws ×
units. Above ``BOOTSTRAP_UNITS`` units the interval is value ± z · s with s² = Σ_u (influence of
unit u)², which the bootstrap's variance converges to (Efron and Tibshirani 1993, section 21.3;
Jaeckel 1972). Each interval says which it is.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE, DRAWS, percentile_interval, resampled_counts
from annotation.agreement.formulas import compact, ratio
from annotation.agreement.kappa import Comparisons, KappaPairs, kappa_pairs
from annotation.agreement.result import (
    JACKKNIFE,
    NO_VALUE_NO_INTERVAL,
    NO_VARIATION,
    NO_WIDTH,
    Coefficient,
    Interval,
)
from annotation.agreement.table import FloatArray, IntArray, Ratings

if TYPE_CHECKING:
    import scipy.sparse as sp  # type: ignore[import-untyped]

BOOTSTRAP_UNITS = 2_000
_BOOTSTRAP_CELLS = 20_000_000


def kappa_with_intervals(
    ratings: Ratings,
    comparisons: Comparisons,
    *,
    draws: int = DRAWS,
    seed: int,
    confidence: float = CONFIDENCE,
) -> KappaPairs:
    """Kappa of each pair and their average, each with an interval; ``comparisons`` are those of
    that table."""
    plain = kappa_pairs(ratings, comparisons)
    cells = draws * 2 * comparisons.n_pairs * (1 + comparisons.k)
    if draws < 1 or (ratings.n_rated <= BOOTSTRAP_UNITS and cells <= _BOOTSTRAP_CELLS):
        return _bootstrapped(ratings, plain, comparisons, draws, seed, confidence)
    return _jackknifed(plain, comparisons, confidence)


def _bootstrapped(
    ratings: Ratings,
    plain: KappaPairs,
    comparisons: Comparisons,
    draws: int,
    seed: int,
    confidence: float,
) -> KappaPairs:
    units, comparisons = _canonical_units(ratings), comparisons.of_given_values()
    features = unit_features(comparisons, ratings.n_units)[units]
    averages, kappas = [np.zeros(0)], [np.zeros((0, comparisons.n_pairs))]
    if len(units) and draws > 0:
        for counts in resampled_counts(np.ones(len(units), dtype=np.int64), draws, seed):
            sums = np.asarray(counts @ features)
            kappas.append(comparisons.kappas(sums))
            averages.append(comparisons.averages(sums, kappas[-1]))
    per_pair = np.concatenate(kappas).T

    def bounded(value: Coefficient, drawn: FloatArray, items: int) -> Coefficient:
        return value.with_interval(
            percentile_interval(value.value, drawn, confidence=confidence, n_pairable=items)
        )

    pairs = tuple(
        replace(pair, kappa=bounded(pair.kappa, drawn, pair.items))
        for pair, drawn in zip(plain.pairs, per_pair, strict=True)
    )
    average = bounded(plain.average, np.concatenate(averages), ratings.n_pairable)
    return replace(plain, pairs=pairs, average=average)


def _jackknifed(plain: KappaPairs, comparisons: Comparisons, confidence: float) -> KappaPairs:
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    influence, kappas = _influence(comparisons)
    sizes = np.bincount(comparisons.pair, minlength=comparisons.n_pairs)
    pair_error = (
        np.sqrt(np.bincount(comparisons.pair, weights=influence**2, minlength=comparisons.n_pairs))
        / sizes
    )

    def bounded(value: Coefficient, error: float) -> Coefficient:
        reason = NO_VALUE_NO_INTERVAL if value.value is None else None
        if value.value is not None and 2 * z * error < NO_WIDTH:
            reason = NO_VARIATION
        if value.value is None or reason is not None:
            nothing = Interval(None, None, confidence, 0, undefined=reason, method=JACKKNIFE)
            return value.with_interval(nothing)
        low, high = max(-1.0, value.value - z * error), min(1.0, value.value + z * error)
        return value.with_interval(Interval(low, high, confidence, 0, method=JACKKNIFE))

    pairs = tuple(
        replace(pair, kappa=bounded(pair.kappa, float(error)))
        for pair, error in zip(plain.pairs, pair_error, strict=True)
    )
    error = 0.0
    if plain.average.value is not None:
        defined = ~np.isnan(kappas[comparisons.pair])
        added = np.where(defined, influence + kappas[comparisons.pair] - plain.average.value, 0.0)
        error = float(
            np.sqrt((np.bincount(comparisons.unit, weights=added) ** 2).sum()) / defined.sum()
        )
    return replace(plain, pairs=pairs, average=bounded(plain.average, error))


def _influence(comparisons: Comparisons) -> tuple[FloatArray, FloatArray]:
    """The influence of each comparison on its pair's kappa, shape (comparisons,), and the kappas,
    shape (pairs,).

    With κ = 1 − D / E, D = mean v, E = aᵀ V b for the shares a and b of each value: dκ = −dD / E +
    D · dE / E², where a comparison (i, j) has dD = v_ij − D and dE = (V b)_i + (aᵀ V)_j − 2 E. 0
    for a pair without kappa.
    """
    sizes, observed, left, right = (part[0] for part in comparisons.split(comparisons.sums))
    a, b = left / sizes[:, None], right / sizes[:, None]
    towards_b, towards_a = b @ comparisons.disagreement, a @ comparisons.disagreement
    mean = observed / sizes
    chance = (towards_a * b).sum(axis=1)
    pair = comparisons.pair
    d_mean = comparisons.disagreement[comparisons.left, comparisons.right] - mean[pair]
    d_chance = (
        towards_b[pair, comparisons.left] + towards_a[pair, comparisons.right] - 2 * chance[pair]
    )
    influence = ratio(mean[pair] * d_chance - d_mean * chance[pair], chance[pair] ** 2)
    return np.nan_to_num(influence), comparisons.kappas(comparisons.sums)[0]


def unit_features(comparisons: Comparisons, n_units: int) -> FloatArray | sp.csr_array:
    """What each unit adds to ``Comparisons.sums``, shape (n_units, 2·pairs·(1 + k))."""
    import scipy.sparse as sp

    blocks = [
        sp.csr_array((added, (comparisons.unit, column)), shape=(n_units, width))
        for column, added, width in comparisons.columns()
    ]
    return compact(sp.hstack(blocks, format="csr"))


def _canonical_units(ratings: Ratings) -> IntArray:
    """The rated units in an order that depends on their ratings alone, not on the names of units or
    raters.

    Raters are put in order of what they gave to which kind of unit, units then in order of their
    rows.
    """
    rows = np.nan_to_num(ratings.matrix, nan=-np.inf)
    kind = np.unique(np.sort(rows, axis=1), axis=0, return_inverse=True)[1].reshape(-1).tolist()
    raters = sorted(
        range(ratings.n_raters),
        key=lambda rater: sorted(zip(kind, rows[:, rater].tolist(), strict=True)),
        reverse=True,
    )
    rated = np.flatnonzero(ratings.ratings_per_unit)
    return rated[np.lexsort(tuple(rows[rated][:, rater] for rater in raters))] if raters else rated
