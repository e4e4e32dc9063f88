"""Folds for repeated grouped cross-validation: all outputs of one source text in one fold, the
range of labels spread over all folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotation.scoring.errors import ScoringError
from annotation.scoring.metrics import FloatArray
from annotation.scoring.splits import IntArray

FOLDS, REPEATS, MOST_REPEATS = 5, 5, 20
"""Five of each: with four fifths of the items in training a fold's scorer learns from nearly what
the served one does, and five drawings show how far the figure hangs on the drawing."""
_MOST_CLASSES = 5


@dataclass(frozen=True)
class Fold:
    """Positions of the items that are learned from, and of those held out; ascending."""

    train: IntArray
    held: IntArray


def grouped_folds(
    labels: FloatArray, groups: IntArray, seed: int, *, folds: int | None = None
) -> list[Fold]:
    """Every item held out once, as scikit-learn's ``StratifiedGroupKFold`` deals whole sources out
    with the label's fifths as classes; ``GroupKFold``, shuffled, where a fold would be empty.

    ``labels``, ``groups`` (n,). ``folds``: ``FOLDS`` by default, fewer where there are fewer
    sources. The same input and seed give the same folds. Raises ``ScoringError``
    ("too_few_sources") under two sources.
    """
    # Two seconds, for what only trainings need.
    from sklearn.model_selection import (  # type: ignore[import-untyped]
        GroupKFold,
        StratifiedGroupKFold,
    )

    sources = len(np.unique(groups))
    if sources < 2:
        raise ScoringError(
            "too_few_sources",
            f"{sources} texte source : il en faut au moins deux pour une validation croisée.",
            f"{sources} source text: cross-validation takes at least two.",
        )
    count = min(folds or FOLDS, sources)
    classes = _classes(labels, count)
    dealt = list(
        StratifiedGroupKFold(count, shuffle=True, random_state=seed).split(labels, classes, groups)
    )
    if not all(len(held) and len(train) for train, held in dealt):
        dealt = list(GroupKFold(count, shuffle=True, random_state=seed).split(labels, None, groups))
    return list(_sorted(dealt))


def _sorted(dealt: list[tuple[IntArray, IntArray]]) -> Iterator[Fold]:
    for train, held in dealt:
        yield Fold(np.sort(train).astype(np.int64), np.sort(held).astype(np.int64))


def _classes(labels: FloatArray, folds: int) -> IntArray:
    """(n,): fifths of the labels by rank of value, fewer where a class could not fill every
    fold."""
    for count in range(_MOST_CLASSES, 1, -1):
        edges = np.unique(np.quantile(labels, np.arange(1, count) / count))
        classes = np.searchsorted(edges, labels, side="right").astype(np.int64)
        if np.bincount(classes)[np.unique(classes)].min() >= folds:
            return classes
    return np.zeros(len(labels), dtype=np.int64)
