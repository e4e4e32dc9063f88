"""A scorer beside the people of one study, as one more rater of its own kind.

Every figure compares the scorer with somebody. None enters a coefficient of agreement among people:
a machine that judges every item the same way would raise or lower what is said of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.protocols.base import Wording
from annotation.scoring.bootstrap import DRAWS, Interval, interval
from annotation.scoring.ceiling import ceiling
from annotation.scoring.metrics import NO_ITEMS, FloatArray, Metric, pearson, rmse

IntArray = npt.NDArray[np.int64]
SEED = 42
NEAR = 1.0
_DIGITS = 12
"""Of a difference that is held against ``NEAR``: 4.4 - 3.4 is one point."""
_MOST_DRAWN, _FEWEST_DRAWS = 2_000_000, 100
ALONE = Wording("Personne d'autre n'a jugé ces éléments.", "Nobody else judged these items.")


@dataclass(frozen=True)
class Beside:
    """The scorer against one annotator, or against the mean of all (``rater`` empty).

    ``severity``: mean of score minus rating, below zero is stricter than the person. ``near``:
    share of items within one point. ``person``: the annotator's own correlation with the mean of
    the other people, to read ``pearson`` by.
    """

    rater: str
    items: int
    pearson: Metric
    rmse: Metric
    severity: Metric
    near: Metric
    person: Metric


@dataclass(frozen=True)
class ScorerBeside:
    """All of it for one choice of items; intervals by drawing source texts. ``reliability``: that
    of the people's mean, the share of its variance that a scorer could ever predict, on the
    ``reliability_items`` that two people or more judged."""

    mean: Beside
    pearson_interval: Interval
    rmse_interval: Interval
    reliability: Metric
    reliability_items: int
    annotators: tuple[Beside, ...]


def beside_people(
    scores: FloatArray,
    ratings: FloatArray,
    raters: tuple[str, ...],
    groups: IntArray,
    *,
    seed: int = SEED,
) -> ScorerBeside:
    """From (items,) scores and (items, annotators) ratings with NaN holes; one item or more, each
    rated at least once.

    ``groups`` (items,): the number of each item's source text. Large tables get fewer draws; the
    intervals say so.
    """
    means = np.nanmean(ratings, axis=1)
    draws = int(np.clip(_MOST_DRAWN // len(scores), _FEWEST_DRAWS, DRAWS))
    people = ceiling(ratings)
    alone = Metric(None, ALONE)
    of_person = people.by_annotator or (alone,) * len(raters)
    return ScorerBeside(
        mean=_beside("", scores, means, people.leave_one_out),
        pearson_interval=interval(scores, means, pearson, groups=groups, seed=seed, draws=draws),
        rmse_interval=interval(scores, means, _rmse, groups=groups, seed=seed, draws=draws),
        reliability=people.reliability,
        reliability_items=people.reliability_items,
        annotators=tuple(
            _beside(rater, scores, ratings[:, place], of_person[place])
            for place, rater in enumerate(raters)
        ),
    )


def _beside(rater: str, scores: FloatArray, ratings: FloatArray, person: Metric) -> Beside:
    rated = ~np.isnan(ratings)
    mine, theirs = scores[rated], ratings[rated]
    if not len(mine):
        none = Metric(None, NO_ITEMS)
        return Beside(rater, 0, none, none, none, none, person)
    apart = mine - theirs
    return Beside(
        rater=rater,
        items=len(mine),
        pearson=pearson(mine, theirs),
        rmse=_rmse(mine, theirs),
        severity=Metric(float(apart.mean())),
        near=Metric(float(np.mean(np.round(np.abs(apart), _DIGITS) <= NEAR))),
        person=person,
    )


def _rmse(predictions: FloatArray, labels: FloatArray) -> Metric:
    return Metric(rmse(predictions, labels))
