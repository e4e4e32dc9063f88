"""Whether two studies that measure on different scales put the outputs in the same order.

No point of one scale is a point of another, but the order of the outputs' means is: Spearman's
(1904) correlation of the means of two dimensions, over the outputs that have both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.agreement.bootstrap import resampled_counts
from annotation.agreement.spearman import weighted_spearman
from annotation.agreement.studies.matching import Match
from annotation.agreement.studies.table import Measured, same_scale
from annotation.agreement.studies.wording import FEW_FOR_ORDER, NO_ORDER
from annotation.agreement.systems.figure import Counts, Drawn, Figure, figure, undefined
from annotation.agreement.systems.resampling import sources_interval
from annotation.agreement.table import FloatArray, Ratings
from annotation.protocols.base import Level

FEWEST = 3
_BLOCK_CELLS = 2_000_000
_SAME = 1e-9


@dataclass(frozen=True)
class Order:
    """A dimension of each study and how far both order the outputs alike."""

    first: str
    second: str
    spearman: Figure

    def as_dict(self) -> dict[str, Any]:
        return {"first": self.first, "second": self.second, "spearman": self.spearman.as_dict()}


def orders(
    first: Mapping[str, Measured],
    second: Mapping[str, Measured],
    matches: Sequence[Match],
    drawn: Drawn,
) -> tuple[Order, ...]:
    """Of every two dimensions with an order that the other study does not have on the same scale;
    sources are drawn with their outputs, the same for all."""
    alone = [
        [name for name, dimension in own.items() if _is_alone(dimension, other.get(name))]
        for own, other in ((first, second), (second, first))
    ]
    return tuple(
        Order(name, other, _spearman(first[name], second[other], matches, drawn))
        for name in alone[0]
        for other in alone[1]
    )


def _is_alone(dimension: Measured, other: Measured | None) -> bool:
    return dimension.level != Level.NOMINAL and (other is None or not same_scale(dimension, other))


def _spearman(
    dimension: Measured, other: Measured, matches: Sequence[Match], drawn: Drawn
) -> Figure:
    means = _means(dimension.ratings), _means(other.ratings)
    both = [match for match in matches if match.first in means[0] and match.second in means[1]]
    x = np.array([means[0][match.first] for match in both])
    y = np.array([means[1][match.second] for match in both])
    texts, text = np.unique([match.source for match in both], return_inverse=True)
    counts = Counts(len(both), len(texts), *_people(dimension, other, both))
    if len(both) < FEWEST:
        return undefined(FEW_FOR_ORDER.format(fewest=FEWEST, outputs=len(both)), counts)
    if np.ptp(x) < _SAME or np.ptp(y) < _SAME:
        return undefined(NO_ORDER, counts)
    value = float(weighted_spearman(x, y, np.ones((1, len(both))))[0])
    draws = [
        weighted_spearman(x, y, block[:, text])
        for weights in (_drawn_counts(len(texts), drawn) if drawn.draws else ())
        for block in np.array_split(weights, 1 + weights.shape[0] * len(both) // _BLOCK_CELLS)
    ]
    interval = sources_interval(
        value,
        np.concatenate([np.zeros(0), *draws]),
        sources=len(texts),
        confidence=drawn.confidence,
    )
    return figure("spearman", value, interval, counts, drawn)


def _drawn_counts(texts: int, drawn: Drawn) -> list[FloatArray]:
    return list(resampled_counts(np.ones(texts, dtype=np.int64), drawn.draws, drawn.seed))


def _means(table: Ratings) -> dict[Any, float]:
    """The mean rating of each output that has one."""
    number = len(table.unit_ids)
    times = np.bincount(table.unit_index, minlength=number)
    sums = np.bincount(table.unit_index, weights=table.values, minlength=number)
    rated = np.flatnonzero(times)
    return {table.unit_ids[at]: float(sums[at] / times[at]) for at in rated.tolist()}


def _people(dimension: Measured, other: Measured, both: Sequence[Match]) -> tuple[int, int]:
    """How many people of either study rated these outputs, one of both studies counted twice, and
    how many ratings there are."""
    people = ratings = 0
    for table, units in (
        (dimension.ratings, {match.first for match in both}),
        (other.ratings, {match.second for match in both}),
    ):
        inside = np.array([unit in units for unit in table.unit_ids], dtype=bool)
        kept = inside[table.unit_index] if len(inside) else np.zeros(0, dtype=bool)
        people += len(np.unique(table.rater_index[kept]))
        ratings += int(kept.sum())
    return people, ratings
