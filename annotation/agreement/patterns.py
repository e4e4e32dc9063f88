"""Units collapsed into the few distinct vectors of value counts that occur among them.

Percent agreement, Krippendorff's alpha and Gwet's AC2 do not ask who gave a value, only how often
each value was given to a unit. Units with the same multiset of values are therefore
interchangeable, and 50,000 units rated three times on a ten-point scale are at most 220 distinct
patterns. Patterns are in order of their content, so that whatever is computed from them is the
same, to the last bit, in whatever order units and raters were read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.agreement.table import FloatArray, IntArray, Ratings

_KEY_LIMIT = 2**62


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct multisets of values and how many units have each.

    ``scale`` shape (k,), ascending. ``codes`` shape (patterns, most ratings of a unit): 1 + place
    on the scale, descending within a row, 0 where there is no further rating. ``frequency`` shape
    (patterns,). ``of_unit`` shape (n_units,): the pattern of each unit, −1 for a unit without
    ratings.
    """

    scale: FloatArray
    codes: IntArray
    frequency: IntArray
    of_unit: IntArray

    @cached_property
    def sizes(self) -> IntArray:
        """Number of ratings in each pattern, shape (patterns,)."""
        return np.asarray(np.count_nonzero(self.codes, axis=1), dtype=np.int64)

    @cached_property
    def counts(self) -> FloatArray:
        """How often each value occurs in each pattern, shape (patterns, k)."""
        table = np.zeros((len(self.codes), len(self.scale) + 1))
        for column in self.codes.T:
            table[np.arange(len(column)), column] += 1
        return table[:, 1:]


def unit_patterns(ratings: Ratings, scale: Sequence[float] | None = None) -> Patterns:
    """The patterns of a table on ``scale`` (all values that could be given; by default those that
    were).

    Raises ``ValueError`` where a rating is not on the scale.
    """
    allowed = np.unique(
        np.asarray(ratings.observed_values if scale is None else scale, dtype=np.float64)
    )
    codes = scale_codes(ratings, allowed) + 1
    rows = -np.sort(-rows_by_unit(ratings, codes), axis=1)
    rated = ratings.ratings_per_unit > 0
    keys = row_keys(rows[rated], len(allowed) + 1)
    _, first, inverse, frequency = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    of_unit = np.full(ratings.n_units, -1, dtype=np.int64)
    of_unit[rated] = inverse
    return Patterns(allowed, rows[rated][first], frequency.astype(np.int64), of_unit)


def scale_codes(ratings: Ratings, scale: FloatArray) -> IntArray:
    """The place on the ascending ``scale`` of each rating, shape (n_ratings,). Raises
    ``ValueError`` off the scale."""
    place = np.searchsorted(scale, ratings.values)
    inside = place < len(scale)
    if not inside.all() or not np.array_equal(scale[place], ratings.values):
        wrong = sorted(set(ratings.observed_values) - set(scale.tolist()))
        raise ValueError(f"values that are not on the scale: {wrong[:5]}")
    return place.astype(np.int64)


def rows_by_unit(ratings: Ratings, column: IntArray) -> IntArray:
    """A column sorted by unit, laid out as one row per unit, shape (n_units, most ratings of a
    unit), 0 where short."""
    per_unit = ratings.ratings_per_unit
    width = int(per_unit.max(initial=0))
    starts = np.cumsum(per_unit) - per_unit
    rows = np.zeros((ratings.n_units, width), dtype=np.int64)
    rows[ratings.unit_index, np.arange(len(column)) - starts[ratings.unit_index]] = column
    return rows


def row_keys(rows: IntArray, base: int) -> IntArray:
    """One integer per row that orders rows as their content does, shape (rows,); entries are 0 …
    base − 1."""
    keys = np.zeros(len(rows), dtype=np.int64)
    bound = 1
    for column in rows.T:
        if bound * base >= _KEY_LIMIT:
            distinct, keys = np.unique(keys, return_inverse=True)
            bound = len(distinct)
        keys = keys * base + column
        bound *= base
    return keys
