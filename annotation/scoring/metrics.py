"""How far predictions lie from human scores. An undefined number is None with the reason in words,
never 0 or NaN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.protocols.base import Wording
from annotation.scoring.errors import ScoringError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
NO_ITEMS = Wording("Aucun élément dans cette strate.", "No item in this stratum.")
TOO_FEW = Wording(
    "Moins de trois éléments : pas de corrélation.", "Fewer than three items: no correlation."
)
CONSTANT_LABELS = Wording(
    "Toutes les notes humaines sont égales : la corrélation n'est pas définie.",
    "All human scores are the same: correlation is not defined.",
)
CONSTANT_PREDICTIONS = Wording(
    "Toutes les prédictions sont égales : la corrélation n'est pas définie.",
    "All predictions are the same: correlation is not defined.",
)
CONSTANT_IN_FOLDS = Wording(
    "Dans chaque pli, toutes les prédictions sont égales : elles ne diffèrent que par ce dont "
    "chaque pli a été appris, et la corrélation n'est pas définie.",
    "Within each fold all predictions are the same: they differ only by what each fold was learned "
    "from, and correlation is not defined.",
)
FEWEST = 3


@dataclass(frozen=True)
class Metric:
    """A value in the unit of its name, or None and why."""

    value: float | None
    undefined: Wording | None = None


@dataclass(frozen=True)
class Metrics:
    """Errors are in points of the scale. ``share_above`` is the share of predictions above the
    human score (the dangerous side), ``mean_above`` by how much on average where they are."""

    items: int
    pearson: Metric
    spearman: Metric
    r2: Metric
    rmse: Metric
    mae: Metric
    share_above: Metric
    mean_above: Metric


@dataclass(frozen=True)
class CalibrationBin:
    """Items whose prediction lies in [low, high): how many, the mean prediction and the mean human
    score."""

    low: float
    high: float
    items: int
    predicted: float
    human: float


def evaluate(
    predictions: FloatArray, labels: FloatArray, *, folds: IntArray | None = None
) -> Metrics:
    """All metrics of (n,) predictions against (n,) human scores; ``folds`` (n,) where each fold's
    predictions were learned from the others. Raises ``ScoringError`` for unequal lengths or NaN."""
    from scipy import stats  # type: ignore[import-untyped]

    predictions, labels = checked(predictions, labels)
    above = predictions > labels
    return Metrics(
        items=len(labels),
        pearson=pearson(predictions, labels, folds),
        spearman=_correlation(
            predictions, labels, lambda p, y: float(stats.spearmanr(p, y).statistic), folds
        ),
        r2=r2(predictions, labels),
        rmse=_mean(predictions, labels, lambda p, y: float(np.sqrt(np.mean((p - y) ** 2)))),
        mae=_mean(predictions, labels, lambda p, y: float(np.mean(np.abs(p - y)))),
        share_above=_mean(predictions, labels, lambda p, y: float(np.mean(p > y))),
        mean_above=_mean(predictions[above], labels[above], lambda p, y: float(np.mean(p - y))),
    )


def checked(predictions: FloatArray, labels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both as float arrays of one length, all finite."""
    predictions, labels = (
        np.asarray(predictions, dtype=np.float64),
        np.asarray(labels, dtype=np.float64),
    )
    if predictions.shape != labels.shape or predictions.ndim != 1:
        raise ScoringError(
            "lengths_differ",
            f"Il y a {predictions.size} prédictions et {labels.size} notes : il en faut autant.",
            (
                f"There are {predictions.size} predictions and {labels.size} scores: there must be "
                "as many."
            ),
        )
    if not (np.all(np.isfinite(predictions)) and np.all(np.isfinite(labels))):
        raise ScoringError(
            "not_finite",
            "Une prédiction ou une note n'est pas un nombre.",
            "A prediction or a score is not a number.",
        )
    return predictions, labels


def pearson(predictions: FloatArray, labels: FloatArray, folds: IntArray | None = None) -> Metric:
    """Pearson's product-moment correlation."""
    return _correlation(predictions, labels, lambda p, y: float(np.corrcoef(p, y)[0, 1]), folds)


def rmse(predictions: FloatArray, labels: FloatArray) -> float:
    """Root of the mean squared error, in points of the scale."""
    return float(np.sqrt(np.mean((predictions - labels) ** 2)))


def r2(predictions: FloatArray, labels: FloatArray) -> Metric:
    """Coefficient of determination 1 - SS_res / SS_tot; negative where the mean of the labels
    predicts better."""
    reason = _no_correlation(predictions, labels)
    if reason and reason is not CONSTANT_PREDICTIONS:
        return Metric(None, reason)
    residual = np.sum((labels - predictions) ** 2)
    return Metric(float(1 - residual / np.sum((labels - labels.mean()) ** 2)))


def calibration(
    predictions: FloatArray, labels: FloatArray, edges: FloatArray
) -> list[CalibrationBin]:
    """Mean human score by bin of prediction; ``edges`` ascending, the last bin holds its upper
    edge; no empty bins."""
    predictions, labels = checked(predictions, labels)
    places = np.clip(np.searchsorted(edges, predictions, side="right") - 1, 0, len(edges) - 2)
    bins = []
    for place in np.unique(places):
        inside = places == place
        bins.append(
            CalibrationBin(
                float(edges[place]),
                float(edges[place + 1]),
                int(inside.sum()),
                float(predictions[inside].mean()),
                float(labels[inside].mean()),
            )
        )
    return bins


def _correlation(
    predictions: FloatArray,
    labels: FloatArray,
    formula: Callable[[FloatArray, FloatArray], float],
    folds: IntArray | None = None,
) -> Metric:
    reason = _no_correlation(predictions, labels)
    if reason is None and folds is not None and is_constant_in_folds(predictions, folds):
        reason = CONSTANT_IN_FOLDS
    return Metric(None, reason) if reason else Metric(formula(predictions, labels))


def is_constant_in_folds(predictions: FloatArray, folds: IntArray) -> bool:
    """Whether nothing that is told of an item moves its prediction. What is learned from the other
    folds, such as the mean of their labels, is lower where the fold's own labels are higher: pooled
    over folds such predictions correlate negatively with the labels, whatever these are.

    Folds of two items or more show it; a single item is the same as itself whatever moves it."""
    names, sizes = np.unique(folds, return_counts=True)
    several = names[sizes > 1]
    return bool(len(several)) and all(_is_constant(predictions[folds == name]) for name in several)


def _no_correlation(predictions: FloatArray, labels: FloatArray) -> Wording | None:
    if not len(labels):
        return NO_ITEMS
    if len(labels) < FEWEST:
        return TOO_FEW
    if _is_constant(labels):
        return CONSTANT_LABELS
    return CONSTANT_PREDICTIONS if _is_constant(predictions) else None


def _is_constant(values: FloatArray) -> bool:
    return bool(no_spread(np.ptp(values), np.max(np.abs(values))))


def no_spread(spread: npt.ArrayLike, largest: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether values are all the same. A spread of a few rounding errors would give a correlation
    of rounding errors."""
    return np.asarray(np.asarray(spread) <= 1e-12 * np.maximum(1.0, largest))


def _mean(
    predictions: FloatArray, labels: FloatArray, formula: Callable[[FloatArray, FloatArray], float]
) -> Metric:
    return Metric(formula(predictions, labels)) if len(labels) else Metric(None, NO_ITEMS)
