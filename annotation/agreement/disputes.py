"""Which units disagree enough to be looked at again, under thresholds that a lead sets.

A class or level is disputed where no value reaches ``majority_share`` of the ratings; a score where
the ratings lie more than ``score_range`` points apart. One rating cannot disagree:
``fewest_ratings`` is at least 2.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level, Problem, Wording


@dataclass(frozen=True)
class DisputeRules:
    """Thresholds. ``majority_share`` in (0.5, 1]: at or below a half, ties would pass as
    majorities."""

    majority_share: float = 0.6
    score_range: float = 3
    fewest_ratings: int = 2

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Dispute(NamedTuple):
    """A disputed unit with its ratings, ascending. ``disagreement``: 1 − share of the largest
    group, or the range."""

    unit: Hashable
    values: tuple[float, ...]
    disagreement: float


def dispute_rules(given: Mapping[str, Any]) -> DisputeRules:
    """The rules in a mapping such as a database or a form gives. Raises ``ValueError`` saying what
    is wrong."""
    problems = rules_problems(given)
    if problems:
        raise ValueError("; ".join(problem.message.en for problem in problems))
    whole = DisputeRules().as_dict() | dict(given)
    return DisputeRules(
        float(whole["majority_share"]), float(whole["score_range"]), int(whole["fewest_ratings"])
    )


def rules_problems(given: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with rules; empty where they can be used."""
    whole = DisputeRules().as_dict() | dict(given)
    bounds = {"majority_share": (0.5, 1.0), "score_range": (0.0, 9.0), "fewest_ratings": (2, 100)}
    problems = []
    for name, (lowest, highest) in bounds.items():
        value = whole[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        beyond = (
            not number
            or not lowest <= value <= highest
            or (name == "majority_share" and value == lowest)
        )
        if beyond or (name == "fewest_ratings" and value != int(value)):
            problems.append(
                Problem(
                    name,
                    "outside",
                    Wording(
                        f"Donnez un nombre de {lowest:g} à {highest:g}"
                        + (" (0,5 exclu)." if name == "majority_share" else "."),
                        f"Give a number from {lowest:g} to {highest:g}"
                        + (" (0.5 excluded)." if name == "majority_share" else "."),
                    ),
                )
            )
    return problems


def disputes(ratings: Ratings, *, level: Level, rules: DisputeRules) -> list[Dispute]:
    """The disputed units, the most divided first; equal ones in the order of their ids."""
    if not ratings.n_ratings:
        return []
    per_unit = ratings.ratings_per_unit
    if level is Level.NOMINAL:
        share = _largest_group(ratings) / np.maximum(per_unit, 1)
        disputed, disagreement = share < rules.majority_share - 1e-9, 1 - share
    else:
        disagreement = _range(ratings)
        disputed = disagreement > rules.score_range
    disputed &= per_unit >= max(2, rules.fewest_ratings)
    ends = np.cumsum(per_unit)
    disputed_units = [
        Dispute(
            ratings.unit_ids[unit],
            tuple(np.sort(ratings.values[ends[unit] - per_unit[unit] : ends[unit]]).tolist()),
            float(disagreement[unit]),
        )
        for unit in np.flatnonzero(disputed)
    ]
    return sorted(disputed_units, key=lambda dispute: (-dispute.disagreement, str(dispute.unit)))


def _largest_group(ratings: Ratings) -> IntArray:
    """By unit, how many gave the value that most gave."""
    values, codes = np.unique(ratings.values, return_inverse=True)
    cells = ratings.unit_index * len(values) + codes
    counts = np.bincount(cells, minlength=ratings.n_units * len(values))
    largest: IntArray = counts.reshape(ratings.n_units, len(values)).max(axis=1)
    return largest


def _range(ratings: Ratings) -> FloatArray:
    """By unit, the largest value less the smallest; 0 where nobody rated it."""
    highest = np.full(ratings.n_units, -np.inf)
    lowest = np.full(ratings.n_units, np.inf)
    np.maximum.at(highest, ratings.unit_index, ratings.values)
    np.minimum.at(lowest, ratings.unit_index, ratings.values)
    spread: FloatArray = np.where(ratings.ratings_per_unit > 0, highest - lowest, 0.0)
    return spread
