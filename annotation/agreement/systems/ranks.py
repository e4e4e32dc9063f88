"""The place of each system, and between which places it may be.

A place is sure as far as tests are: a system stands after those that are better than it and before
those that are worse, by tests corrected for how many there are (Mogstad, Romano, Shaikh and Wilhelm
2024, Review of Economic Studies 91; the ranges of the WMT campaigns are read in the same way).

The places themselves are those of means over the texts of all systems, in which everybody who
judged stands, strict and mild alike. Tests are over all texts that two systems share, and go by
people's own differences wherever somebody judged both (``differences``). Where two systems share
texts that a third lacks, or different people judged different systems, the two may say the
opposite: the range of a place then leaves out the place. Which of them holds the ratings do not
tell by themselves, so that no place is given; the ranges, whose errors are controlled, are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.systems.comparison import Comparison
from annotation.agreement.systems.differences import matched
from annotation.agreement.systems.figure import rounded
from annotation.agreement.systems.table import SystemRatings, counted
from annotation.agreement.systems.wording import (
    NO_RANKS_AGAINST_TESTS,
    NO_RANKS_OTHER_TEXTS,
    NO_RANKS_OTHER_TEXTS_AND_PEOPLE,
)
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Better, Wording

ALPHA = 0.05
_DIGITS = 12
_NOTHING = 1e-9


@dataclass(frozen=True)
class Rank:
    """Equal means share the mean of their places. ``mean`` is over the ``sources`` texts that all
    systems simplified; ``best`` to ``worst`` are the places that the tests leave possible. ``rank``
    is None of every system where means place any of them otherwise than the tests do."""

    system: str
    rank: float | None
    mean: float
    sources: int
    best: int
    worst: int

    def as_dict(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "rank": self.rank,
            "between": [self.best, self.worst],
            "mean_on_common_sources": rounded(self.mean),
            "sources": self.sources,
            "method": f"Holm-corrected sign-flip tests, family-wise error {ALPHA:g}",
        }


def ranks(table: SystemRatings, comparisons: Sequence[Comparison]) -> tuple[Rank, ...]:
    """The systems from the best mean; empty where neither side is better, or they have no text in
    common."""
    k = len(table.systems)
    if table.better == Better.NEITHER or any(comparison.undefined for comparison in comparisons):
        return ()
    common = _common(table)
    n, means, sign = len(common.sources), common.means, _sign(table)
    if not n or k < 2:
        return ()
    established = [*_established(comparisons, sign)]
    better, worse = Counter[str](), Counter[str]()
    for winner, loser in established:
        better[loser] += 1
        worse[winner] += 1
    places = {
        name: float((sign * means > sign * mean).sum() + ((means == mean).sum() + 1) / 2)
        for name, mean in zip(table.systems, means, strict=True)
    }
    ranked = [
        Rank(name, places[name], float(mean), n, 1 + better[name], k - worse[name])
        for name, mean in zip(table.systems, means, strict=True)
    ]
    if any(not rank.best <= places[rank.system] <= rank.worst for rank in ranked) or any(
        places[winner] >= places[loser] for winner, loser in established
    ):
        ranked = [replace(rank, rank=None) for rank in ranked]
        return tuple(sorted(ranked, key=lambda rank: (rank.best, rank.worst, rank.system)))
    return tuple(sorted(ranked, key=lambda rank: (places[rank.system], rank.system)))


def why_against_tests(table: SystemRatings, comparisons: Sequence[Comparison]) -> Wording:
    """Why means and tests say the opposite, where ``ranks`` has no place for that: over which texts
    the two are, and whose answers are in them, of those systems that they order otherwise."""
    common, sign = _common(table), _sign(table)
    means = dict(zip(table.systems, sign * common.means, strict=True))
    against = [pair for pair in _established(comparisons, sign) if means[pair[0]] <= means[pair[1]]]
    shared = {
        frozenset((comparison.first, comparison.second)): comparison.counts.sources
        for comparison in comparisons
    }
    if not any(shared[frozenset(pair)] > len(common.sources) for pair in against):
        return NO_RANKS_AGAINST_TESTS
    if any(_mixes_people(table, common, *pair) for pair in against):
        return NO_RANKS_OTHER_TEXTS_AND_PEOPLE.format(sources=len(common.sources))
    return NO_RANKS_OTHER_TEXTS.format(sources=len(common.sources))


class _Common(NamedTuple):
    """The texts of all systems (codes), with each system's mean over them."""

    sources: IntArray
    means: FloatArray


def _common(table: SystemRatings) -> _Common:
    k, s = len(table.systems), len(table.sources)
    cells, texts = table.source * k + table.system, (s, k)
    per_unit = np.bincount(table.unit)
    weights = 1 / per_unit[table.unit]
    sums = counted(cells, weights * table.scale[table.place], texts)
    outputs = counted(cells, weights, texts)
    of_all = (outputs > 0).all(axis=1)
    if not of_all.any():
        return _Common(np.flatnonzero(of_all), np.full(k, np.nan))
    means = (sums[of_all] / outputs[of_all]).mean(axis=0)
    return _Common(np.flatnonzero(of_all), np.round(means, _DIGITS))


def _mixes_people(table: SystemRatings, common: _Common, winner: str, loser: str) -> bool:
    """Whether on the very texts of the means people's own differences are others than that of the
    means."""
    first, second = table.systems.index(winner), table.systems.index(loser)
    pair = matched(table, first, second)
    inside = np.isin(pair.sources, common.sources)
    own = float(((pair.first - pair.second)[inside] @ table.scale).mean())
    return abs(own - float(common.means[first] - common.means[second])) > _NOTHING


def _sign(table: SystemRatings) -> int:
    return -1 if table.better == Better.LOWER else 1


def _established(comparisons: Sequence[Comparison], sign: int) -> Iterator[tuple[str, str]]:
    """Which system is better than which, as far as tests are sure."""
    for comparison in comparisons:
        value = comparison.difference.value
        if comparison.adjusted is None or comparison.adjusted > ALPHA or value is None:
            continue
        if sign * value > 0:
            yield comparison.first, comparison.second
        else:
            yield comparison.second, comparison.first
