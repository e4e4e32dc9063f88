"""Ratings of one dimension by system, source text and person."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Better, Level


class Output(NamedTuple):
    """One output. ``unit`` is its id in the table of ratings, ``source`` that of its original:
    equal originals are one source. "" is no system's name, and such outputs are left out."""

    unit: Hashable
    system: str
    source: Hashable


@dataclass(frozen=True, eq=False)
class SystemRatings:
    """One entry per rating in ``unit``, ``system``, ``source``, ``rater`` and ``place`` (on the
    scale), all of shape (n_ratings,); the first four are codes, ``system`` and ``source`` point
    into the tuples of these names. ``scale`` is ascending; ``level`` and ``better`` are the
    dimension's. ``outputs``: all that bear these names, also those without a rating here."""

    level: Level
    scale: FloatArray
    systems: tuple[str, ...]
    sources: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    unit: IntArray
    system: IntArray
    source: IntArray
    rater: IntArray
    place: IntArray
    better: Better = Better.HIGHER
    outputs: tuple[Output, ...] = ()

    @property
    def is_scale(self) -> bool:
        """Whether the values have an order, so that means and differences say something."""
        return self.level != Level.NOMINAL

    def of(self, system: int) -> IntArray:
        """Where the ratings of a system stand."""
        return np.flatnonzero(self.system == system)

    def texts(self) -> list[set[Hashable]]:
        """Of each system the texts that it has outputs for, whether or not they are rated here."""
        return [
            {output.source for output in self.outputs if output.system == name}
            for name in self.systems
        ]


def system_ratings(
    ratings: Ratings,
    outputs: Sequence[Output],
    *,
    level: Level | str,
    scale: Sequence[float] | None,
    systems: Sequence[str] | None = None,
    better: Better = Better.HIGHER,
) -> SystemRatings:
    """The ratings of the outputs that bear a system's name; ``systems``: the names and their order,
    by default all that occur, sorted. Without a ``scale``, that of an open-ended count, it is the
    values that these outputs were given.

    Sources are sorted by their ids, so that no draw depends on the order of rows. Raises
    ``ValueError`` for a rating off the scale.
    """
    named = tuple(sorted({output.system for output in outputs if output.system}))
    names = tuple(systems) if systems is not None else named
    by_unit = {output.unit: output for output in outputs if output.system in names}
    sources = tuple(sorted({output.source for output in by_unit.values()}, key=str))
    system_code = {name: code for code, name in enumerate(names)}
    source_code = {source: code for code, source in enumerate(sources)}
    of_unit = [by_unit.get(unit) for unit in ratings.unit_ids]
    system = np.array(
        [-1 if output is None else system_code[output.system] for output in of_unit], np.int64
    )
    source = np.array(
        [-1 if output is None else source_code[output.source] for output in of_unit], np.int64
    )
    kept = system[ratings.unit_index] >= 0 if of_unit else np.zeros(0, dtype=bool)
    values = ratings.values[kept]
    places = np.unique(np.asarray(values if scale is None else scale, dtype=np.float64))
    place = np.searchsorted(places, values)
    off = place >= len(places)
    if len(values) and (off.any() or (places[place] != values).any()):
        raise ValueError("a rating is not on the scale")
    unit = ratings.unit_index[kept]
    return SystemRatings(
        level=Level(level),
        scale=places,
        systems=names,
        sources=sources,
        raters=ratings.rater_ids,
        unit=unit,
        system=system[unit],
        source=source[unit],
        rater=ratings.rater_index[kept],
        place=place.astype(np.int64),
        better=Better.NEITHER if level == Level.NOMINAL else better,
        outputs=tuple(by_unit.values()),
    )


def counted(codes: IntArray, weights: FloatArray | None, shape: tuple[int, ...]) -> FloatArray:
    """The weight in each cell of an array of that shape, whose cells ``codes`` number."""
    size = int(np.prod(shape))
    counts: Any = np.bincount(codes, weights=weights, minlength=size)
    return np.asarray(counts, dtype=np.float64).reshape(shape)
