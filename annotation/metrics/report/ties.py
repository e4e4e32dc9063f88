"""Pairwise accuracy: of two outputs, does the metric prefer the one that people prefer?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from annotation.agreement.systems.resampling import share_interval
from annotation.metrics.report.estimate import (
    Drawn,
    Estimate,
    drawn_counts,
    numbered,
    undefined,
)
from annotation.metrics.report.people import FloatArray, IntArray
from annotation.metrics.report.scale import differences
from annotation.protocols.base import Wording

NO_TWO = Wording(
    "Aucun texte source n'a deux sorties : il n'y a rien à comparer deux à deux.",
    "No source text has two outputs: there is nothing to compare in pairs.",
)


def pairwise_accuracy(
    values: FloatArray, human: FloatArray, groups: IntArray, drawn: Drawn
) -> tuple[Estimate, float]:
    """The accuracy over every two outputs of one source, with ties (Deutsch, Foster and Freitag
    2023, "Ties Matter", equation 8, as WMT's metrics task reports it since 2023); and the largest
    difference that counts as a tie of the metric, chosen on the same outputs.

    Two outputs that people score alike are right where the metric ties them too. The interval keeps
    that difference as it is.
    """
    groups, sources = numbered(groups)
    first, second, owner = _pairs(groups)
    if not len(first):
        return undefined(NO_TWO, len(values), sources), 0.0
    apart = differences(values[first], values[second])
    wanted = np.sign(human[first] - human[second])
    epsilon = _epsilon(apart, wanted)
    right = _preferred(apart, epsilon) == wanted
    counts = drawn_counts(sources, drawn.draws, drawn.seed)
    totals = counts @ np.stack(
        [np.bincount(owner, right, sources), np.bincount(owner, minlength=sources)], axis=1
    )
    again = np.divide(
        totals[:, 0], totals[:, 1], out=np.full(len(totals), np.nan), where=totals[:, 1] > 0
    )
    value = float(right.mean())
    interval = share_interval(
        value, again, sources=len(np.unique(owner)), confidence=drawn.confidence
    )
    return Estimate(value, len(first), len(np.unique(owner)), interval), epsilon


def _pairs(groups: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Positions of both outputs of each pair, and their source."""
    triples: list[tuple[int, int, int]] = []
    order = np.argsort(groups, kind="stable")
    bounds = np.flatnonzero(np.diff(groups[order])) + 1
    for members in np.split(order, bounds):
        triples += [
            (member, other, int(groups[member])) for member, other in combinations(members, 2)
        ]
    table = np.array(triples, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _epsilon(apart: FloatArray, wanted: FloatArray) -> float:
    """The tie that gets most pairs right; the smallest where several do."""
    sizes = np.abs(apart)
    order = np.argsort(sizes, kind="stable")
    tied = wanted[order] == 0
    agrees = np.sign(apart[order]) == wanted[order]
    # With everything up to a place tied: right are the human ties so far, and what agrees after it.
    after = np.concatenate([np.cumsum(agrees[::-1])[::-1], [0]])
    before = np.concatenate([[0], np.cumsum(tied)])
    # Differences of one size are tied together.
    ordered = sizes[order]
    whole = np.concatenate([[True], np.append(ordered[1:] != ordered[:-1], True)])
    scores = np.where(whole, before + after, -1)
    best = int(np.argmax(scores))
    return float(ordered[best - 1]) if best else -1.0


def _preferred(apart: FloatArray, epsilon: float) -> FloatArray:
    return np.where(np.abs(apart) <= epsilon, 0.0, np.sign(apart))
