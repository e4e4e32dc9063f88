"""Metrics against metrics: which of them say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement.spearman import middle_ranks
from annotation.agreement.systems.resampling import sources_interval
from annotation.metrics.report.correlations import (
    CONSTANT_SCORES,
    CONSTANT_VALUES,
    spearman,
    why_not,
)
from annotation.metrics.report.estimate import (
    Drawn,
    Estimate,
    drawn_counts,
    numbered,
    undefined,
)
from annotation.metrics.report.people import Candidate, FloatArray, People

MOST = 20
"""Metrics of a table: two by two they are 190 already, and more is no picture."""
_BLOCK_CELLS = 2_000_000


def between(
    lines: Sequence[Candidate], agreement: Mapping[str, float | None], people: People, drawn: Drawn
) -> dict[str, Any]:
    """Spearman of every two of the lines that agree most with people, whichever way: ``names`` in
    the order of the lines, ``pairs`` with an estimate each. ``agreement``: Pearson with people by
    name. Higher is better on both sides; every interval draws the same originals."""
    known = [line for line in lines if agreement[line.name] is not None]
    known.sort(key=lambda line: -abs(agreement[line.name] or 0.0))
    chosen = [line for line in lines if line in known[:MOST]]
    whole = _whole([line for line in chosen if line.present.all()], people, drawn)
    pairs = []
    for first, second in combinations(chosen, 2):
        correlation = whole.get((first.name, second.name)) or _of_two(first, second, people, drawn)
        pairs.append(
            {"first": first.name, "second": second.name, "spearman": correlation.as_dict()}
        )
    return {"names": [line.name for line in chosen], "pairs": pairs}


def _of_two(first: Candidate, second: Candidate, people: People, drawn: Drawn) -> Estimate:
    """On the outputs that both have."""
    both = first.present & second.present
    values, other, groups = first.turned[both], second.turned[both], people.groups[both]
    if why_not(values, other) == CONSTANT_SCORES:  # both are metrics here
        return undefined(CONSTANT_VALUES, len(values), numbered(groups)[1])
    return spearman(values, other, groups, drawn).estimate


def _whole(
    lines: Sequence[Candidate], people: People, drawn: Drawn
) -> dict[tuple[str, str], Estimate]:
    """Of lines that have every output: each is ranked once in every draw, whatever the number of
    pairs."""
    if not lines:
        return {}
    table = np.stack([line.turned for line in lines])
    groups, sources = numbered(people.groups)
    value = _correlations(table, np.ones((1, table.shape[1])))[0]
    counts = drawn_counts(sources, drawn.draws, drawn.seed)
    size = max(1, _BLOCK_CELLS // table.size)
    parts = [
        _correlations(table, counts[start : start + size][:, groups])
        for start in range(0, len(counts), size)
    ]
    again = np.concatenate([np.zeros((0, *value.shape)), *parts])
    estimates = {}
    for (row, line), (column, other) in combinations(enumerate(lines), 2):
        r = float(value[row, column])
        interval = sources_interval(
            r, again[:, row, column], sources=sources, confidence=drawn.confidence
        )
        estimates[line.name, other.name] = Estimate(r, table.shape[1], sources, interval)
    return estimates


def _correlations(table: FloatArray, weights: FloatArray) -> FloatArray:
    """Spearman (draws, k, k) of k metrics (k, n) with weighted outputs (draws, n)."""
    ranks = np.stack([middle_ranks(values, weights) for values in table], axis=1)
    total = weights.sum(axis=1)[:, None, None]
    ranks = ranks - (ranks * weights[:, None, :]).sum(axis=2, keepdims=True) / total
    covariance = (ranks * weights[:, None, :]) @ ranks.transpose(0, 2, 1)
    spread = np.sqrt(np.einsum("dkk->dk", covariance))
    below = spread[:, :, None] * spread[:, None, :]
    correlations: FloatArray = np.divide(
        covariance, below, out=np.full(below.shape, np.nan), where=below > 1e-9
    )
    return correlations
