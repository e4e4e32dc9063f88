"""Annotators two by two on the tokens of a side: what is summed over pairs of texts, and what kappa
is made of such sums.

A side's label sets are hundreds of classes, and nearly all of them are of one annotator or two.
What two expect of each other is all but the classes that both use: only those are summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from annotation.agreement.formulas import compact, ratio
from annotation.agreement.kappa import Comparisons
from annotation.agreement.table import FloatArray, IntArray

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


def couples_of(comparisons: Comparisons, group_of: IntArray, n_groups: int) -> Couples:
    """Nominal comparisons of units, summed over the ``n_groups`` pairs in which units stand
    (``group_of``, shape (units,))."""
    import scipy.sparse as sp

    group = group_of[comparisons.unit]
    c, k = comparisons.n_pairs, comparisons.k
    ones = np.ones(len(group))
    columns = [
        (comparisons.pair, ones, c),
        (comparisons.pair, (comparisons.left != comparisons.right) * 1.0, c),
    ]
    sides = [comparisons.pair * k + given for given in (comparisons.left, comparisons.right)]
    is_shared = np.all([np.bincount(given, minlength=c * k) > 0 for given in sides], axis=0)
    place = np.maximum(np.cumsum(is_shared) - 1, 0)
    shared = np.flatnonzero(is_shared)
    columns += [(place[given], is_shared[given] * 1.0, len(shared)) for given in sides]
    blocks = [
        sp.csr_array((added, (group, column)), shape=(n_groups, width))
        for column, added, width in columns
        if width
    ]
    features = compact(sp.hstack(blocks, format="csr")) if blocks else np.zeros((n_groups, 0))
    in_group = np.bincount(comparisons.pair * n_groups + group, minlength=c * n_groups) > 0
    pairs = [np.flatnonzero(row) for row in in_group.reshape(c, n_groups)]
    units = np.bincount(comparisons.pair, minlength=c)
    couples = (
        Couple(raters[0], raters[1], common, n_units)
        for raters, common, n_units in zip(
            comparisons.raters.tolist(), pairs, units.tolist(), strict=True
        )
    )
    return Couples(tuple(couples), features, shared // max(k, 1))


def _total(columns: FloatArray) -> FloatArray:
    # In an order of their own, so that the names of annotators move no last digit.
    return np.asarray(np.sort(columns, axis=1).sum(axis=1))
