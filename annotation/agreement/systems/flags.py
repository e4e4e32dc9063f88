"""Outputs that a machine flags (cut off, left as they were): how many each system has, how much of
the differences between outputs the flag explains, and the systems without them."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import Counts, Drawn, Figure, figure, undefined
from annotation.agreement.systems.resampling import (
    HOLDING,
    drawn_totals,
    holding,
    sources_interval,
)
from annotation.agreement.systems.table import SystemRatings, counted
from annotation.agreement.systems.wording import FEW_FLAGGED, NO_MEAN, NO_VARIANCE
from annotation.agreement.table import FloatArray

FEWEST = 5
"""Outputs with the flag, and without."""
MUCH = 0.10
"""A share of the variance from which the page says so by itself; Cohen (1988) calls 0.14 large,
0.06 medium."""


@dataclass(frozen=True)
class FlagFigures:
    """One flag on one dimension. ``explained`` is eta squared: the share of the variance of the
    outputs' means that lies between flagged and others. ``flagged`` and ``others`` are means;
    ``by_system`` how many outputs of each are flagged, of how many."""

    flag: str
    explained: Figure
    flagged: float | None
    others: float | None
    by_system: tuple[tuple[str, int, int], ...]

    @property
    def explains_much(self) -> bool:
        return self.explained.value is not None and self.explained.value >= MUCH

    def as_dict(self) -> dict[str, Any]:
        return {
            "flag": self.flag,
            "variance_explained": self.explained.as_dict(),
            "mean_flagged": self.flagged,
            "mean_others": self.others,
            "systems": [
                {"system": name, "flagged": number, "outputs": of}
                for name, number, of in self.by_system
            ],
        }


def flag_figures(
    table: SystemRatings,
    unit_ids: tuple[Hashable, ...],
    flagged: Collection[Hashable],
    flag: str,
    drawn: Drawn,
) -> FlagFigures:
    """The figures of one flag; ``unit_ids`` name the units of ``table``, ``flagged`` are those that
    bear it."""
    units, first = np.unique(table.unit, return_index=True)
    is_flagged = np.array([unit_ids[unit] in flagged for unit in units.tolist()], dtype=bool)
    system, source = table.system[first], table.source[first]
    by_system = tuple(
        (name, int((is_flagged & (system == code)).sum()), int((system == code).sum()))
        for code, name in enumerate(table.systems)
    )
    counts = Counts(
        len(units), len(np.unique(source)), len(np.unique(table.rater)), len(table.unit)
    )
    few = min(int(is_flagged.sum()), int((~is_flagged).sum())) < FEWEST
    if not table.is_scale or few:
        reason = FEW_FLAGGED.format(fewest=FEWEST) if table.is_scale else NO_MEAN
        return FlagFigures(flag, undefined(reason, counts), None, None, by_system)
    place = np.searchsorted(units, table.unit)
    values = table.scale[table.place]
    means = counted(place, values, (len(units),)) / counted(place, None, (len(units),))
    moments = np.column_stack(
        [
            column * inside
            for inside in (is_flagged.astype(float), (~is_flagged).astype(float))
            for column in (np.ones(len(units)), means, means**2)
        ]
    )
    value = float(_eta_squared(moments.sum(axis=0)[None])[0])
    groups = (float(means[is_flagged].mean()), float(means[~is_flagged].mean()))
    if np.isnan(value):
        return FlagFigures(flag, undefined(NO_VARIANCE, counts), *groups, by_system)
    interval = _interval(value, moments, source, len(table.sources), counts, drawn)
    explained = figure("eta_squared", value, interval, counts, drawn, flag=flag)
    return FlagFigures(flag, explained, *groups, by_system)


def _interval(
    value: float, moments: FloatArray, source: Any, sources: int, counts: Counts, drawn: Drawn
) -> Interval:
    """Eta squared is never below 0, whatever chance does to both means, and so comes out above its
    value in next to every draw where the flag explains next to nothing."""
    by_source = np.column_stack([counted(source, column, (sources,)) for column in moments.T])
    draws = _eta_squared(drawn_totals(by_source, draws=drawn.draws, seed=drawn.seed))
    interval = sources_interval(value, draws, sources=counts.sources, confidence=drawn.confidence)
    return replace(holding(value, interval), method=HOLDING)


def _eta_squared(moments: FloatArray) -> FloatArray:
    """Of (count, sum, sum of squares) of the flagged and of the others, (…, 6); NaN where nothing
    varies or a group is empty."""
    n, sums, squares = moments[:, [0, 3]], moments[:, [1, 4]], moments[:, [2, 5]]
    total = n.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        grand = sums.sum(axis=1) ** 2 / total
        between = (sums**2 / n).sum(axis=1) - grand
        whole = squares.sum(axis=1) - grand
        shares: FloatArray = np.where(whole > 1e-9, between / whole, np.nan)
    return shares
