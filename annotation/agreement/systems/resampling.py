"""Intervals over source texts.

Sources are drawn with replacement, each with all of its outputs (a cluster bootstrap: Davison and
Hinkley 1997, Bootstrap Methods and their Application, section 3.8). Percentile intervals are too
narrow where there are few; the expanded percentile interval takes the tails that make it, for a
mean, as wide as Student's (Hesterberg 2015, The American Statistician 69(4), section 5.3).
"""

from __future__ import annotations

from dataclasses import replace

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
HOLDING = f"{BOOTSTRAP}, as far as the value"
CENTRED = f"{BOOTSTRAP}, centred on the value"
WILSON = "Wilson, effective number by bootstrap over source texts, Student's t"
EXACT = "Clopper-Pearson over source texts"
NEWCOMBE = "Newcombe's square-and-add of both shares' intervals, correlated as over source texts"
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
    quotients: FloatArray = np.divide(
        totals, counts, out=np.full(np.shape(totals), np.nan), where=counts > _SAME
    )
    return quotients


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


def holding(value: float, interval: Interval) -> Interval:
    """The interval as far as its own value at least. A draw holds fewer different texts, and what
    is higher, or lower, of fewer may be so in next to every draw: an interval beside its value
    would tell of the draws, not of it."""
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=min(interval.low, value), high=max(interval.high, value))


def centred(value: float, drawn: FloatArray, interval: Interval) -> Interval:
    """The interval of ``value``, which lies from -1 to 1, less what its ``drawn`` values lean by,
    and as far as the value at least.

    Cliff's delta compares each text's answers with those of all texts, its own included. A text
    that is drawn twice is compared with itself four times, so that draws hold about twice the share
    of comparisons within texts. Where a text's two outputs are judged alike but for a small gap,
    these all go one way, and draws lean away from 0 by about what the value itself does (Davison
    and Hinkley 1997, section 2.2: the bootstrap's estimate of bias). Of eight or twelve such texts
    percentiles covered 90 %, and may leave out their own value; centred they cover 94 to 96 %
    (``bench.systems``, "alike but for a small gap").
    """
    if interval.low is None or interval.high is None:
        return interval
    lean = float(np.nanmean(drawn)) - value
    low, high = max(interval.low - lean, -1.0), min(interval.high - lean, 1.0)
    return replace(holding(value, replace(interval, low=low, high=high)), method=CENTRED)


def share_interval(
    share: float | None, drawn: FloatArray, *, sources: int, confidence: float = CONFIDENCE
) -> Interval:
    """As ``sources_interval``, of a share, 0-1: Wilson's (1927) of as many answers as would vary
    like the draws, with Student's t (Franco and others 2019, Journal of Survey Statistics and
    Methodology 7(3)). Percentiles of an answer that few texts get are too narrow: where 3 % of 30
    texts get it they covered 86 %, and this 96 % (``bench.systems``). A share of nobody or of
    everybody never varies among draws, and gets the exact interval of so many sources (Clopper and
    Pearson 1934).
    """
    interval = sources_interval(share, drawn, sources=sources, confidence=confidence)
    if share is None:
        return interval
    if interval.undefined is None:
        return _wilson(interval, share, float(np.nanvar(drawn)) * sources / (sources - 1), sources)
    if interval.undefined is not NO_VARIATION:
        return interval
    bound = ((1 - confidence) / 2) ** (1 / sources)
    if share < _SAME:
        return Interval(0.0, 1 - bound, confidence, 0, method=EXACT)
    if share > 1 - _SAME:
        return Interval(bound, 1.0, confidence, 0, method=EXACT)
    return interval


def _wilson(drawn: Interval, share: float, variance: float, sources: int) -> Interval:
    from scipy.special import stdtrit

    student = float(stdtrit(sources - 1, 1 - (1 - drawn.confidence) / 2))
    spread = share * (1 - share)
    # The square of Student's t over the number of answers that would vary so.
    over = student**2 * variance / spread
    middle = (share + over / 2) / (1 + over)
    half = (over * spread + over**2 / 4) ** 0.5 / (1 + over)
    return replace(drawn, low=max(middle - half, 0.0), high=min(middle + half, 1.0), method=WILSON)


def share_difference_interval(
    shares: tuple[float, float],
    drawn: tuple[FloatArray, FloatArray],
    *,
    sources: int,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Of the first share less the second, both 0-1, of the same draws, (draws,) each without NaN:
    from the limits of both by themselves, squared, added and correlated (Newcombe 1998, Statistics
    in Medicine 17, 2635-2650, method 10; for any limits Zou and Donner 2008, the same 27,
    1693-1702). Percentiles, of rare answers, covered 8 to 93 % (``bench.systems``). Where a share
    has no interval of its own, percentiles of the difference.
    """
    first, second = (
        share_interval(share, draws, sources=sources, confidence=confidence)
        for share, draws in zip(shares, drawn, strict=True)
    )
    gap = shares[0] - shares[1]
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return sources_interval(gap, drawn[0] - drawn[1], sources=sources, confidence=confidence)
    correlation = _correlation(shares, drawn, sources)
    below = _added(shares[0] - first.low, second.high - shares[1], correlation)
    above = _added(first.high - shares[0], shares[1] - second.low, correlation)
    low, high = max(gap - below, -1.0), min(gap + above, 1.0)
    return Interval(low, high, confidence, len(drawn[0]), method=NEWCOMBE)


def _correlation(
    shares: tuple[float, float], drawn: tuple[FloatArray, FloatArray], sources: int
) -> float:
    """Of both shares over draws; a positive one with Newcombe's continuity correction, half of one
    of as many answers as would vary like the draws. 0 where one never varies."""
    (first, both), (_, second) = np.cov(*drawn, bias=True)
    if min(first, second) < _SAME**2:
        return 0.0
    correlation = float(both / (first * second) ** 0.5)
    if correlation <= 0:
        return max(correlation, -1.0)
    spread = (shares[0] * (1 - shares[0]) * shares[1] * (1 - shares[1])) ** 0.5
    answers = spread / (first * second) ** 0.5 * (sources - 1) / sources
    return float(min(max(correlation - 1 / (2 * answers * spread), 0.0), 1.0))


def _added(first: float, second: float, correlation: float) -> float:
    return float(max(first**2 - 2 * correlation * first * second + second**2, 0.0) ** 0.5)
