"""Pearson, Spearman and Kendall with intervals over source texts.

Each draw gives every output the weight of its source, so that nothing is copied: Pearson is a
matter of six sums for each source, Spearman of weighted middle ranks, Kendall (tau-b) of three
matrices of sources by sources.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE
from annotation.agreement.result import Interval
from annotation.agreement.spearman import weighted_spearman
from annotation.agreement.systems.resampling import BOOTSTRAP, sources_interval
from annotation.metrics.report.estimate import (
    CONSTANT_SCORES,
    CONSTANT_VALUES,
    FEWEST,
    TOO_FEW,
    Drawn,
    Estimate,
    by_source,
    drawn_counts,
    numbered,
    undefined,
)
from annotation.metrics.report.people import FloatArray, IntArray
from annotation.metrics.report.scale import centred, ranks, unit
from annotation.protocols.base import Wording

MOST_FOR_KENDALL = 2000
TOO_MANY = Wording(
    f"Plus de {MOST_FOR_KENDALL} sorties : pas d'intervalle pour Kendall.",
    f"More than {MOST_FOR_KENDALL} outputs: no interval for Kendall.",
)
_BLOCK_CELLS = 2_000_000
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Correlation:
    """An estimate with its value in every draw, to be compared with another's on the same
    draws."""

    estimate: Estimate
    again: FloatArray


def correlations(
    values: FloatArray, human: FloatArray, groups: IntArray, drawn: Drawn
) -> dict[str, Correlation]:
    """All three by their names, from (n,) values that are all defined."""
    return {
        "pearson": pearson(values, human, groups, drawn),
        "spearman": spearman(values, human, groups, drawn),
        "kendall": kendall(values, human, groups, drawn),
    }


def pearson(values: FloatArray, human: FloatArray, groups: IntArray, drawn: Drawn) -> Correlation:
    """Pearson's product-moment correlation."""
    reason = why_not(values, human)
    values, human = unit(values), unit(human)

    def again(counts: FloatArray, groups: IntArray) -> FloatArray:
        x, y = centred(values), centred(human)
        columns = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)
        return from_sums(counts @ by_source(columns, groups, counts.shape[1]))

    return _correlation(
        groups, drawn, reason, lambda: float(np.corrcoef(values, human)[0, 1]), again
    )


def spearman(values: FloatArray, human: FloatArray, groups: IntArray, drawn: Drawn) -> Correlation:
    """Spearman's rank correlation, ties at their middle rank."""
    reason = why_not(values, human)
    values, human = ranks(values), ranks(human)

    def again(counts: FloatArray, groups: IntArray) -> FloatArray:
        size = max(1, _BLOCK_CELLS // len(values))
        blocks = [counts[start : start + size] for start in range(0, len(counts), size)]
        return np.concatenate(
            [np.zeros(0), *(weighted_spearman(values, human, block[:, groups]) for block in blocks)]
        )

    return _correlation(groups, drawn, reason, lambda: _scipy("spearmanr", values, human), again)


def kendall(values: FloatArray, human: FloatArray, groups: IntArray, drawn: Drawn) -> Correlation:
    """Kendall's tau-b; of more than ``MOST_FOR_KENDALL`` outputs without interval."""
    reason = why_not(values, human)
    values, human = ranks(values), ranks(human)

    def again(counts: FloatArray, groups: IntArray) -> FloatArray:
        x, y = np.sign(np.subtract.outer(values, values)), np.sign(np.subtract.outer(human, human))
        sources = counts.shape[1]
        sums = [
            _quadratic(_square(matrix, groups, sources), counts)
            for matrix in (x * y, np.abs(x), np.abs(y))
        ]
        return _ratio(sums[0], np.sqrt(sums[1] * sums[2]))

    correlation = _correlation(
        groups,
        drawn if len(values) <= MOST_FOR_KENDALL else Drawn(0, drawn.seed, drawn.confidence),
        reason,
        lambda: _scipy("kendalltau", values, human),
        again,
    )
    if len(values) <= MOST_FOR_KENDALL or correlation.estimate.value is None:
        return correlation
    none = Interval(None, None, CONFIDENCE, 0, undefined=TOO_MANY, method=BOOTSTRAP)
    estimate = correlation.estimate
    return Correlation(
        Estimate(estimate.value, estimate.n, estimate.sources, none), correlation.again
    )


def why_not(values: FloatArray, human: FloatArray) -> Wording | None:
    """Why there is no correlation of these; None where there is one."""
    if len(values) < FEWEST:
        return TOO_FEW
    if _is_constant(human):
        return CONSTANT_SCORES
    return CONSTANT_VALUES if _is_constant(values) else None


def _correlation(
    groups: IntArray,
    drawn: Drawn,
    reason: Wording | None,
    formula: Callable[[], float],
    again: Callable[[FloatArray, IntArray], FloatArray],
) -> Correlation:
    outputs = len(groups)
    groups, sources = numbered(groups)
    if reason is not None:
        return Correlation(undefined(reason, outputs, sources), np.zeros(0))
    value = formula()
    redrawn = (
        again(drawn_counts(sources, drawn.draws, drawn.seed), groups)
        if drawn.draws
        else np.zeros(0)
    )
    interval = sources_interval(value, redrawn, sources=sources, confidence=drawn.confidence)
    return Correlation(Estimate(value, outputs, sources, interval), redrawn)


def _scipy(name: str, values: FloatArray, human: FloatArray) -> float:
    # Pages import this module, and the library costs a second.
    from scipy import stats  # type: ignore[import-untyped]

    return float(getattr(stats, name)(values, human).statistic)


def _is_constant(values: FloatArray) -> bool:
    """Beside their size: a metric's values may all be smaller than any number that is given."""
    whole = unit(values)
    return bool(np.ptp(whole) <= _SAME * float(np.max(np.abs(whole))))


def from_sums(sums: FloatArray) -> FloatArray:
    """Correlations (draws,) from weights, Σx, Σy, Σx², Σy², Σxy (draws, 6)."""
    weight, x, y, xx, yy, xy = sums.T
    covariance = weight * xy - x * y
    spread = np.clip(weight * xx - x * x, 0, None) * np.clip(weight * yy - y * y, 0, None)
    return _ratio(covariance, np.sqrt(spread))


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    ratios: FloatArray = np.divide(
        above, below, out=np.full(np.shape(above), np.nan), where=below > 1e-9
    )
    return ratios


def _square(matrix: FloatArray, groups: IntArray, sources: int) -> FloatArray:
    """Sums of an (n, n) matrix over every two sources."""
    rows = by_source(matrix, groups, sources)
    return by_source(rows.T.copy(), groups, sources)


def _quadratic(matrix: FloatArray, counts: FloatArray) -> FloatArray:
    forms: FloatArray = ((counts @ matrix) * counts).sum(axis=1)
    return forms
