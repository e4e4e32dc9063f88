"""Annotators two by two on the tokens of a side: what is summed over pairs of texts, and what kappa
is made of such sums.

A side's label sets are hundreds of classes, and nearly all of them are of one annotator or two.
What two expect of each other is all but the classes that both use: only those are summed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from annotation.agreement.formulas import compact, ratio
from annotation.agreement.kappa import comparison_parts
from annotation.agreement.patterns import row_keys, rows_by_unit, scale_codes
from annotation.agreement.table import FloatArray, IntArray, Ratings

if TYPE_CHECKING:
    import scipy.sparse as sp  # type: ignore[import-untyped]


@dataclass(frozen=True, eq=False)
class Couple:
    """Two annotators by their places; the places of the ``pairs`` and the number of ``units`` that
    they have in common."""

    first: int
    second: int
    pairs: IntArray
    units: int


@dataclass(frozen=True, eq=False)
class Couples:
    """``features`` shape (pairs, 2c + 2m): of each couple how many units both judged and how many
    otherwise; then, of the m classes that a couple has in common (``couple_of``, shape (m,),
    ascending), how often the first and the second gave it. All are whole numbers."""

    couples: tuple[Couple, ...]
    features: FloatArray | sp.csr_array
    couple_of: IntArray

    def sums(self) -> FloatArray:
        """Of the pairs as they are, shape (1, 2c + 2m)."""
        return np.asarray(self.features.sum(axis=0), dtype=np.float64).reshape(1, -1)

    def compared(self, sums: FloatArray) -> Compared:
        """What sums of ``features``, shape (draws, 2c + 2m), say of each couple."""
        c, m = len(self.couples), len(self.couple_of)
        sizes, observed = sums[:, :c], sums[:, c : 2 * c]
        both = sums[:, 2 * c : 2 * c + m] * sums[:, 2 * c + m :]
        alike = np.zeros(sizes.shape)
        if m:
            present, starts = np.unique(self.couple_of, return_index=True)
            alike[:, present] = np.add.reduceat(both, starts, axis=1)
        return Compared(sizes, observed, sizes**2 - alike)


@dataclass(frozen=True, eq=False)
class Compared:
    """Of each couple in each draw, shape (draws, couples): units in common, those that the two
    judged otherwise, and ``unlike``, how many of all n² combinations of what one and the other gave
    are of two classes."""

    sizes: FloatArray
    observed: FloatArray
    unlike: FloatArray

    def kappas(self) -> FloatArray:
        """Cohen's kappa of each couple, shape (draws, couples); NaN where nothing can disagree."""
        return 1 - ratio(self.sizes * self.observed, self.unlike)

    def weighted_mean(self, kappas: FloatArray) -> FloatArray:
        """Over the couples whose kappa is defined, by their units; shape (draws,)."""
        sizes = np.where(np.isnan(kappas), 0.0, self.sizes)
        return ratio(_total(sizes * np.nan_to_num(kappas)), _total(sizes))

    def davies_fleiss(self) -> FloatArray:
        """1 − observed / expected disagreement, both taken over annotators two by two with their
        own margins; couples count by the tokens that they have in common. Shape (draws,), NaN where
        nothing can disagree.

        Davies and Fleiss (1982), Measuring agreement for multinomial data, Biometrics 38(4). Of two
        annotators it is Cohen's kappa.
        """
        expected = np.nan_to_num(ratio(self.unlike, self.sizes))
        return 1 - ratio(_total(self.observed), _total(expected))


def couples_of(ratings: Ratings, group_of: IntArray, n_groups: int) -> Couples:
    """Nominal comparisons of units, summed over the ``n_groups`` pairs in which units stand
    (``group_of``, shape (units,)). Of 25 annotators on the tokens of 10,000 pairs there are 200
    million: they are made and summed in parts, never kept.
    """
    import scipy.sparse as sp

    parts = _Parts(ratings, group_of)
    keys = parts.keys()
    c, k = len(keys), parts.k
    given = np.zeros((2, c * k), dtype=bool)
    in_group = np.zeros((c, n_groups), dtype=bool)
    units = np.zeros(c, dtype=np.int64)
    for part in parts:
        pair = np.searchsorted(keys, part.key)
        for side, value in enumerate((part.left, part.right)):
            given[side, pair * k + value] = True
        in_group[pair, part.group] = True
        units += np.bincount(pair, weights=part.times, minlength=c).astype(np.int64)
    is_shared = given[0] & given[1]
    shared = np.flatnonzero(is_shared)
    place = np.cumsum(is_shared) - 1
    m = len(shared)
    summed = []
    for part in parts:
        pair = np.searchsorted(keys, part.key)
        classes = [pair * k + value for value in (part.left, part.right)]
        columns = [
            (pair, np.ones(len(pair), dtype=bool)),
            (c + pair, part.left != part.right),
            *(
                (2 * c + side * m + place[values], is_shared[values])
                for side, values in enumerate(classes)
            ),
        ]
        rows = np.concatenate([part.group[counts] for _column, counts in columns])
        added = np.concatenate([part.times[counts] for _column, counts in columns])
        column = np.concatenate([column[counts] for column, counts in columns])
        block = sp.coo_array((added, (rows, column)), shape=(n_groups, 2 * c + 2 * m))
        block.sum_duplicates()
        summed.append((block.data, *block.coords))
    if summed:
        data, rows, column = (np.concatenate(all_of) for all_of in zip(*summed, strict=True))
        features = sp.csr_array((data, (rows, column)), shape=(n_groups, 2 * c + 2 * m))
    else:
        features = sp.csr_array((n_groups, 0))
    couples = (
        Couple(first, second, np.flatnonzero(together), n_units)
        for first, second, together, n_units in zip(
            *np.divmod(keys, max(ratings.n_raters, 1)), in_group, units.tolist(), strict=True
        )
    )
    return Couples(tuple(couples), compact(features), shared // max(k, 1))


@dataclass(frozen=True, eq=False)
class _Part:
    """Comparisons of two annotators each, all of shape (comparisons,): the ``group`` in which they
    stand, who the two are (one number), what the first and the second gave, and how many
    ``times``."""

    group: IntArray
    key: IntArray
    left: IntArray
    right: IntArray
    times: FloatArray


class _Parts:
    """Every comparison of two annotators on a unit, in parts. Units of a group on which everybody
    gave the same are one that counts so many times: most words of a text are marked by nobody."""

    def __init__(self, ratings: Ratings, group_of: IntArray) -> None:
        scale = np.unique(np.asarray(ratings.observed_values, dtype=np.float64))
        codes = rows_by_unit(ratings, scale_codes(ratings, scale) + 1)
        raters = rows_by_unit(ratings, ratings.rater_index)
        self.k, self._n_raters = len(scale), max(ratings.n_raters, 1)
        alike = group_of
        for keys in (row_keys(codes, self.k + 1), row_keys(raters, self._n_raters)):
            distinct, place = np.unique(keys, return_inverse=True)
            alike = alike * max(len(distinct), 1) + place
        _, first, times = np.unique(alike, return_index=True, return_counts=True)
        self._codes, self._raters = codes[first], raters[first]
        self._group, self._times = group_of[first], times.astype(np.float64)

    def __iter__(self) -> Iterator[_Part]:
        parts = comparison_parts(self._codes, self._raters, self._n_raters)
        for unit, key, left, right in parts:
            yield _Part(self._group[unit], key, left, right, self._times[unit])

    def keys(self) -> IntArray:
        """Of every two annotators who are compared, ascending."""
        keys = [np.unique(part.key) for part in self]
        return np.unique(np.concatenate(keys)) if keys else np.zeros(0, dtype=np.int64)


def _total(columns: FloatArray) -> FloatArray:
    # In an order of their own, so that the names of annotators move no last digit.
    return np.asarray(np.sort(columns, axis=1).sum(axis=1))
