"""Coefficients as functions of sums over units, so that an estimate and each of its bootstrap draws
are one formula.

A ``Formula`` holds one row of features per pattern of units; ``evaluate`` takes sums of those rows,
one row per draw, and gives the coefficient of each draw, NaN where it is undefined. The point
estimate is the draw in which every unit occurs once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from annotation.agreement.patterns import Patterns
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Level

if TYPE_CHECKING:
    import scipy.sparse as sp  # type: ignore[import-untyped]

WEIGHTS = ("identity", "linear", "ordinal", "quadratic", "radical")
_DENSE_CELLS = 4_000_000
_NO_SPREAD = 1e-12


@dataclass(frozen=True, eq=False)
class Formula:
    """``features`` shape (patterns, f), dense or sparse; ``evaluate`` maps sums (draws, f) to
    values (draws,)."""

    features: FloatArray | sp.csr_array
    evaluate: Callable[[FloatArray], FloatArray]

    def sums(self, weights: npt.NDArray[np.float64]) -> FloatArray:
        """Sums of the features where pattern j occurs ``weights[i, j]`` times in draw i, shape
        (draws, f)."""
        return np.asarray(weights @ self.features)

    def sums_by(self, patterns: IntArray, groups: IntArray, number: int) -> FloatArray:
        """Sums of the features of units over the ``number`` groups that they are in, shape (number,
        f); ``patterns`` and ``groups`` have one code for each unit."""
        from scipy.sparse import coo_array

        shape = (number, self.features.shape[0])
        weights = coo_array((np.ones(len(groups)), (groups, patterns)), shape=shape).tocsr()
        sums = weights @ self.features
        return np.asarray(sums if isinstance(sums, np.ndarray) else sums.toarray())

    def estimate(self, patterns: Patterns) -> float:
        """The coefficient of the units as they are; NaN where it is undefined."""
        if not len(patterns.frequency):
            return float("nan")
        return float(self.evaluate(self.sums(patterns.frequency.astype(np.float64)[None, :]))[0])


def compact(features: sp.csr_array) -> FloatArray | sp.csr_array:
    """The same features dense where they are small: products are faster then."""
    rows, columns = features.shape
    return np.asarray(features.toarray()) if rows * columns <= _DENSE_CELLS else features


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Element-wise quotient, NaN where the denominator is zero."""
    quotient: FloatArray = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def agreement_formula(patterns: Patterns, tolerance: float = 0.0) -> Formula:
    """Share of agreeing pairs among all pairs of ratings of a same unit, pairs pooled over units.

    Two ratings agree where they differ by at most ``tolerance`` points. Beauchemin et al. (2025),
    JUDGEBERT, table 2.
    """
    _, left, right, pattern = _position_pairs(patterns)
    near = np.abs(patterns.scale[left] - patterns.scale[right]) <= tolerance
    n = len(patterns.frequency)
    agreeing = np.bincount(pattern, weights=near, minlength=n)
    pairs = np.bincount(pattern, minlength=n).astype(np.float64)
    return Formula(np.column_stack([agreeing, pairs]), lambda sums: ratio(sums[:, 0], sums[:, 1]))


def alpha_formula(patterns: Patterns, level: Level) -> Formula:
    """Krippendorff's alpha, 1 − observed / expected disagreement over coincidences.

    Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section E; Hayes and
    Krippendorff (2007). A pair of ratings in a unit with m ratings counts 1 / (m − 1); units with a
    single rating do not count. Disagreement: 1 for unequal values (nominal); squared difference
    (interval); squared difference of mid-ranks (ordinal: (Σ_{g=c..k} n_g − (n_c + n_k)/2)², which
    is (R_k − R_c)² with the mid-rank R_c = Σ_{g<c} n_g + n_c/2).
    """
    if level == Level.NOMINAL:
        return _nominal_alpha(patterns)
    if level == Level.INTERVAL:
        return _interval_alpha(patterns)
    return _ordinal_alpha(patterns)


def _nominal_alpha(patterns: Patterns) -> Formula:
    weight, left, right, pattern = _position_pairs(patterns)
    observed = np.bincount(
        pattern, weights=2 * weight * (left != right), minlength=len(patterns.frequency)
    )

    def evaluate(sums: FloatArray) -> FloatArray:
        per_value = sums[:, 1:]
        n = per_value.sum(axis=1)
        return _alpha(sums[:, 0], n**2 - (per_value**2).sum(axis=1), n)

    return Formula(np.column_stack([observed, _pairable_counts(patterns)]), evaluate)


def distance_alpha_formula(patterns: Patterns, distances: FloatArray) -> Formula:
    """Krippendorff's alpha for any ``distances`` between values, shape (k, k), 0 on the diagonal,
    symmetric; otherwise as ``alpha_formula``."""
    weight, left, right, pattern = _position_pairs(patterns)
    observed = np.bincount(
        pattern, weights=2 * weight * distances[left, right], minlength=len(patterns.frequency)
    )

    def evaluate(sums: FloatArray) -> FloatArray:
        per_value = sums[:, 1:]
        expected = ((per_value @ distances) * per_value).sum(axis=1)
        return _alpha(sums[:, 0], expected, per_value.sum(axis=1))

    return Formula(np.column_stack([observed, _pairable_counts(patterns)]), evaluate)


def _interval_alpha(patterns: Patterns) -> Formula:
    weight, left, right, pattern = _position_pairs(patterns)
    # A shift changes no difference; around the middle of the scale the sums of squares keep their
    # digits.
    centred = (
        patterns.scale - (patterns.scale[0] + patterns.scale[-1]) / 2
        if len(patterns.scale)
        else patterns.scale
    )
    squares = 2 * weight * (centred[left] - centred[right]) ** 2
    counts = _pairable_counts(patterns)
    features = [np.bincount(pattern, weights=squares, minlength=len(counts)), counts.sum(axis=1)]
    features += [counts @ centred, counts @ centred**2]

    def evaluate(sums: FloatArray) -> FloatArray:
        observed, n, total, total_squares = sums.T
        return _alpha(observed, _spread(n, total, total_squares), n)

    return Formula(np.column_stack(features), evaluate)


def _ordinal_alpha(patterns: Patterns) -> Formula:
    import scipy.sparse as sp

    weight, left, right, pattern = _position_pairs(patterns)
    counts = _pairable_counts(patterns)
    k, n_patterns = len(patterns.scale), len(counts)
    unequal = left != right
    low, high = np.minimum(left, right)[unequal], np.maximum(left, right)[unequal]
    pairs, column = np.unique(low * max(k, 1) + high, return_inverse=True)
    low, high = np.divmod(pairs, max(k, 1))
    coincidences = sp.csr_array(
        (2 * weight[unequal], (pattern[unequal], column)),
        shape=(n_patterns, len(pairs)),
        dtype=np.float64,
    )

    def evaluate(sums: FloatArray) -> FloatArray:
        per_value, per_pair = sums[:, :k], sums[:, k:]
        n = per_value.sum(axis=1)
        # Centred mid-ranks, for the same reason as above.
        rank = np.cumsum(per_value, axis=1) - per_value / 2 - n[:, None] / 2
        observed = (per_pair * (rank[:, high] - rank[:, low]) ** 2).sum(axis=1)
        total, total_squares = (per_value * rank).sum(axis=1), (per_value * rank**2).sum(axis=1)
        return _alpha(observed, _spread(n, total, total_squares), n)

    features = sp.hstack([sp.csr_array(counts), coincidences], format="csr")
    return Formula(compact(features), evaluate)


def ac2_formula(patterns: Patterns, weights: str) -> Formula:
    """Gwet's AC2 for any number of raters with holes (AC1 with identity weights).

    Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., chapters 2–5, as in his package
    irrCAC 1.0 (``gwet.ac1.raw``): p_a is the mean over units with r ≥ 2 ratings of Σ_k r_k (r*_k −
    1) / (r (r − 1)), where r*_k = Σ_l w_kl r_l; π_k is the mean of r_k / r over all rated units;
    p_e = Σ w / (q (q − 1)) · Σ π_k (1 − π_k); AC2 = (p_a − p_e) / (1 − p_e). The q categories are
    the whole scale of ``patterns``.
    """
    matrix = weight_matrix(patterns.scale, weights)
    q = len(patterns.scale)
    counts = patterns.counts
    sizes = patterns.sizes.astype(np.float64)
    pairable = sizes >= 2
    agreeing = (counts * (counts @ matrix - 1)).sum(axis=1)
    features = np.column_stack(
        [ratio(agreeing, np.where(pairable, sizes * (sizes - 1), 1)) * pairable, pairable]
    )
    shares = counts / np.maximum(sizes, 1)[:, None]

    def evaluate(sums: FloatArray) -> FloatArray:
        if q < 2:
            return np.full(len(sums), np.nan)
        observed = ratio(sums[:, 0], sums[:, 1])
        prevalence = sums[:, 2:] / np.maximum(sums[:, 2:].sum(axis=1), 1)[:, None]
        chance = matrix.sum() / (q * (q - 1)) * (prevalence * (1 - prevalence)).sum(axis=1)
        return ratio(observed - chance, 1 - chance)

    return Formula(np.column_stack([features, shares]), evaluate)


def icc_formula(patterns: Patterns, *, of_mean: bool) -> Formula:
    """One-way intraclass correlation: ICC(1) of a single rating, or ICC(1, k) ``of_mean`` of as
    many ratings as a unit has.

    Shrout and Fleiss (1979), p. 422: (MSB - MSW) / (MSB + (k - 1) MSW), and (MSB - MSW) / MSB. Who
    rated is not asked; units with one rating do not count; for unequal numbers of ratings k is n0
    of the unbalanced one-way analysis of variance, (N - sum(n_i^2) / N) / (K - 1). Undefined where
    fewer than two units can be compared, or nothing differs.
    """
    pairable = patterns.sizes >= 2
    counts = patterns.counts * pairable[:, None]
    # A shift changes no variance; around the middle of the scale the squares keep their digits.
    middle = (patterns.scale[0] + patterns.scale[-1]) / 2 if len(patterns.scale) else 0.0
    centred = patterns.scale - middle
    sizes, totals = counts.sum(axis=1), counts @ centred
    features = np.column_stack(
        [
            pairable.astype(np.float64),
            sizes,
            sizes**2,
            totals,
            counts @ centred**2,
            totals**2 / np.maximum(sizes, 1),
        ]
    )

    def evaluate(sums: FloatArray) -> FloatArray:
        units, ratings, squared_sizes, total, squares, of_units = sums.T
        between = ratio(of_units - ratio(total**2, ratings), units - 1)
        within = ratio(squares - of_units, ratings - units)
        typical = ratio(ratings - ratio(squared_sizes, ratings), units - 1)
        rest = np.zeros_like(within) if of_mean else (typical - 1) * within
        # What is left of a difference of equal numbers is no variance.
        spread = between + rest
        return ratio(between - within, np.where(spread > _NO_SPREAD * np.abs(squares), spread, 0))

    return Formula(features, evaluate)


def weight_matrix(scale: npt.ArrayLike, weights: str) -> FloatArray:
    """Agreement weights between the values of an ascending scale, shape (k, k), 1 on the diagonal,
    from 0 to 1.

    Gwet (2014), chapter 3; names and values as in irrCAC. ``ordinal`` looks at places on the scale,
    ``linear``, ``quadratic`` and ``radical`` at the values. Raises ``ValueError`` for another name.
    """
    values = np.asarray(scale, dtype=np.float64)
    k = len(values)
    if weights not in WEIGHTS:
        raise ValueError(f"weights {weights!r}: one of {', '.join(WEIGHTS)}")
    if weights == "identity" or k < 2:
        return np.eye(k)
    if weights == "ordinal":
        steps = np.abs(np.arange(k)[:, None] - np.arange(k))
        return np.asarray(1 - steps * (steps + 1) / (k * (k - 1)))
    gaps = np.abs(values[:, None] - values) / (values[-1] - values[0])
    power = {"linear": 1.0, "quadratic": 2.0, "radical": 0.5}[weights]
    return np.asarray(1 - gaps**power)


def _alpha(observed: FloatArray, expected: FloatArray, n: FloatArray) -> FloatArray:
    """1 − (n − 1) · observed / expected, NaN where nothing can disagree."""
    return np.asarray(1 - ratio((n - 1) * observed, expected))


def _spread(n: FloatArray, total: FloatArray, total_squares: FloatArray) -> FloatArray:
    """Σ over ordered pairs of squared differences, 2 (n Σv² − (Σv)²); exactly 0 where that is
    rounding alone."""
    spread = 2 * (n * total_squares - total**2)
    return np.where(spread > 1e-12 * n * total_squares, spread, 0.0)


def _pairable_counts(patterns: Patterns) -> FloatArray:
    """Counts per value of the patterns with at least two ratings, zero in the others, shape
    (patterns, k)."""
    return patterns.counts * (patterns.sizes >= 2)[:, None]


def _position_pairs(patterns: Patterns) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Every unordered pair of ratings within a pattern: weight 1 / (m − 1), both places on the
    scale, the pattern."""
    sizes = patterns.sizes
    parts: list[tuple[FloatArray, IntArray, IntArray, IntArray]] = []
    for first, second in combinations(range(patterns.codes.shape[1]), 2):
        inside = np.flatnonzero(patterns.codes[:, second])
        weight = 1.0 / (sizes[inside] - 1)
        parts.append(
            (weight, patterns.codes[inside, first] - 1, patterns.codes[inside, second] - 1, inside)
        )
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return np.zeros(0), nothing, nothing, nothing
    weights, left, right, pattern = zip(*parts, strict=True)
    return (
        np.concatenate(weights),
        np.concatenate(left),
        np.concatenate(right),
        np.concatenate(pattern),
    )
