"""Each system by itself: its mean, and the share of each answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.systems.crossed import crossed_interval
from annotation.agreement.systems.figure import (
    Counts,
    Drawn,
    Figure,
    counts_of,
    figure,
    undefined,
)
from annotation.agreement.systems.resampling import (
    drawn_totals,
    ratios,
    share_interval,
    sources_interval,
)
from annotation.agreement.systems.severity import adjusted_means
from annotation.agreement.systems.table import SystemRatings, counted
from annotation.agreement.systems.wording import NO_MEAN, NO_RATING_OF_SYSTEM
from annotation.agreement.table import FloatArray, IntArray


@dataclass(frozen=True)
class Profile:
    """One system. Each output counts the same, however many people judged it. ``mean`` is undefined
    in words for classes, and so is ``elsewhere``, the mean again with the interval for other people
    too; ``adjusted`` is the mean with everybody's severity taken out (see ``severity``). ``shares``
    are in the order of the scale and add up to 1."""

    system: str
    counts: Counts
    mean: Figure
    elsewhere: Figure
    adjusted: Figure
    shares: tuple[Figure, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "mean": self.mean.as_dict(),
            "mean_with_other_annotators": self.elsewhere.as_dict(),
            "severity_adjusted_mean": self.adjusted.as_dict(),
            "shares": [share.as_dict() for share in self.shares],
        }


def profiles(table: SystemRatings, drawn: Drawn) -> tuple[Profile, ...]:
    """The profile of each system, in their order. Sources are drawn once for all of them."""
    k, v, s = len(table.systems), len(table.scale), len(table.sources)
    if not k:
        return ()
    per_unit = np.bincount(table.unit)
    cells = (table.source * k + table.system) * v + table.place
    # Every output weighs 1, and so each of its n ratings 1/n.
    sums = counted(cells, 1 / per_unit[table.unit], (s, k * v))
    totals = drawn_totals(sums, draws=drawn.draws, seed=drawn.seed)
    totals = totals.reshape(len(totals), k, v)
    shares = ratios(totals, np.broadcast_to(totals.sum(axis=2, keepdims=True), totals.shape))
    by_system, adjusted = sums.reshape(s, k, v), adjusted_means(table, drawn)
    return tuple(
        _profile(table, code, by_system[:, code], shares[:, code], adjusted[code], drawn)
        for code in range(k)
    )


def _profile(
    table: SystemRatings,
    code: int,
    sums: FloatArray,
    draws: FloatArray,
    adjusted: Figure,
    drawn: Drawn,
) -> Profile:
    at, name = table.of(code), table.systems[code]
    counts = counts_of(table.unit[at], table.source[at], table.rater[at])
    if not counts.outputs:
        nothing = undefined(NO_RATING_OF_SYSTEM, counts)
        return Profile(name, counts, nothing, nothing, nothing, (nothing,) * len(table.scale))
    points = sums.sum(axis=0) / sums.sum()
    texts, confidence = counts.sources, drawn.confidence
    shares = tuple(
        figure(
            "share",
            point,
            share_interval(point, draws[:, place], sources=texts, confidence=confidence),
            counts,
            drawn,
            system=name,
            answer=float(table.scale[place]),
        )
        for place, point in enumerate(points.tolist())
    )
    if not table.is_scale:
        nothing = undefined(NO_MEAN, counts)
        return Profile(name, counts, nothing, nothing, nothing, shares)
    value = float(points @ table.scale)
    interval = sources_interval(value, draws @ table.scale, sources=texts, confidence=confidence)
    mean = figure("mean", value, interval, counts, drawn, system=name)
    elsewhere = _elsewhere(table, at, mean, drawn)
    return Profile(name, counts, mean, elsewhere, adjusted, shares)


def _elsewhere(table: SystemRatings, at: IntArray, mean: Figure, drawn: Drawn) -> Figure:
    """The mean with the interval for other texts and other people."""
    value, counts = mean.value or 0.0, mean.counts
    numbers = table.source[at] * len(table.raters) + table.rater[at]
    cells, cell = np.unique(numbers, return_inverse=True)
    per_unit = np.bincount(table.unit[at])
    own = 1 / (per_unit[table.unit[at]] * counts.outputs)
    weights = counted(cell, own, (len(cells),))
    means = counted(cell, own * table.scale[table.place[at]], (len(cells),)) / weights
    interval = crossed_interval(
        value,
        means - value,
        weights,
        source=cells // len(table.raters),
        person=cells % len(table.raters),
        here=mean.interval,
        confidence=drawn.confidence,
    )
    return figure(
        "mean",
        value,
        interval,
        counts,
        replace(drawn, draws=0),
        system=table.systems[int(table.system[at[0]])],
        interval_over="sources,annotators",
    )
