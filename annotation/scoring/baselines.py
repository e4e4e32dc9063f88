"""Baselines for the evaluation table: what a scorer must beat. Each predicts from training labels
and one signal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from annotation.protocols.base import Wording
from annotation.scoring.metrics import FloatArray
from annotation.scoring.similarity import bleu, chrf, rouge_l, word_overlap
from annotation.scoring.strata import looks_truncated

TextPair = tuple[str, str]
SIGNALS: Mapping[str, Callable[[str, str], float]] = {
    "truncation": lambda _, simplification: float(looks_truncated(simplification)),
    "bleu": bleu,
    "chrf": chrf,
    "rouge_l": rouge_l,
    "word_overlap": word_overlap,
}
BASELINE_WORDING: dict[str, Wording] = {
    "mean": Wording("Moyenne des notes d'entraînement", "Mean of the training scores"),
    "truncation": Wording("Seul indice : texte coupé", "Truncation flag alone"),
    "bleu": Wording("BLEU", "BLEU"),
    "chrf": Wording("chrF", "chrF"),
    "rouge_l": Wording("ROUGE-L", "ROUGE-L"),
    "word_overlap": Wording("Mots de l'original conservés", "Words of the original kept"),
}


def signals(pairs: Sequence[TextPair]) -> dict[str, FloatArray]:
    """One (n,) array per signal of ``SIGNALS``; computed once, used for every seed."""
    return {
        name: np.array(
            [signal(original, simplification) for original, simplification in pairs],
            dtype=np.float64,
        )
        for name, signal in SIGNALS.items()
    }


def baseline_predictions(
    train_signals: Mapping[str, FloatArray],
    train_labels: FloatArray,
    test_signals: Mapping[str, FloatArray],
    *,
    lowest: float,
    highest: float,
) -> dict[str, FloatArray]:
    """Predictions in points of the scale: the mean, and a least-squares line from each signal to
    the labels. Cut to the scale's ends, as every scorer's score is: a line through signals that
    hardly differ runs hundreds of points past them, and whatever is held against it looks good."""
    items = len(next(iter(test_signals.values())))
    mean = float(np.mean(train_labels))
    predictions = {"mean": np.full(items, mean)}
    for name, values in train_signals.items():
        variance = float(np.var(values))
        slope = (
            float(np.mean((values - values.mean()) * (train_labels - mean))) / variance
            if variance > 1e-12
            else 0.0
        )
        line = mean + slope * (np.asarray(test_signals[name]) - values.mean())
        predictions[name] = np.clip(line, lowest, highest)
    return predictions
