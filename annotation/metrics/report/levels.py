"""Beside single outputs: whole systems, control pairs, and people against people."""

from __future__ import annotations

import numpy as np

from annotation.agreement.systems.resampling import holding, sources_interval
from annotation.metrics.metric import Direction, Kind
from annotation.metrics.report.correlations import from_sums, why_not
from annotation.metrics.report.estimate import (
    NO_SCALE,
    Drawn,
    Estimate,
    by_source,
    drawn_counts,
    numbered,
    root_estimate,
    share_estimate,
    undefined,
)
from annotation.metrics.report.people import Candidate, FloatArray, IntArray, People
from annotation.metrics.report.scale import centred, exponent
from annotation.protocols.base import Wording
from annotation.scoring.ceiling import ceiling

FEW_SYSTEMS = Wording(
    "Moins de trois systèmes : pas de corrélation entre systèmes.",
    "Fewer than three systems: no correlation between systems.",
)
SAME_MEANS = Wording(
    "Les moyennes des systèmes ne diffèrent pas, ou pas assez auprès de valeurs de cette taille : "
    "la corrélation n'est pas définie.",
    "The systems' means do not differ, or too little beside values of this size: correlation is "
    "not defined.",
)
NO_CONTROLS = Wording("Aucune paire de contrôle n'a de valeur.", "No control pair has a value.")
NOT_ASKED = Wording(
    "Aucune paire de contrôle n'est soumise à un juge automatique : chaque réponse se paie.",
    "No control pair is put to a machine judge: each answer is paid for.",
)
_SAME = 1e-9
"""Of the human scale's width: what bringing a metric onto it may leave."""
_NOISE = 1e-12
"""What summing may leave of the difference of two means, beside values with a spread of 1. Rounding
the means instead would part some that it has just told apart: these are no decimal numbers."""
_BOUNDS = {
    "identical_strict": 0.99,
    "identical_lenient": 0.95,
    "unrelated_strict": 0.01,
    "unrelated_lenient": 0.05,
}


def of_systems(candidate: Candidate, people: People, drawn: Drawn) -> dict[str, Estimate]:
    """``system_pearson``: correlation of the systems' means; ``system_accuracy``: share of pairs of
    systems that both put in one order (Kocmi et al. 2021), equal means of both being one order.
    ``n`` counts systems, then pairs."""
    kept = candidate.present & np.array([bool(output.system) for output in people.outputs])
    names = np.array([output.system for output in people.outputs])[kept]
    distinct, place = np.unique(names, return_inverse=True)
    groups, sources = numbered(people.groups[kept])
    if len(distinct) < 3:
        none = undefined(FEW_SYSTEMS, len(distinct), sources)
        return {"system_pearson": none, "system_accuracy": none}
    inside = place.ravel()[:, None] == np.arange(len(distinct))
    own = candidate.turned[kept], people.turned[kept]
    single = centred(own[0]), centred(own[1])
    columns = [inside * values[:, None] for values in single]
    sums = by_source(np.concatenate([*columns, inside], axis=1), groups, sources)
    values, human = _system_means(sums.sum(axis=0, keepdims=True), len(distinct))
    again, scores = _system_means(
        drawn_counts(sources, drawn.draws, drawn.seed) @ sums, len(distinct)
    )
    correlation = _pearson(values, human)
    reason = why_not(*own) or (None if np.isfinite(correlation[0]) else SAME_MEANS)
    return {
        "system_pearson": undefined(reason, len(distinct), sources)
        if reason
        else _estimate(correlation, _pearson(again, scores), len(distinct), sources),
        "system_accuracy": _accuracy(values, human, again, scores, sources),
    }


def _system_means(totals: FloatArray, systems: int) -> tuple[FloatArray, FloatArray]:
    """Means (draws, systems) of the metric and of people; NaN for a system that was not drawn."""
    count = totals[:, 2 * systems :]
    means = [
        np.divide(part, count, out=np.full(count.shape, np.nan), where=count > 0)
        for part in (totals[:, :systems], totals[:, systems : 2 * systems])
    ]
    return means[0], means[1]


def _pearson(values: FloatArray, human: FloatArray) -> FloatArray:
    """Correlations (draws,) of the systems' means; NaN where either are the same, or some system
    was not drawn."""
    x, y = _apart(values), _apart(human)
    correlations: FloatArray = (x * y).sum(axis=1) / np.sqrt(
        (x * x).sum(axis=1) * (y * y).sum(axis=1)
    )
    return correlations


def _apart(means: FloatArray) -> FloatArray:
    """How far each mean is from their mean, the farthest at 1."""
    apart = means - means.mean(axis=1, keepdims=True)
    farthest = np.abs(apart).max(axis=1, keepdims=True)
    brought: FloatArray = np.divide(
        apart, farthest, out=np.full(apart.shape, np.nan), where=farthest > _NOISE
    )
    return brought


def _accuracy(
    values: FloatArray, human: FloatArray, again: FloatArray, scores: FloatArray, sources: int
) -> Estimate:
    first, second = np.triu_indices(values.shape[1], 1)

    def order(means: FloatArray) -> FloatArray:
        gaps = means[:, first] - means[:, second]
        return np.where(np.abs(gaps) > _NOISE, np.sign(gaps), 0.0)

    def share(x: FloatArray, y: FloatArray) -> FloatArray:
        alike = order(x) == order(y)
        known = ~np.isnan(x).any(axis=1) & ~np.isnan(y).any(axis=1)
        return np.where(known, alike.mean(axis=1), np.nan)

    return _estimate(share(values, human), share(again, scores), len(first), sources)


def _estimate(value: FloatArray, again: FloatArray, n: int, sources: int) -> Estimate:
    """Held to its value: few systems agree less in a draw, and where they agree almost wholly, next
    to no draw does so too."""
    figure = float(value[0])
    interval = sources_interval(figure, again, sources=sources)
    return Estimate(figure, n, sources, holding(figure, interval))


def sanity_checks(candidate: Candidate, drawn: Drawn) -> dict[str, Estimate]:
    """Shares of control pairs at the right end of the metric's own range, rounded to whole per cent
    of it first, as published (MeaningBERT section 3): identical texts ≥ 99 and ≥ 95 %, unrelated
    ones ≤ 1 and ≤ 5 %."""
    estimates = {}
    for name, bound in _BOUNDS.items():
        is_top = name.startswith("identical")
        values = candidate.identical if is_top else candidate.unrelated
        if candidate.bounds is None or candidate.direction == Direction.NEITHER:
            estimates[name] = undefined(NO_SCALE)
            continue
        kept = np.zeros(0) if values is None else values[~np.isnan(values)]
        if not len(kept):
            estimates[name] = undefined(NOT_ASKED if candidate.kind == Kind.JUDGE else NO_CONTROLS)
            continue
        worst, best = (
            candidate.bounds if candidate.direction == Direction.HIGHER else candidate.bounds[::-1]
        )
        shares = np.round(100 * (kept - worst) / (best - worst)) / 100
        inside = shares >= bound if is_top else shares <= bound
        estimates[name] = share_estimate(inside.astype(np.float64), np.arange(len(kept)), drawn)
    return estimates


def human_ceiling(ratings: FloatArray, groups: IntArray, drawn: Drawn) -> Estimate:
    """How well one person predicts the others: the mean over people of the correlation between
    their ratings and the mean of everybody else's (n, people), with its interval over sources. An
    output that fewer than two people rated says nothing of it, and is not counted."""
    people = ceiling(ratings)
    kept = (~np.isnan(ratings)).sum(axis=1) >= 2
    ratings, (groups, sources) = ratings[kept], numbered(groups[kept])
    agreement = people.leave_one_out
    if agreement.value is None:
        return Estimate(None, len(ratings), sources, undefined=agreement.undefined)
    counts = drawn_counts(sources, drawn.draws, drawn.seed)
    again = []
    for person, own in enumerate(people.by_annotator):
        # Whose correlation is not defined is not in the mean either.
        if own.value is None:
            continue
        usable = ~np.isnan(ratings[:, person])
        others = np.delete(ratings[usable], person, axis=1)
        x, y = centred(ratings[usable, person]), centred(np.nanmean(others, axis=1))
        columns = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)
        again.append(from_sums(counts @ by_source(columns, groups[usable], sources)))
    drawn_means = np.mean(np.stack(again), axis=0)
    interval = sources_interval(
        agreement.value, drawn_means, sources=sources, confidence=drawn.confidence
    )
    return Estimate(agreement.value, len(ratings), sources, interval)


def above_human(candidate: Candidate, people: People, drawn: Drawn) -> dict[str, Estimate]:
    """``rmse``: root of the mean squared error in points of the human scale; ``r_squared``: one
    minus that error over the variance of the human scores, below zero for whatever errs more than
    their mean would (MeaningBERT, table 5); ``share_above``: how often the metric says better than
    people do, the dangerous side."""
    kept = candidate.present
    scaled = candidate.scaled(*people.ends)
    if scaled is None:
        return dict.fromkeys(("rmse", "r_squared", "share_above"), undefined(NO_SCALE))
    apart, groups = scaled[kept] - people.means[kept], people.groups[kept]
    return {
        "rmse": root_estimate(apart**2, groups, drawn),
        "r_squared": r_squared(apart**2, people.means[kept], groups, drawn),
        "share_above": share_estimate(
            (people.turn(apart) > _SAME * (people.highest - people.lowest)).astype(np.float64),
            groups,
            drawn,
        ),
    }


def r_squared(squares: FloatArray, human: FloatArray, groups: IntArray, drawn: Drawn) -> Estimate:
    """One minus squared errors (n,) over the variance of what was to be said (n,)."""
    groups, sources = numbered(groups)
    # The scores themselves say whether there is anything to explain.
    reason = why_not(human, human)
    if reason is not None:
        return undefined(reason, len(human), sources)
    by = -exponent(human)
    human, squares = np.ldexp(human, by), np.ldexp(squares, 2 * by)
    centred = human - human.mean()
    columns = np.stack([np.ones(len(human)), centred, centred**2, squares], axis=1)
    sums = by_source(columns, groups, sources)
    value = float(_explained(sums.sum(axis=0, keepdims=True))[0])
    again = _explained(drawn_counts(sources, drawn.draws, drawn.seed) @ sums)
    return _estimate(np.array([value]), again, len(human), sources)


def _explained(sums: FloatArray) -> FloatArray:
    number, total, squares, errors = sums.T
    below = squares - total**2 / number
    shares: FloatArray = 1 - np.divide(
        errors, below, out=np.full(len(sums), np.nan), where=below > 1e-12
    )
    return shares
