"""The interval of alpha for other source texts, where units of one text go together.

A bootstrap over units takes each for itself, and is too narrow where several share a source. Here
sources are drawn, each with all of its units; a coefficient is a function of sums over units
(``formulas``), and so of sums over sources. `python -m bench.intervals --sources` shows what it
covers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from annotation.agreement.formulas import Formula
from annotation.agreement.patterns import Patterns
from annotation.agreement.result import Interval
from annotation.agreement.systems.resampling import drawn_totals, sources_interval
from annotation.agreement.table import Ratings


@dataclass(frozen=True)
class OtherSources:
    """``interval`` for other source texts, of which there are ``sources``; it says itself why it is
    missing."""

    sources: int
    interval: Interval


def other_sources(
    ratings: Ratings,
    patterns: Patterns,
    formula: Formula,
    value: float | None,
    sources: Mapping[Hashable, Hashable] | None,
    *,
    draws: int,
    seed: int,
    confidence: float,
) -> OtherSources | None:
    """The interval of ``value``, what ``formula`` gives of the patterns; ``sources``: the source of
    each unit, by default itself. None where no two units that can be compared share one."""
    if not sources:
        return None
    compared = np.flatnonzero(ratings.ratings_per_unit >= 2)
    names = [sources.get(name, name) for name in (ratings.unit_ids[unit] for unit in compared)]
    # By their names, so that no draw depends on the order of rows.
    place = {name: at for at, name in enumerate(sorted(set(names), key=str))}
    if len(place) == len(names):
        return None
    of_source = np.array([place[name] for name in names], dtype=np.int64)
    totals = formula.sums_by(patterns.of_unit[compared], of_source, len(place))
    drawn = formula.evaluate(drawn_totals(totals, draws=draws, seed=seed))
    interval = sources_interval(value, drawn, sources=len(place), confidence=confidence)
    return OtherSources(len(place), interval)
