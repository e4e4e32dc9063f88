"""The interval of alpha for other source texts, all units of one going together; where no two share
one, for other units.

A bootstrap over units takes each for itself, and is too narrow where several share a source. Here
sources are drawn, each with all of its units; a coefficient is a function of sums over units
(``formulas``), and so of sums over sources. Of few sources percentiles miss the truth above them,
as alpha itself comes out too low: the interval is then as wide as Student's around the jackknife's
estimate too (Efron and Tibshirani 1993, chapters 10 and 11). `python -m bench.intervals --sources`
shows what it covers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from annotation.agreement.formulas import Formula
from annotation.agreement.patterns import Patterns
from annotation.agreement.result import Interval
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.resampling import BOOTSTRAP, drawn_totals, sources_interval
from annotation.agreement.systems.wording import FEW_SOURCES
from annotation.agreement.table import FloatArray, IntArray, Ratings

FEWEST_SOURCES = 12
JACKKNIFED_UP_TO = 500
"""With more sources percentiles alone keep their promise."""
WIDENED = f"{BOOTSTRAP}, and jackknife (Student's t)"


@dataclass(frozen=True)
class OtherSources:
    """``interval`` for other source texts, of which there are ``sources``; it says itself why it is
    missing. ``shared``: some of them have more than one unit. ``error``: the standard error, NaN
    where there is no interval."""

    sources: int
    interval: Interval
    shared: bool
    error: float = float("nan")


def other_sources(
    ratings: Ratings,
    patterns: Patterns,
    formula: Formula,
    value: float | None,
    sources: Mapping[Hashable, Hashable] | None,
    *,
    drawn: Drawn,
    values: FloatArray,
) -> OtherSources:
    """The interval of ``value``, what ``formula`` gives of the patterns; ``sources``: the source of
    each unit, by default itself. ``values``: its own in draws of units, which serve where no two
    share a source."""
    compared = np.flatnonzero(ratings.ratings_per_unit >= 2)
    known = sources or {}
    units = (ratings.unit_ids[unit] for unit in compared.tolist())
    names = [known.get(name, name) for name in units]
    different = set(names)
    number = len(different)
    shared = number < len(names)
    totals, times = _of_patterns(patterns, formula)
    if shared:
        # By their names, so that no draw depends on the order of rows.
        place = {name: at for at, name in enumerate(sorted(different, key=str))}
        of_source = np.array([place[name] for name in names], dtype=np.int64)
        totals = formula.sums_by(patterns.of_unit[compared], of_source, number)
        times = np.ones(number, dtype=np.int64)
        values = formula.evaluate(drawn_totals(totals, draws=drawn.draws, seed=drawn.seed))
    interval = sources_interval(value, values, sources=number, confidence=drawn.confidence)
    if value is not None and number < FEWEST_SOURCES:
        few = FEW_SOURCES.format(fewest=FEWEST_SOURCES, sources=number)
        interval = replace(interval, low=None, high=None, undefined=few)
    if value is None or interval.low is None:
        return OtherSources(number, interval, shared)
    if number <= JACKKNIFED_UP_TO:
        left = formula.evaluate((times[:, None] * totals).sum(axis=0) - totals)
        if not np.isnan(left).any():
            return _widened(interval, value, left, times, shared)
    error = float(np.nanstd(values)) * (number / (number - 1)) ** 0.5
    return OtherSources(number, interval, shared, error)


def _of_patterns(patterns: Patterns, formula: Formula) -> tuple[FloatArray, IntArray]:
    """What a unit of each pattern that can be compared adds to the sums, and how many have it."""
    kept = np.flatnonzero(patterns.sizes >= 2)
    once = np.arange(len(kept), dtype=np.int64)
    return formula.sums_by(kept, once, len(kept)), patterns.frequency[kept]


def _widened(
    interval: Interval, value: float, left: FloatArray, times: IntArray, shared: bool
) -> OtherSources:
    """With Student's interval around the jackknife's estimate inside; ``left``: the value without
    one of each kind of source, of which there are so many ``times``."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    number = int(times.sum())
    mean = float(times @ left) / number
    error = ((number - 1) / number * float(times @ (left - mean) ** 2)) ** 0.5
    half = float(stdtrit(number - 1, 1 - (1 - interval.confidence) / 2)) * error
    middle = number * value - (number - 1) * mean
    low, high = interval.low or 0.0, interval.high or 0.0
    ends = max(min(low, middle - half), -1.0), min(max(high, middle + half), 1.0)
    wider = replace(interval, low=ends[0], high=ends[1], method=WIDENED)
    return OtherSources(number, wider, shared, error)
