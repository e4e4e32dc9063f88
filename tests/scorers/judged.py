"""Made-up judged data: clauses whose label follows from what the simplification kept, with five
judges."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scoring.dataset import LabelledPair, TrainingSet
from tests.scorers.tiny import judged_pairs


def judged_set(
    count: int = 60, *, target: str = "legal_meaning/legal_meaning", name: str = "made-up"
) -> TrainingSet:
    pairs, scores = judged_pairs(count)
    rng = np.random.default_rng(1)
    labelled = []
    for number, (pair, score) in enumerate(zip(pairs, scores, strict=True), 1):
        ratings = {who: float(np.clip(round(score + rng.normal(0, 1)), 1, 10)) for who in "ABCDE"}
        labelled.append(
            LabelledPair(
                row=number,
                key=f"pair-{number:03}",
                original=pair.original,
                simplification=pair.simplification,
                label=float(np.mean(list(ratings.values()))),
                ratings=ratings,
                system="one" if number % 2 else "two",
                classes={"characterization": str(1 + number % 3)},
            )
        )
    return TrainingSet(name, target, "fr", 1.0, 10.0, tuple(labelled), (1.0, 6.0))


def quick_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cross-validation in one repeat of two folds, and small forests, for small trainings."""
    monkeypatch.setattr("annotation.scoring.folds.FOLDS", 2)
    monkeypatch.setattr("annotation.services.scoring.training.REPEATS", 1)
    monkeypatch.setattr("workers.scorers.lexical.TREES", 20)
    monkeypatch.setattr("workers.scorers.blend.TREES_FOR_CHOICE", 10)
