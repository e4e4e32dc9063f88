"""Spearman's rank correlation where each pair of values has a weight: how often a draw holds it."""

from __future__ import annotations

import numpy as np

from annotation.agreement.table import FloatArray

_NO_SPREAD = 1e-9


def weighted_spearman(values: FloatArray, others: FloatArray, weights: FloatArray) -> FloatArray:
    """The correlation in each draw, (draws,), of (n,) values that occur ``weights`` (draws, n)
    times in it; ties at their middle rank, NaN where one of both does not vary."""
    x, y = middle_ranks(values, weights), middle_ranks(others, weights)
    total = weights.sum(axis=1, keepdims=True)
    x = x - (weights * x).sum(axis=1, keepdims=True) / total
    y = y - (weights * y).sum(axis=1, keepdims=True) / total
    spread = np.sqrt((weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1))
    above = (weights * x * y).sum(axis=1)
    correlations: FloatArray = np.divide(
        above, spread, out=np.full(above.shape, np.nan), where=spread > _NO_SPREAD
    )
    return correlations


def middle_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Ranks (draws, n) of (n,) values that occur ``weights`` (draws, n) times, ties at their
    middle; from 0."""
    distinct, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(distinct)))
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    middles: FloatArray = (np.cumsum(tied, axis=1) - tied / 2)[:, place.ravel()]
    return middles
