"""The table of ratings that every figure of agreement is computed from.

Ids are put in order and ratings are kept sorted by (unit, rater), so that no figure can depend on
the order in which rows were read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Column = TypeVar("Column", FloatArray, IntArray)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who gave which unit which value on one dimension. Made by ``from_long``, ``from_matrix`` or
    ``rating_tables``.

    ``unit_index``, ``rater_index`` and ``values`` are read-only arrays of shape (n_ratings,),
    sorted by (unit, rater); the indices point into ``unit_ids`` and ``rater_ids``. A unit or rater
    without any rating keeps its place.
    """

    unit_ids: tuple[Hashable, ...]
    rater_ids: tuple[Hashable, ...]
    unit_index: IntArray
    rater_index: IntArray
    values: FloatArray

    @classmethod
    def from_long(
        cls, units: Iterable[Hashable], raters: Iterable[Hashable], values: Iterable[Any]
    ) -> Ratings:
        """The table of three columns of equal length; a value that is None or NaN is a hole.

        Raises ``ValueError`` where lengths differ, a (unit, rater) occurs twice (named), or a value
        is not finite.
        """
        return rating_tables(units, raters, {"value": values})["value"]

    @classmethod
    def from_matrix(
        cls,
        matrix: npt.ArrayLike,
        unit_ids: Sequence[Hashable] | None = None,
        rater_ids: Sequence[Hashable] | None = None,
    ) -> Ratings:
        """The table of a matrix of shape (units, raters) in which NaN is a hole; ids are 0, 1, …
        where not given.

        Raises ``ValueError`` where the matrix is not of that shape, an id occurs twice, or a value
        is infinite.
        """
        cells = np.array(matrix, dtype=np.float64)
        if cells.ndim != 2:
            raise ValueError(f"a matrix of units × raters has two dimensions, not {cells.ndim}")
        units = list(range(cells.shape[0])) if unit_ids is None else list(unit_ids)
        raters = list(range(cells.shape[1])) if rater_ids is None else list(rater_ids)
        if (len(units), len(raters)) != cells.shape:
            raise ValueError(
                f"{len(units)} unit ids and {len(raters)} rater ids for a matrix of shape "
                f"{cells.shape}"
            )
        for name, ids in (("unit", units), ("rater", raters)):
            if len(set(ids)) != len(ids):
                raise ValueError(f"a {name} id occurs twice")
        sorted_units, unit_codes = _sorted_ids(units)
        sorted_raters, rater_codes = _sorted_ids(raters)
        row, column = np.indices(cells.shape)
        return _assemble(
            sorted_units,
            sorted_raters,
            unit_codes[row.ravel()],
            rater_codes[column.ravel()],
            cells.ravel(),
        )

    @property
    def n_units(self) -> int:
        """How many units the table knows, rated or not."""
        return len(self.unit_ids)

    @property
    def n_raters(self) -> int:
        """How many raters the table knows, active or not."""
        return len(self.rater_ids)

    @property
    def n_ratings(self) -> int:
        """How many ratings there are."""
        return len(self.values)

    @cached_property
    def ratings_per_unit(self) -> IntArray:
        """Number of ratings of each unit, shape (n_units,)."""
        return np.bincount(self.unit_index, minlength=self.n_units).astype(np.int64)

    @cached_property
    def ratings_per_rater(self) -> IntArray:
        """Number of ratings of each rater, shape (n_raters,)."""
        return np.bincount(self.rater_index, minlength=self.n_raters).astype(np.int64)

    @property
    def n_rated(self) -> int:
        """How many units have a rating."""
        return int(np.count_nonzero(self.ratings_per_unit))

    @property
    def n_active(self) -> int:
        """How many raters gave a rating."""
        return int(np.count_nonzero(self.ratings_per_rater))

    @property
    def n_pairable(self) -> int:
        """How many units have at least two ratings."""
        return int(np.count_nonzero(self.ratings_per_unit >= 2))

    @cached_property
    def observed_values(self) -> tuple[float, ...]:
        """The distinct values that occur, ascending."""
        return tuple(np.unique(self.values).tolist())

    @cached_property
    def matrix(self) -> FloatArray:
        """The ratings as a read-only matrix of shape (n_units, n_raters) with NaN holes."""
        cells = np.full((self.n_units, self.n_raters), np.nan)
        cells[self.unit_index, self.rater_index] = self.values
        cells.flags.writeable = False
        return cells

    def without_rater(self, rater: Hashable) -> Ratings:
        """The table without that rater; every unit keeps its place. Raises ``KeyError`` for an
        unknown rater."""
        if rater not in self.rater_ids:
            raise KeyError(rater)
        left_out = self.rater_ids.index(rater)
        kept = self.rater_index != left_out
        index = self.rater_index[kept]
        return _frozen(
            self.unit_ids,
            tuple(known for known in self.rater_ids if known != rater),
            self.unit_index[kept],
            index - (index > left_out),
            self.values[kept],
        )

    def only_units(self, units: Iterable[Hashable]) -> Ratings:
        """The table of those units alone; every rater keeps its place. Raises ``KeyError`` for an
        unknown unit."""
        wanted = set(units)
        unknown = wanted - set(self.unit_ids)
        if unknown:
            raise KeyError(min(unknown, key=str))
        inside = np.array([unit in wanted for unit in self.unit_ids], dtype=bool)
        kept = inside[self.unit_index]
        new_index = np.cumsum(inside, dtype=np.int64) - 1
        return _frozen(
            tuple(unit for unit in self.unit_ids if unit in wanted),
            self.rater_ids,
            new_index[self.unit_index[kept]],
            self.rater_index[kept],
            self.values[kept],
        )


def rating_tables(
    units: Iterable[Hashable], raters: Iterable[Hashable], values: Mapping[str, Iterable[Any]]
) -> dict[str, Ratings]:
    """One table per dimension of a long table with several value columns; all know the same units
    and raters.

    ``units``, ``raters`` and each column of ``values`` have one entry per row; None or NaN is a
    hole. Raises ``ValueError`` where lengths differ, a (unit, rater) has two values (named), or a
    value is no finite number.
    """
    sorted_units, unit_codes = _sorted_ids(units)
    sorted_raters, rater_codes = _sorted_ids(raters)
    tables: dict[str, Ratings] = {}
    whole: tuple[Ratings, IntArray] | None = None
    for name, column in values.items():
        numbers = _numbers(column)
        is_whole = len(numbers) == len(unit_codes) and bool(np.isfinite(numbers).all())
        if whole is not None and is_whole:
            # Who rated what is kept once: of the words of many texts it is most of a table.
            first, order = whole
            tables[name] = replace(first, values=_read_only(numbers[order]))
            continue
        tables[name] = _assemble(sorted_units, sorted_raters, unit_codes, rater_codes, numbers)
        if is_whole:
            whole = tables[name], _order(unit_codes, rater_codes, len(sorted_raters))
    return tables


def _order(unit_codes: IntArray, rater_codes: IntArray, n_raters: int) -> IntArray:
    """Of rows by unit and rater."""
    return np.argsort(unit_codes * max(n_raters, 1) + rater_codes, kind="stable")


def _numbers(column: Iterable[Any]) -> FloatArray:
    import pandas as pd

    if not isinstance(column, np.ndarray | pd.Series):
        column = list(column)
    return np.asarray(column, dtype=np.float64)


def _sorted_ids(ids: Iterable[Hashable]) -> tuple[tuple[Hashable, ...], IntArray]:
    """The distinct ids in order (numbers by value, texts by code point, apart by type), and each
    row's place in it."""
    import pandas as pd

    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
        numbers, place = np.unique(ids, return_inverse=True)
        return tuple(numbers.tolist()), place.astype(np.int64)
    listed = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    codes, distinct = pd.factorize(column, use_na_sentinel=False)
    unique: list[Any] = list(distinct)
    order = sorted(
        range(len(unique)), key=lambda place: (type(unique[place]).__name__, unique[place])
    )
    rank = np.empty(len(unique), dtype=np.int64)
    rank[order] = np.arange(len(unique))
    return tuple(unique[place] for place in order), rank[codes]


def _assemble(
    unit_ids: tuple[Hashable, ...],
    rater_ids: tuple[Hashable, ...],
    unit_codes: IntArray,
    rater_codes: IntArray,
    values: FloatArray,
) -> Ratings:
    if not len(unit_codes) == len(rater_codes) == len(values):
        raise ValueError(
            f"{len(unit_codes)} units, {len(rater_codes)} raters, {len(values)} values: "
            "lengths differ"
        )
    kept = ~np.isnan(values)
    order = _order(unit_codes[kept], rater_codes[kept], len(rater_ids))
    cell = (unit_codes[kept] * max(len(rater_ids), 1) + rater_codes[kept])[order]
    sorted_values = values[kept][order]
    if not np.isfinite(sorted_values).all():
        raise ValueError("a rating is infinite")
    twice = np.flatnonzero(cell[1:] == cell[:-1])
    if len(twice):
        unit, rater = divmod(int(cell[twice[0]]), len(rater_ids))
        raise ValueError(f"unit {unit_ids[unit]!r} is rated twice by rater {rater_ids[rater]!r}")
    unit_index, rater_index = np.divmod(cell, max(len(rater_ids), 1))
    return _frozen(unit_ids, rater_ids, unit_index, rater_index, sorted_values)


def _frozen(
    unit_ids: tuple[Hashable, ...],
    rater_ids: tuple[Hashable, ...],
    unit_index: IntArray,
    rater_index: IntArray,
    values: FloatArray,
) -> Ratings:
    return Ratings(
        unit_ids, rater_ids, _read_only(unit_index), _read_only(rater_index), _read_only(values)
    )


def _read_only(column: Column) -> Column:
    column.flags.writeable = False
    return column
