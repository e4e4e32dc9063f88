"""Cohen's kappa for every pair of raters, and its mean weighted by the size of the pair.

Cohen (1960), and Cohen (1968) for weights; averaged over pairs of raters as in JADES (Hayakawa et
al. 2022, section 3.2). Unlike alpha, kappa compares two named raters, so it looks at who gave which
value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from annotation.agreement.formulas import ratio, weight_matrix
from annotation.agreement.patterns import rows_by_unit, scale_codes
from annotation.agreement.result import (
    NO_COMMON_ITEM,
    NO_PAIR_DEFINED,
    ONE_VALUE,
    Coefficient,
    coefficient,
)
from annotation.agreement.table import FloatArray, IntArray, Ratings

_DENSE_CELLS = 4_000_000


@dataclass(frozen=True)
class RaterPair:
    """Two raters: their common ``items``, the share (0–1) of equal values among them, and their
    kappa."""

    first: Hashable
    second: Hashable
    items: int
    agreement: float | None
    kappa: Coefficient


@dataclass(frozen=True)
class KappaPairs:
    """``pairs`` that have an item in common, in order of rater ids, and the ``average`` weighted by
    their size.

    ``left_out`` counts the pairs whose kappa is undefined; they do not enter the average.
    """

    pairs: tuple[RaterPair, ...]
    average: Coefficient
    left_out: int

    def between(self, first: Hashable, second: Hashable) -> RaterPair:
        """What is known of two raters, in either order; undefined in words where they have no item
        in common."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        return RaterPair(first, second, 0, None, Coefficient(None, NO_COMMON_ITEM))


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Every unit that two raters have in common, once per pair of raters.

    ``unit``, ``pair``, ``left``, ``right`` shape (comparisons,): the unit, the place in ``raters``,
    and the places on the scale of both values. ``raters`` shape (pairs, 2); ``scale`` shape (k,);
    ``disagreement`` shape (k, k), 0 on the diagonal.
    """

    unit: IntArray
    pair: IntArray
    left: IntArray
    right: IntArray
    raters: IntArray
    scale: FloatArray
    disagreement: FloatArray

    @property
    def n_pairs(self) -> int:
        return len(self.raters)

    @property
    def k(self) -> int:
        return len(self.disagreement)

    def weighted(self, weights: str) -> Comparisons:
        """The same comparisons under other weights. Raises ``ValueError`` for an unknown name."""
        return replace(self, disagreement=1 - weight_matrix(self.scale, weights))

    def of_given_values(self) -> Comparisons:
        """The same comparisons over the values that somebody gave: of the 101 of a slider most are
        in none, and kappa has no term for those. Weights stay those of the whole scale."""
        given = np.flatnonzero(
            np.bincount(np.concatenate((self.left, self.right)), minlength=self.k)
        )
        place = np.zeros(self.k, dtype=np.int64)
        place[given] = np.arange(len(given))
        return replace(
            self,
            left=place[self.left],
            right=place[self.right],
            scale=self.scale[given],
            disagreement=self.disagreement[np.ix_(given, given)],
        )

    def columns(self) -> list[tuple[IntArray, FloatArray, int]]:
        """Four groups of sums: column of each comparison, what it adds, number of columns of the
        group."""
        once = np.ones(len(self.unit))
        by_value = self.n_pairs * self.k
        return [
            (self.pair, once, self.n_pairs),
            (self.pair, self.disagreement[self.left, self.right], self.n_pairs),
            (self.pair * self.k + self.left, once, by_value),
            (self.pair * self.k + self.right, once, by_value),
        ]

    @cached_property
    def sums(self) -> FloatArray:
        """The groups side by side for the units as they are, shape (1, 2·pairs·(1 + k))."""
        parts = [
            np.bincount(column, weights=added, minlength=width)
            for column, added, width in self.columns()
        ]
        return np.concatenate(parts, dtype=np.float64)[None, :]

    def split(self, sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Sizes and disagreements (draws, pairs), and both marginals (draws, pairs, k)."""
        p = self.n_pairs
        left, right = np.split(sums[:, 2 * p :].reshape(len(sums), 2 * p, self.k), 2, axis=1)
        return sums[:, :p], sums[:, p : 2 * p], left, right

    def kappas(self, sums: FloatArray) -> FloatArray:
        """Kappa of each pair in each draw, 1 − n Σv / Σ_ij a_i v_ij b_j, shape (draws, pairs); NaN
        where undefined."""
        sizes, observed, left, right = self.split(sums)
        return 1 - ratio(sizes * observed, ((left @ self.disagreement) * right).sum(axis=2))

    def averages(self, sums: FloatArray, kappas: FloatArray) -> FloatArray:
        """Mean of the defined ones of the ``kappas`` of these sums, weighted by pair size, shape
        (draws,); NaN where none is defined."""
        sizes = np.where(np.isnan(kappas), 0.0, sums[:, : self.n_pairs])
        return ratio((sizes * np.nan_to_num(kappas)).sum(axis=1), sizes.sum(axis=1))


def comparisons(
    ratings: Ratings, weights: str = "identity", scale: Sequence[float] | None = None
) -> Comparisons:
    """Every comparison of two raters on a same unit. Raises ``ValueError`` for unknown weights or
    off ``scale``."""
    allowed = np.unique(
        np.asarray(ratings.observed_values if scale is None else scale, dtype=np.float64)
    )
    codes = rows_by_unit(ratings, scale_codes(ratings, allowed) + 1)
    raters = rows_by_unit(ratings, ratings.rater_index)
    nothing = np.zeros(0, dtype=np.int64)
    parts = [
        (nothing, nothing, nothing, nothing),
        *comparison_parts(codes, raters, ratings.n_raters),
    ]
    unit, key, left, right = (np.concatenate(column) for column in zip(*parts, strict=True))
    keys, pair = _distinct(key, ratings.n_raters**2)
    named = np.column_stack(np.divmod(keys, max(ratings.n_raters, 1)))
    return Comparisons(unit, pair, left, right, named, allowed, 1 - weight_matrix(allowed, weights))


def comparison_parts(
    codes: IntArray, raters: IntArray, n_raters: int
) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray]]:
    """Every comparison of two raters on a same unit, in parts: the unit, who the two are (``first ·
    n_raters + second``), and the places on the scale of both values.

    ``codes`` and ``raters`` as ``rows_by_unit`` lays them out, codes from 1 on.
    """
    for s, t in combinations(range(codes.shape[1]), 2):
        unit = np.flatnonzero(codes[:, t])
        key = raters[unit, s] * n_raters + raters[unit, t]
        yield unit, key, codes[unit, s] - 1, codes[unit, t] - 1


def kappa_pairs(ratings: Ratings, compared: Comparisons) -> KappaPairs:
    """Kappa of every pair of raters on the units that both judged, and the mean weighted by the
    number of those; from the comparisons that were made of the same table. What is undefined says
    why in words."""
    sums = compared.sums
    kappas = compared.kappas(sums)
    sizes, values = sums[0, : compared.n_pairs], kappas[0]
    equal = np.bincount(
        compared.pair, weights=compared.left == compared.right, minlength=compared.n_pairs
    )
    pairs = tuple(
        RaterPair(
            ratings.rater_ids[first],
            ratings.rater_ids[second],
            int(size),
            float(same / size),
            _pair_coefficient(float(value), int(size)),
        )
        for (first, second), size, same, value in zip(
            compared.raters.tolist(), sizes, equal, values, strict=True
        )
    )
    average = coefficient(ratings, float(compared.averages(sums, kappas)[0]), NO_PAIR_DEFINED)
    return KappaPairs(pairs, average, int(np.isnan(values).sum()))


def _pair_coefficient(value: float, items: int) -> Coefficient:
    if np.isnan(value):
        return Coefficient(None, ONE_VALUE, items, 2, 2 * items)
    return Coefficient(value, None, items, 2, 2 * items)


def _distinct(keys: IntArray, limit: int) -> tuple[IntArray, IntArray]:
    """The distinct keys (0 … limit − 1), ascending, and each key's place among them; counted rather
    than sorted."""
    if limit > _DENSE_CELLS:
        distinct, place = np.unique(keys, return_inverse=True)
        return distinct, place.astype(np.int64)
    distinct = np.flatnonzero(np.bincount(keys, minlength=limit))
    lookup = np.zeros(max(limit, 1), dtype=np.int64)
    lookup[distinct] = np.arange(len(distinct))
    return distinct, lookup[keys]
