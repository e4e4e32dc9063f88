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

from annotation.agreement.table import Ratings
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
    disputed_units = []
    ends = np.cumsum(ratings.ratings_per_unit)
    for unit, start, end in zip(
        ratings.unit_ids, ends - ratings.ratings_per_unit, ends, strict=True
    ):
        values = np.sort(ratings.values[start:end])
        if len(values) < max(2, rules.fewest_ratings):
            continue
        if level is Level.NOMINAL:
            _, counts = np.unique(values, return_counts=True)
            share = counts.max() / len(values)
            disputed, disagreement = share < rules.majority_share - 1e-9, 1 - share
        else:
            disagreement = values[-1] - values[0]
            disputed = disagreement > rules.score_range
        if disputed:
            disputed_units.append(
                Dispute(unit, tuple(float(value) for value in values), float(disagreement))
            )
    return sorted(disputed_units, key=lambda dispute: (-dispute.disagreement, str(dispute.unit)))
