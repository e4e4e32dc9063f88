"""The place of each system, and between which places it may be.

A place is sure as far as tests are: a system stands after those that are better than it and before
those that are worse, by tests corrected for how many there are (Mogstad, Romano, Shaikh and Wilhelm
2024, Review of Economic Studies 91; the ranges of the WMT campaigns are read in the same way).

The places themselves are those of means over the texts of all systems, in which everybody who
judged stands, strict and mild alike. Tests go by people's own differences wherever somebody judged
both systems (``differences``). Where different people judged different systems, the two may say the
opposite: the range of a place then leaves out the place. Which of them holds the ratings do not
tell by themselves, so that no place is given; the ranges, whose errors are controlled, are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.systems.comparison import Comparison
from annotation.agreement.systems.figure import rounded
from annotation.agreement.systems.table import SystemRatings, counted
from annotation.protocols.base import Better

ALPHA = 0.05


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
    k, s = len(table.systems), len(table.sources)
    if table.better == Better.NEITHER or any(comparison.undefined for comparison in comparisons):
        return ()
    cells, texts = table.source * k + table.system, (s, k)
    per_unit = np.bincount(table.unit)
    weights = 1 / per_unit[table.unit]
    sums = counted(cells, weights * table.scale[table.place], texts)
    outputs = counted(cells, weights, texts)
    common = (outputs > 0).all(axis=1)
    if not common.any() or k < 2:
        return ()
    means = np.round((sums[common] / outputs[common]).mean(axis=0), 12)
    sign = -1 if table.better == Better.LOWER else 1
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
        Rank(name, places[name], float(mean), int(common.sum()), 1 + better[name], k - worse[name])
        for name, mean in zip(table.systems, means, strict=True)
    ]
    if any(not rank.best <= places[rank.system] <= rank.worst for rank in ranked) or any(
        places[winner] >= places[loser] for winner, loser in established
    ):
        ranked = [replace(rank, rank=None) for rank in ranked]
        return tuple(sorted(ranked, key=lambda rank: (rank.best, rank.worst, rank.system)))
    return tuple(sorted(ranked, key=lambda rank: (places[rank.system], rank.system)))


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
