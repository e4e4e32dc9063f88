"""How well people predict people: the ceiling that any scorer is read against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.protocols.base import Wording
from annotation.scoring.metrics import (
    CONSTANT_LABELS,
    CONSTANT_PREDICTIONS,
    FloatArray,
    Metric,
    pearson,
)

NO_RATINGS = Wording(
    "Les étiquettes seules sont connues, sans les réponses de chaque personne : il n'y a pas de "
    "plafond humain à calculer.",
    "Labels alone are known, without each person's ratings: there is no human ceiling to compute.",
)
ONE_ANNOTATOR = Wording(
    "Une seule personne a jugé, ou un fichier ne donne qu'une moyenne : il n'y a pas de plafond "
    "humain à calculer.",
    "Only one person judged, or a file gives a mean alone: there is no human ceiling to compute.",
)
INCOMPLETE = Wording(
    "Trop peu d'éléments jugés par deux personnes ou plus.",
    "Too few items judged by two people or more.",
)
OWN_ALIKE = Wording(
    "Cette personne a donné partout la même réponse : la corrélation n'est pas définie.",
    "This person gave the same answer everywhere: correlation is not defined.",
)
OTHERS_ALIKE = Wording(
    "La moyenne des autres est partout la même : la corrélation n'est pas définie.",
    "The mean of the others is the same everywhere: correlation is not defined.",
)
ALL_ALIKE = Wording(
    "Là où des personnes ont au moins trois éléments en commun avec d'autres, un côté a donné "
    "partout la même réponse : aucune corrélation n'est définie.",
    "Where people have three items or more in common with others, one side gave the same answer "
    "everywhere: no correlation is defined.",
)
NO_TRUE_VARIANCE = Wording(
    (
        "Les éléments ne se distinguent pas plus que les jugements d'un même élément : fiabilité "
        "non définie."
    ),
    "Items differ no more than the ratings of one item do: reliability is not defined.",
)
_ALIKE = {CONSTANT_PREDICTIONS: OWN_ALIKE, CONSTANT_LABELS: OTHERS_ALIKE}


@dataclass(frozen=True)
class Ceiling:
    """``leave_one_out``: mean over annotators of the correlation between their ratings and the mean
    of the others. ``by_annotator`` in column order. ``reliability``: that of the mean of ``raters``
    ratings per item, ICC(1, k), over the ``reliability_items`` that two people or more rated: of
    the others' mean it says nothing.
    """

    leave_one_out: Metric
    by_annotator: tuple[Metric, ...]
    reliability: Metric
    raters: float
    reliability_items: int


def ceiling(ratings: FloatArray) -> Ceiling:
    """From (items, annotators) ratings, NaN where missing."""
    ratings = np.asarray(ratings, dtype=np.float64)
    present = ~np.isnan(ratings)
    people = int(present.any(axis=0).sum())
    if people < 2:
        undefined = Metric(None, ONE_ANNOTATOR if people else NO_RATINGS)
        return Ceiling(undefined, (), undefined, float(people), 0)
    each = tuple(
        _against_the_others(ratings, present, column) for column in range(ratings.shape[1])
    )
    defined = [metric.value for metric in each if metric.value is not None]
    mean = Metric(float(np.mean(defined))) if defined else Metric(None, _why_none(each))
    reliability, raters = mean_reliability(ratings)
    items = int((present.sum(axis=1) >= 2).sum())
    return Ceiling(mean, each, reliability, raters, items)


def _why_none(each: tuple[Metric, ...]) -> Wording:
    """Why nobody's correlation is defined: answers that are all alike lack nothing in number."""
    alike = any(metric.undefined in _ALIKE.values() for metric in each)
    return ALL_ALIKE if alike else INCOMPLETE


def _against_the_others(ratings: FloatArray, present: npt.NDArray[np.bool_], column: int) -> Metric:
    others = np.delete(ratings, column, axis=1)
    usable = present[:, column] & (~np.isnan(others)).any(axis=1)
    if not usable.any():
        return Metric(None, INCOMPLETE)
    own = pearson(ratings[usable, column], np.nanmean(others[usable], axis=1))
    return Metric(None, _ALIKE.get(own.undefined, own.undefined)) if own.undefined else own


def mean_reliability(ratings: FloatArray) -> tuple[Metric, float]:
    """ICC(1, k) of Shrout & Fleiss (1979) for unequal numbers of ratings, and that number k
    (harmonic-like n₀).

    One-way: raters may differ from item to item. Between zero and one is a reliability; items with
    one rating are left out.
    """
    counts = (~np.isnan(ratings)).sum(axis=1)
    rows = ratings[counts >= 2]
    counts = counts[counts >= 2].astype(np.float64)
    if len(rows) < 3:
        return Metric(None, INCOMPLETE), 0.0
    means = np.nanmean(rows, axis=1)
    grand = float(np.nansum(rows) / counts.sum())
    between = float((counts * (means - grand) ** 2).sum()) / (len(rows) - 1)
    within = float(np.nansum((rows - means[:, None]) ** 2)) / (counts.sum() - len(rows))
    typical = (counts.sum() - (counts**2).sum() / counts.sum()) / (len(rows) - 1)
    if between <= 0 or between <= within:
        return Metric(None, NO_TRUE_VARIANCE), float(typical)
    return Metric((between - within) / between), float(typical)


def two_way_reliability(ratings: FloatArray) -> Metric:
    """ICC(3, k) = Cronbach's alpha over the items that every annotator judged: constant severity of
    a person is no error here."""
    complete = ratings[~np.isnan(ratings).any(axis=1)]
    raters = ratings.shape[1]
    if len(complete) < 3 or raters < 2:
        return Metric(None, INCOMPLETE)
    total = float(complete.sum(axis=1).var(ddof=1))
    if total <= 0:
        return Metric(None, NO_TRUE_VARIANCE)
    return Metric(raters / (raters - 1) * (1 - float(complete.var(axis=0, ddof=1).sum()) / total))
