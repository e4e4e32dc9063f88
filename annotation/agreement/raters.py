"""What each rater does: how they use the scale, how strict they are, and whom they resemble."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement.coefficients import alpha
from annotation.agreement.consensus import rater_severities
from annotation.agreement.result import Coefficient, table_reason
from annotation.agreement.table import FloatArray, Ratings
from annotation.protocols.base import Level, Wording

NO_SPREAD = Wording(
    "Pas de corrélation : ces jugements, ou ceux des autres, ont tous la même valeur.",
    "No correlation: these ratings, or those of the others, all have the same value.",
)
TOO_FEW_SHARED = Wording(
    "Pas de corrélation : moins de deux éléments ont aussi été jugés par d'autres.",
    "No correlation: fewer than two items were also judged by others.",
)
TOO_FEW_RATERS = Wording(
    "Un regroupement demande au moins deux personnes qui ont jugé.",
    "Grouping takes at least two people who judged.",
)
NOTHING_IN_COMMON = Wording(
    "Aucun élément n'a été jugé par deux personnes\u00a0: rien ne dit qui juge comme qui.",
    "No item was judged by two people: nothing tells who judges like whom.",
)


@dataclass(frozen=True)
class RaterSummary:
    """One rater on one dimension, in points of the scale.

    ``sd`` is the sample standard deviation (n − 1), as in FrJUDGE's figure 2. ``distribution``
    counts each value of the scale. ``severity``: the rater's effect in the additive model of
    ``consensus.rater_severities``, centred, as releases have it; below zero gives lower values;
    None where others rated none of the same units (``shared``). ``alpha_without``: alpha of the
    table without this rater. ``with_rest``: Pearson correlation of the own ratings with the mean of
    the others'. What cannot be computed is None or says why.
    """

    rater: Hashable
    n: int
    mean: float | None
    sd: float | None
    distribution: tuple[tuple[float, int], ...]
    shared: int
    severity: float | None
    alpha_without: Coefficient
    with_rest: Coefficient


@dataclass(frozen=True)
class Merge:
    """Two clusters become one at ``height``. Clusters 0 … n − 1 are ``Camps.raters``; merge i makes
    cluster n + i."""

    left: int
    right: int
    height: float
    size: int


@dataclass(frozen=True)
class Camps:
    """A dendrogram of raters: ``raters`` in order of id, ``leaves`` in drawing order, ``merges``
    bottom up.

    ``two`` are the camps that the last merge joins, empty where ``undefined`` says why there is no
    dendrogram. ``unmeasured`` pairs have no unit in common; they stand at the greatest distance
    that was measured, and where none was there is no dendrogram.
    """

    raters: tuple[Hashable, ...]
    leaves: tuple[Hashable, ...]
    merges: tuple[Merge, ...]
    two: tuple[tuple[Hashable, ...], ...]
    unmeasured: tuple[tuple[Hashable, Hashable], ...] = ()
    undefined: Wording | None = None


def rater_summaries(
    ratings: Ratings, *, level: Level | str, scale: Sequence[float] | None = None
) -> tuple[RaterSummary, ...]:
    """A summary of every rater, in order of ids; alpha at ``level``. For classes, mean, sd,
    severity and correlation are of no use to a reader: the caller leaves them out. Raises
    ``ValueError`` for an unknown level."""
    values = ratings.observed_values if scale is None else tuple(sorted(scale))
    without = leave_one_out(ratings, level)
    others = _mean_of_others(ratings)
    effects = rater_severities(ratings).tolist()
    return tuple(
        _summary(ratings, place, rater, values, others, without[rater], effects[place])
        for place, rater in enumerate(ratings.rater_ids)
    )


def leave_one_out(ratings: Ratings, level: Level | str) -> dict[Hashable, Coefficient]:
    """Alpha at ``level`` without each rater in turn, by rater left out (a jackknife over
    raters)."""
    return {rater: alpha(ratings.without_rater(rater), level) for rater in ratings.rater_ids}


def camps(ratings: Ratings, *, level: Level | str) -> Camps:
    """Raters grouped by average linkage (Sokal and Michener 1958, as SciPy's ``linkage``).

    The distance of two raters on the units that both judged is the share of unequal values for
    classes, and the mean absolute difference in points for scales. Raises ``ValueError`` for an
    unknown level.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage  # type: ignore[import-untyped]
    from scipy.spatial.distance import squareform  # type: ignore[import-untyped]

    nominal = Level(level) == Level.NOMINAL
    active = np.flatnonzero(ratings.ratings_per_rater)
    raters = tuple(ratings.rater_ids[place] for place in active)
    if len(raters) < 2:
        return Camps(raters, raters, (), (), undefined=TOO_FEW_RATERS)
    distance = distances(ratings.matrix[:, active], nominal=nominal)
    missing = np.argwhere(np.triu(np.isnan(distance), 1)).tolist()
    unmeasured = tuple((raters[a], raters[b]) for a, b in missing)
    if len(unmeasured) == len(raters) * (len(raters) - 1) // 2:
        return Camps(raters, raters, (), (), unmeasured, undefined=NOTHING_IN_COMMON)
    filled = np.where(np.isnan(distance), np.nanmax(distance), distance)
    tree = linkage(squareform(filled, checks=False), method="average")
    merges = tuple(Merge(int(a), int(b), float(height), int(size)) for a, b, height, size in tree)
    leaves = tuple(raters[leaf] for leaf in leaves_list(tree).tolist())
    two = tuple(_members(raters, merges, side) for side in (merges[-1].left, merges[-1].right))
    return Camps(raters, leaves, merges, two, unmeasured)


def _summary(
    ratings: Ratings,
    place: int,
    rater: Hashable,
    scale: Sequence[float],
    others: FloatArray,
    without: Coefficient,
    severity: float,
) -> RaterSummary:
    own = ratings.rater_index == place
    values, rest = ratings.values[own], others[own]
    shared = ~np.isnan(rest)
    return RaterSummary(
        rater=rater,
        n=len(values),
        mean=float(values.mean()) if len(values) else None,
        sd=float(values.std(ddof=1)) if len(values) > 1 else None,
        distribution=tuple((value, int(np.count_nonzero(values == value))) for value in scale),
        shared=int(shared.sum()),
        severity=severity if shared.any() else None,
        alpha_without=without,
        with_rest=_correlation(ratings, values, rest),
    )


def _mean_of_others(ratings: Ratings) -> FloatArray:
    """For each rating the mean of the other ratings of its unit, shape (n_ratings,); NaN where
    there is none."""
    total = np.bincount(ratings.unit_index, weights=ratings.values, minlength=ratings.n_units)[
        ratings.unit_index
    ]
    others = ratings.ratings_per_unit[ratings.unit_index] - 1
    mean: FloatArray = np.full(len(others), np.nan)
    np.divide(total - ratings.values, others, out=mean, where=others > 0)
    return mean


def _correlation(ratings: Ratings, values: FloatArray, rest: FloatArray) -> Coefficient:
    shared = ~np.isnan(rest)
    x, y = values[shared], rest[shared]
    counts = (ratings.n_rated, ratings.n_active, len(x))
    if len(x) < 2:
        return Coefficient(None, table_reason(ratings) or TOO_FEW_SHARED, *counts)
    if np.ptp(x) == 0 or np.ptp(y) <= 1e-12 * max(1.0, float(np.abs(y).max())):
        return Coefficient(None, NO_SPREAD, *counts)
    return Coefficient(float(np.corrcoef(x, y)[0, 1]), None, *counts)


def distances(matrix: FloatArray, *, nominal: bool) -> FloatArray:
    """Mean distance of each two columns over the rows that both fill, shape (raters, raters); NaN
    without such rows."""
    n = matrix.shape[1]
    distance = np.zeros((n, n))
    for first in range(n):
        gaps = np.abs(matrix[:, first + 1 :] - matrix[:, first : first + 1])
        both = ~np.isnan(gaps)
        total = np.where(both, gaps > 0 if nominal else gaps, 0.0).sum(axis=0)
        count = both.sum(axis=0)
        mean = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
        distance[first, first + 1 :] = distance[first + 1 :, first] = mean
    return distance


def _members(
    raters: tuple[Hashable, ...], merges: tuple[Merge, ...], cluster: int
) -> tuple[Hashable, ...]:
    """The raters below a cluster, in order of ids."""
    waiting, members = [cluster], []
    while waiting:
        current = waiting.pop()
        if current < len(raters):
            members.append(current)
        else:
            merge = merges[current - len(raters)]
            waiting += [merge.left, merge.right]
    return tuple(raters[place] for place in sorted(members))
