"""Seeded bootstrap over items: an interval for a metric, and a paired test between two scorers on
the same items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.protocols.base import Wording
from annotation.scoring.metrics import (
    FEWEST,
    FloatArray,
    IntArray,
    Metric,
    checked,
    is_constant_in_folds,
    no_spread,
    pearson,
    rmse,
)

DRAWS = 2000
CONFIDENCE = 0.95
_MOST_UNDEFINED = 0.05
UNDEFINED_DRAWS = Wording(
    "La mesure n'est pas définie dans trop de tirages : pas d'intervalle.",
    "The metric is undefined in too many draws: no interval.",
)
_Formula = Callable[[FloatArray, FloatArray], Metric]


@dataclass(frozen=True)
class Interval:
    """A percentile interval, or None twice and why. ``draws`` resamples of the items (or of their
    sources)."""

    low: float | None
    high: float | None
    confidence: float = CONFIDENCE
    draws: int = DRAWS
    seed: int = 0
    undefined: Wording | None = None

    @property
    def excludes_zero(self) -> bool:
        """Whether both ends lie on one side of zero; False where there is no interval."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True)
class Difference:
    """``value`` = candidate minus current, with its paired interval."""

    value: Metric
    interval: Interval


@dataclass(frozen=True)
class Comparison:
    """Two scorers on the same held-out items. A better candidate has ``pearson`` > 0 and ``rmse`` <
    0."""

    items: int
    pearson: Difference
    rmse: Difference


def interval(
    predictions: FloatArray,
    labels: FloatArray,
    formula: _Formula,
    *,
    groups: IntArray | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> Interval:
    """Percentile bootstrap (Efron 1979) of ``formula``; with ``groups`` whole source texts are
    drawn."""
    predictions, labels = checked(predictions, labels)
    values = [
        formula(predictions[drawn], labels[drawn]).value
        for drawn in resamples(len(labels), groups, seed, draws)
    ]
    return _percentiles(values, seed, draws)


def compare(
    candidate: FloatArray,
    current: FloatArray,
    labels: FloatArray,
    *,
    groups: IntArray | None = None,
    folds: IntArray | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> Comparison:
    """Paired bootstrap: both scorers on the same resampled items, difference of Pearson and of RMSE
    in each draw. ``folds`` (n,) where each fold's scores were learned from the others; a difference
    that is not defined has no interval."""
    candidate, labels = checked(candidate, labels)
    current, labels = checked(current, labels)

    drawn = _times_drawn(resamples(len(labels), groups, seed, draws), len(labels))
    differences = []
    for formula, of_draws in ((pearson, _pearsons), (_rmse, _rmses)):
        first, second = (formula(scores, labels, folds) for scores in (candidate, current))
        if first.value is None or second.value is None:
            value = Metric(None, first.undefined or second.undefined)
            none = Interval(None, None, draws=draws, seed=seed, undefined=value.undefined)
            differences.append(Difference(value, none))
            continue
        value = Metric(first.value - second.value)
        again = of_draws(candidate, labels, drawn) - of_draws(current, labels, drawn)
        values = [None if np.isnan(figure) else float(figure) for figure in again]
        differences.append(Difference(value, _percentiles(values, seed, draws)))
    return Comparison(len(labels), *differences)


def interval_of_repeats(
    name: str,
    predictions: FloatArray,
    labels: FloatArray,
    groups: IntArray,
    seed: int,
    *,
    folds: IntArray | None = None,
    draws: int = DRAWS,
) -> Interval:
    """Percentile interval of "pearson" or "rmse" from repeated cross-validation: each draw takes
    one of the repeats of (repeats, n) ``predictions``, and source texts with replacement. So it
    holds what other source texts and another drawing of the folds would change. ``folds`` (repeats,
    n): repeats whose predictions are constant within every fold define no correlation."""
    drawn = _times_drawn(resamples(len(labels), groups, seed, draws), len(labels))
    of_draws = {"pearson": _pearsons, "rmse": _rmses}[name]
    repeat = np.random.default_rng([seed, len(predictions)]).integers(
        0, len(predictions), size=len(drawn)
    )
    values: FloatArray = np.full(len(drawn), np.nan)
    for number, scores in enumerate(predictions):
        mine = repeat == number
        is_told = folds is None or not is_constant_in_folds(scores, folds[number])
        if mine.any() and (is_told or name != "pearson"):
            values[mine] = of_draws(scores, labels, drawn[mine])
    return _percentiles(
        [None if np.isnan(figure) else float(figure) for figure in values], seed, draws
    )


def interval_of_mean(
    values: FloatArray, groups: IntArray, seed: int, *, draws: int = DRAWS
) -> Interval:
    """Percentile interval of the mean of (n,) ``values`` by drawing source texts; undefined without
    any."""
    times = _times_drawn(resamples(len(values), groups, seed, draws), len(values))
    means = times @ values / times.sum(axis=1) if len(values) else np.zeros(0)
    return _percentiles([float(mean) for mean in means], seed, draws)


def resamples(items: int, groups: IntArray | None, seed: int, draws: int) -> list[IntArray]:
    """``draws`` arrays of positions, drawn with replacement: items, or all items of drawn
    groups."""
    if not items:
        return []
    rng = np.random.default_rng(seed)
    if groups is None:
        return list(rng.integers(0, items, size=(draws, items)))
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    chosen = rng.integers(0, len(members), size=(draws, len(members)))
    return [np.concatenate([members[group] for group in row]) for row in chosen]


def _times_drawn(drawn: list[IntArray], items: int) -> FloatArray:
    """(draws, items): how often each draw holds each item. A mean over the items of a draw is then
    one product of matrices for all draws, a hundred times as fast as one after another."""
    times = [np.bincount(positions, minlength=items) for positions in drawn]
    return np.array(times, dtype=float).reshape(len(drawn), items)


def _pearsons(predictions: FloatArray, labels: FloatArray, times: FloatArray) -> FloatArray:
    """(draws,): ``pearson`` in each; NaN where it is not defined."""
    total = times.sum(axis=1)
    defined = (total >= FEWEST) & _varies(predictions, times) & _varies(labels, times)
    shares = times[defined] / total[defined, None]
    # From near the means of the draws, so that nothing small is the difference of two large.
    p, y = predictions - predictions.mean(), labels - labels.mean()
    mean_p, mean_y = shares @ p, shares @ y
    variances = (shares @ p**2 - mean_p**2) * (shares @ y**2 - mean_y**2)
    correlations = np.full(len(times), np.nan)
    correlations[defined] = (shares @ (p * y) - mean_p * mean_y) / np.sqrt(variances)
    return correlations


def _rmses(predictions: FloatArray, labels: FloatArray, times: FloatArray) -> FloatArray:
    """(draws,): ``rmse`` in each."""
    squares: FloatArray = times @ (predictions - labels) ** 2 / times.sum(axis=1)
    return np.sqrt(squares)


def _varies(values: FloatArray, times: FloatArray) -> npt.NDArray[np.bool_]:
    """(draws,): whether the values that were drawn are not all the same."""
    drawn = times > 0
    low = np.where(drawn, values, np.inf).min(axis=1, initial=np.inf)
    high = np.where(drawn, values, -np.inf).max(axis=1, initial=-np.inf)
    return ~no_spread(high - low, np.maximum(abs(low), abs(high)))


def _rmse(predictions: FloatArray, labels: FloatArray, _folds: IntArray | None) -> Metric:
    return Metric(rmse(predictions, labels))


def _percentiles(values: list[float | None], seed: int, draws: int) -> Interval:
    defined = [value for value in values if value is not None]
    if not defined or len(values) - len(defined) > _MOST_UNDEFINED * len(values):
        return Interval(None, None, draws=draws, seed=seed, undefined=UNDEFINED_DRAWS)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return Interval(float(low), float(high), draws=draws, seed=seed)
