"""The interval of alpha for other items *and* other annotators of the same kind.

The interval over items keeps the people, and so says what these people would agree on other items.
How alpha changes when each of them is left out says what it owes to who they are (the jackknife:
Efron and Tibshirani 1993, chapter 11; with many people its infinitesimal form, Jaeckel 1972). Both
variances are added, with Satterthwaite's degrees of freedom, and what is neither of the item nor of
the person, which stands in both, is taken off once (as in ``systems/crossed``). `python -m
bench.intervals` shows what it covers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from annotation.agreement.coefficients import alpha
from annotation.agreement.result import Interval
from annotation.agreement.sources import OtherSources
from annotation.agreement.systems.crossed import dense, unexplained
from annotation.agreement.systems.table import counted
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level, Wording

FEWEST_ANNOTATORS = 4
MOST_LEFT_OUT = 30
"""With more people each adds so little that alpha's slope tells what leaving them out would."""
METHOD = "over source texts and jackknife over annotators, Satterthwaite's t"
FEW_ANNOTATORS = Wording(
    "Ce que d'autres personnes auraient donné ne peut pas se dire\u00a0: il en faudrait au moins "
    "{fewest} dont l'absence se calcule, il y en a {annotators}.",
    "What other people would have given cannot be told: it would take at least {fewest} without "
    "whom alpha can be computed, and there are {annotators}.",
)
NOT_EVERYBODY = Wording(
    "Ce que d'autres personnes auraient donné ne peut pas se dire\u00a0: il faudrait calculer "
    "l'alpha sans chaque personne, et il ne se calcule que sans {annotators} des {all}.",
    "What other people would have given cannot be told: it would take alpha without each of the "
    "people, and it can be computed without {annotators} of the {all} only.",
)
NOTHING_VARIES = Wording(
    "Ce que d'autres personnes auraient donné ne peut pas se dire\u00a0: ni d'autres éléments ni "
    "l'absence de quelqu'un ne changent l'alpha, et rien ne dit de combien il pourrait varier.",
    "What other people would have given cannot be told: neither other items nor anybody's absence "
    "changes alpha, and nothing tells by how much it might vary.",
)
_SAME = 1e-9


def other_annotators(
    ratings: Ratings, level: Level | str, value: float | None, here: OtherSources
) -> Interval | None:
    """The interval of ``value``, the alpha of ``ratings`` at ``level``; ``here`` has the one for
    these people. None without a value; without an interval for these people, with too few of them,
    one without whom there is no alpha, or nothing that varies, its ``undefined`` says so."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    if value is None:
        return None
    low, high, confidence = here.interval.low, here.interval.high, here.interval.confidence
    if low is None or high is None:
        return replace(here.interval, draws=0, undefined_draws=0, method=METHOD)
    influences = _influences(ratings, Level(level))
    left = _without_each(ratings, Level(level), value, influences)
    people, everybody = len(left), len(np.unique(influences.rater))
    reason = None
    if everybody < FEWEST_ANNOTATORS:
        reason = FEW_ANNOTATORS.format(fewest=FEWEST_ANNOTATORS, annotators=everybody)
    elif people < everybody:
        reason = NOT_EVERYBODY.format(annotators=people, all=everybody)
    if reason is not None:
        return Interval(None, None, confidence, 0, undefined=reason, method=METHOD)
    of_items = here.error**2
    of_people = float((people - 1) / people * ((left - left.mean()) ** 2).sum())
    total = of_items + of_people
    if total < _SAME**2:
        return Interval(None, None, confidence, 0, undefined=NOTHING_VARIES, method=METHOD)
    variance = max(total - _of_both(influences), of_items, of_people)
    loose = of_items**2 / (here.sources - 1) + of_people**2 / (people - 1)
    half = float(stdtrit(total**2 / loose, 1 - (1 - confidence) / 2)) * variance**0.5
    # What holds for others too is never told more exactly than what holds for these people.
    ends = max(min(value - half, low), -1.0), min(max(value + half, high), 1.0)
    return Interval(*ends, confidence, 0, method=METHOD)


@dataclass(frozen=True, eq=False)
class _Influences:
    """How alpha moves with the weight of each rating of an item that two people or more rated, with
    its ``unit`` and ``rater``, codes; all of shape (ratings,)."""

    moves: FloatArray
    unit: IntArray
    rater: IntArray


def _influences(ratings: Ratings, level: Level) -> _Influences:
    """Alpha as (n - 1) times observed over expected disagreement, both sums over ratings; its slope
    in the weight of each. Mid-ranks (ordinal) are kept."""
    kept = ratings.ratings_per_unit[ratings.unit_index] >= 2
    units, unit = dense(ratings.unit_index[kept])
    rater, values = ratings.rater_index[kept], ratings.values[kept]
    n, sizes = len(values), np.bincount(unit, minlength=units).astype(np.float64)
    size = sizes[unit]
    if level == Level.NOMINAL:
        kinds, place = np.unique(values, return_inverse=True)
        shape = (units, len(kinds))
        same = counted(unit * len(kinds) + place, None, shape)
        times = np.bincount(place, minlength=len(kinds)).astype(np.float64)
        apart, expected = sizes**2 - (same**2).sum(axis=1), float(n**2 - (times**2).sum())
        d_apart, d_expected = 2 * (size - same[unit, place]), 2 * (n - times[place])
    else:
        x = (
            _mid_ranks(values)
            if level == Level.ORDINAL
            else values - values.mean()
            if n
            else values
        )
        sums, squares = counted(unit, x, (units,)), counted(unit, x**2, (units,))
        total, total_squares = float(x.sum()), float((x**2).sum())
        apart = 2 * (sizes * squares - sums**2)
        expected = 2 * (n * total_squares - total**2)
        d_apart = 2 * (squares[unit] + size * x**2 - 2 * x * sums[unit])
        d_expected = 2 * (total_squares + n * x**2 - 2 * x * total)
    if expected <= 0:
        return _Influences(np.zeros(n), unit, rater)
    observed = float((apart / (sizes - 1)).sum())
    d_observed = d_apart / (size - 1) - apart[unit] / (size - 1) ** 2
    slope = (observed + (n - 1) * d_observed) / expected
    return _Influences((n - 1) * observed * d_expected / expected**2 - slope, unit, rater)


def _mid_ranks(values: FloatArray) -> FloatArray:
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(times) - times / 2 - len(values) / 2
    return np.asarray(ranks[place], dtype=np.float64)


def _without_each(
    ratings: Ratings, level: Level, value: float, influences: _Influences
) -> FloatArray:
    """Alpha without each person who can be compared, where it is defined, (people,)."""
    people, rater = dense(influences.rater)
    if people > MOST_LEFT_OUT:
        own = counted(rater, influences.moves, (people,))
        # Of the slopes the jackknife's variance is the sum of squares, without (n - 1) / n.
        return value - own * people / (people - 1)
    names = [ratings.rater_ids[place] for place in np.unique(influences.rater).tolist()]
    alphas = [alpha(ratings.without_rater(name), level).value for name in names]
    return np.array([figure for figure in alphas if figure is not None], dtype=np.float64)


def _of_both(influences: _Influences) -> float:
    """The variance of what neither items nor people explain."""
    units, unit = dense(influences.unit)
    people, rater = dense(influences.rater)
    cells = len(influences.moves)
    left = cells - units - people + 1
    if left < 1:
        return 0.0
    return unexplained(influences.moves, unit, rater, units, people) / left * cells
