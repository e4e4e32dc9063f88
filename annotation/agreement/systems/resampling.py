"""Intervals over source texts.

Sources are drawn with replacement, each with all of its outputs (a cluster bootstrap: Davison and
Hinkley 1997, Bootstrap Methods and their Application, section 3.8). Percentile intervals are too
narrow where there are few; the expanded percentile interval takes the tails that make it, for a
mean, as wide as Student's (Hesterberg 2015, The American Statistician 69(4), section 5.3).
"""

from __future__ import annotations

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE, UNDEFINED_SHARE, resampled_counts
from annotation.agreement.result import (
    NO_DRAWS,
    NO_VALUE_NO_INTERVAL,
    TOO_MANY_UNDEFINED,
    Interval,
)
from annotation.agreement.systems.wording import FEW_SOURCES, NO_VARIATION
from annotation.agreement.table import FloatArray

DRAWS = 2000
FEWEST_SOURCES = 8
"""No interval from fewer: `python -m bench.systems` shows what it covers from there on."""
BOOTSTRAP = "expanded percentile bootstrap over source texts"
EXACT = "Clopper-Pearson over source texts"
_SAME = 1e-9


def drawn_totals(columns: FloatArray, *, draws: int, seed: int) -> FloatArray:
    """The total of each column over the sources of each draw: (sources, columns) becomes (draws,
    columns). Equal numbers of sources, draws and seed give the same sources."""
    if not len(columns) or draws < 1:
        return np.zeros((0, columns.shape[1]))
    once = np.ones(len(columns), dtype=np.int64)
    return np.concatenate([counts @ columns for counts in resampled_counts(once, draws, seed)])


def ratios(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """``totals`` over ``counts``, NaN where nothing was counted."""
    found: FloatArray = np.divide(
        totals, counts, out=np.full(np.shape(totals), np.nan), where=counts > _SAME
    )
    return found


def tail_of(sources: int, confidence: float = CONFIDENCE) -> float:
    """The share of draws beyond each end of the expanded percentile interval."""
    from scipy.special import ndtr, stdtrit  # type: ignore[import-untyped]

    student = stdtrit(sources - 1, 1 - (1 - confidence) / 2)
    return float(ndtr(-student * (sources / (sources - 1)) ** 0.5))


def sources_interval(
    value: float | None, drawn: FloatArray, *, sources: int, confidence: float = CONFIDENCE
) -> Interval:
    """The interval of ``value`` from its ``drawn`` values (draws,), or in words why there is none:
    no value, too few sources, or nothing that varies."""
    undefined = int(np.count_nonzero(np.isnan(drawn)))
    reason = None
    if value is None:
        reason = NO_VALUE_NO_INTERVAL
    elif sources < FEWEST_SOURCES:
        reason = FEW_SOURCES.format(fewest=FEWEST_SOURCES, sources=sources)
    elif not len(drawn):
        reason = NO_DRAWS
    elif undefined > UNDEFINED_SHARE * len(drawn):
        reason = TOO_MANY_UNDEFINED.format(undefined=undefined, draws=len(drawn))
    elif np.nanmax(drawn) - np.nanmin(drawn) < _SAME:
        reason = NO_VARIATION
    if reason is not None:
        return Interval(None, None, confidence, len(drawn), undefined, reason, BOOTSTRAP)
    tail = tail_of(sources, confidence)
    low, high = np.nanquantile(drawn, [tail, 1 - tail])
    return Interval(float(low), float(high), confidence, len(drawn), undefined, None, BOOTSTRAP)


def share_interval(
    share: float | None, drawn: FloatArray, *, sources: int, confidence: float = CONFIDENCE
) -> Interval:
    """As ``sources_interval``; a share of nobody or of everybody never varies among draws, and gets
    the exact interval of so many sources instead (Clopper and Pearson 1934)."""
    found = sources_interval(share, drawn, sources=sources, confidence=confidence)
    if found.undefined is not NO_VARIATION or share is None:
        return found
    bound = ((1 - confidence) / 2) ** (1 / sources)
    if share < _SAME:
        return Interval(0.0, 1 - bound, confidence, 0, method=EXACT)
    if share > 1 - _SAME:
        return Interval(bound, 1.0, confidence, 0, method=EXACT)
    return found
