"""The ratings that two studies gave to the same outputs, on one dimension."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement.studies.matching import Match
from annotation.agreement.systems.figure import Counts
from annotation.agreement.systems.table import counted
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level


@dataclass(frozen=True)
class Measured:
    """One study's ratings on one dimension, with how it is measured there. ``open_ended``: by a
    count, of which only those that somebody gave are answers."""

    ratings: Ratings
    level: Level
    scale: tuple[int, ...]
    open_ended: bool = False


def same_scale(dimension: Measured, other: Measured) -> bool:
    """Whether both are measured in the same way: nothing is converted."""
    return (dimension.level, tuple(dimension.scale)) == (other.level, tuple(other.scale))


@dataclass(frozen=True, eq=False)
class Side:
    """One study's ratings: codes of ``pair``, ``person`` and ``place`` on the scale, all of shape
    (ratings,)."""

    pair: IntArray
    person: IntArray
    place: IntArray


@dataclass(frozen=True, eq=False)
class Both:
    """The outputs that were rated in both: ``pairs`` of them, each with its ``source`` (pairs,), a
    code. ``people`` are all who rated, one entry each whichever of the two they rated in: who rated
    in both has one code. ``scale`` is ascending."""

    level: Level
    scale: FloatArray
    pairs: tuple[Match, ...]
    source: IntArray
    people: tuple[Hashable, ...]
    first: Side
    second: Side

    @property
    def is_scale(self) -> bool:
        """Whether the values have an order."""
        return self.level != Level.NOMINAL

    @property
    def sources(self) -> int:
        """How many original texts there are."""
        return len(np.unique(self.source))

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.first, self.second

    @property
    def counts(self) -> Counts:
        """Outputs, original texts, people, ratings."""
        people = np.union1d(self.first.person, self.second.person)
        ratings = len(self.first.pair) + len(self.second.pair)
        return Counts(len(self.pairs), self.sources, len(people), ratings)

    def shares(self, side: Side) -> FloatArray:
        """The share of each answer on each output, (pairs, values)."""
        counts = self.answers(side)
        shares: FloatArray = counts / counts.sum(axis=1, keepdims=True)
        return shares

    def answers(self, side: Side) -> FloatArray:
        """How often each answer was given to each output, (pairs, values)."""
        values = len(self.scale)
        return counted(side.pair * values + side.place, None, (len(self.pairs), values))

    def by_source(self, columns: FloatArray) -> FloatArray:
        """Sums of the rows (pairs, columns) of each source, (sources, columns)."""
        sums = np.zeros((self.sources, columns.shape[1]))
        np.add.at(sums, self.source, columns)
        return sums

    def only(self, kept: Sequence[int]) -> Both:
        """These pairs alone, by their places."""
        chosen = np.asarray(kept, dtype=np.int64)
        new = np.full(len(self.pairs), -1, dtype=np.int64)
        new[chosen] = np.arange(len(chosen))

        def side(ratings: Side) -> Side:
            inside = new[ratings.pair] >= 0
            return Side(new[ratings.pair[inside]], ratings.person[inside], ratings.place[inside])

        return Both(
            self.level,
            self.scale,
            tuple(self.pairs[place] for place in chosen.tolist()),
            np.unique(self.source[chosen], return_inverse=True)[1].astype(np.int64),
            self.people,
            side(self.first),
            side(self.second),
        )


def both(
    first: Ratings,
    second: Ratings,
    matches: Sequence[Match],
    *,
    level: Level | str,
    scale: Sequence[float],
    people: tuple[Mapping[Hashable, Hashable], Mapping[Hashable, Hashable]],
) -> Both:
    """The matches that have a rating in both. ``people``: for each study who each of its raters is;
    one id in both is one person. Raises ``ValueError`` for a rating off the scale, ``KeyError`` for
    a rater whom ``people`` do not know."""
    places = np.unique(np.asarray(scale, dtype=np.float64))
    rated = [
        {table.unit_ids[at] for at in np.unique(table.unit_index).tolist()}
        for table in (first, second)
    ]
    pairs = tuple(
        match for match in matches if match.first in rated[0] and match.second in rated[1]
    )
    sources = {source: code for code, source in enumerate(sorted({pair.source for pair in pairs}))}
    everybody = {
        person: code
        for code, person in enumerate(
            sorted({who for known in people for who in known.values()}, key=str)
        )
    }
    sides = [
        _side(table, [pair[place] for pair in pairs], known, everybody, places)
        for place, (table, known) in enumerate(zip((first, second), people, strict=True))
    ]
    return Both(
        Level(level),
        places,
        pairs,
        np.array([sources[pair.source] for pair in pairs], dtype=np.int64),
        tuple(everybody),
        *sides,
    )


def _side(
    table: Ratings,
    units: Sequence[Hashable],
    known: Mapping[Hashable, Hashable],
    everybody: Mapping[Hashable, int],
    scale: FloatArray,
) -> Side:
    number = {unit: place for place, unit in enumerate(units)}
    pair = np.array([number.get(unit, -1) for unit in table.unit_ids], dtype=np.int64)
    person = np.array([everybody[known[rater]] for rater in table.rater_ids], dtype=np.int64)
    kept = pair[table.unit_index] >= 0 if len(pair) else np.zeros(0, dtype=bool)
    values = table.values[kept]
    place = np.searchsorted(scale, values)
    off = place >= len(scale)
    if off.any() or (len(values) and (scale[place] != values).any()):
        raise ValueError("a rating is not on the scale")
    return Side(
        pair[table.unit_index[kept]],
        person[table.rater_index[kept]],
        place.astype(np.int64),
    )
