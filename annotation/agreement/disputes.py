"""Which units disagree enough to be looked at again, under thresholds that a lead sets.

A class or level is disputed where no value reaches ``majority_share`` of the ratings; a score where
the ratings lie more than so many points apart: as many as ``score_ranges`` has for its dimension,
else ``score_range``. One rating cannot disagree: ``fewest_ratings`` is at least 2.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level, Problem, Wording
from annotation.protocols.protocol import Protocol

WIDEST = 9
"""Points, where a protocol has no scale that could say it: FrJUDGE's 1 to 10."""


@dataclass(frozen=True)
class DisputeRules:
    """Thresholds. ``majority_share`` in (0.5, 1]: at or below a half, ties would pass as
    majorities. ``score_ranges``: points by dimension, of those that have their own."""

    majority_share: float = 0.6
    score_range: float = 3
    fewest_ratings: int = 2
    score_ranges: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def of(self, dimension: str) -> DisputeRules:
        """The same with the range of this dimension."""
        return replace(self, score_range=self.score_ranges.get(dimension, self.score_range))


class Dispute(NamedTuple):
    """A disputed unit with its ratings, ascending. ``disagreement``: 1 − share of the largest
    group, or the range."""

    unit: Hashable
    values: tuple[float, ...]
    disagreement: float


class OutOfReach(NamedTuple):
    """A dimension on which no unit can be disputed: however people divide, in a unit of so many
    ``answers`` the largest group of these ``values`` has so many as ``most`` of them at least."""

    dimension: str
    answers: int
    values: int
    most: int

    @property
    def lowest_share(self) -> float:
        """What the share of the largest group never falls below: a threshold above it lists."""
        return self.most / self.answers


def out_of_reach(
    dimension: str, answers: Iterable[int], values: int, rules: DisputeRules
) -> OutOfReach | None:
    """Why no unit is ever disputed on a dimension of so many values, in units of so many answers;
    None where one could be, and where none has enough answers yet."""
    counted = {int(number) for number in answers if number >= max(2, rules.fewest_ratings)}
    cases = [
        OutOfReach(dimension, number, values, math.ceil(number / values))
        for number in sorted(counted)
    ]
    closest = min(cases, key=lambda case: case.lowest_share, default=None)
    if closest is None or closest.lowest_share < rules.majority_share - 1e-9:
        return None
    return closest


def scale_widths(protocol: Protocol) -> dict[str, int]:
    """Points from end to end of each scale on which answers lie apart, by dimension, in the
    protocol's order: not of classes, nor of numbers of marks, which are disputed mark by mark."""
    counts = {own.counted for own in protocol.fields}
    return {
        dimension.name: dimension.scale[-1] - dimension.scale[0]
        for dimension in protocol.scales
        if dimension.level is not Level.NOMINAL and dimension.name not in counts
    }


def usual_rules(widths: Mapping[str, int]) -> DisputeRules:
    """What counts where nobody has said anything: more than a third of each scale, in whole
    points."""
    thirds = {name: round(width / 3) for name, width in widths.items()}
    return DisputeRules(**ranges_as_rules(thirds, widths))


def ranges_as_rules(points: Mapping[str, float], widths: Mapping[str, int]) -> dict[str, Any]:
    """So many points for each dimension as rules have them: those of the widest scale for all, and
    beside them where another has its own. Empty without a scale."""
    if not points:
        return {}
    widest = points[max(points, key=lambda name: widths[name])]
    own = {name: range_ for name, range_ in points.items() if range_ != widest}
    return {"score_range": widest, "score_ranges": own}


def dispute_rules(given: Mapping[str, Any], widths: Mapping[str, int]) -> DisputeRules:
    """The rules in a mapping such as a database or a form gives, without ``rules_problems``. A
    range beyond the widest scale, as once could be stored, lists nothing: as that scale's width
    does."""
    whole = DisputeRules().as_dict() | dict(given)
    return DisputeRules(
        float(whole["majority_share"]),
        min(float(whole["score_range"]), _widest(widths)),
        int(whole["fewest_ratings"]),
        {name: float(points) for name, points in whole["score_ranges"].items()},
    )


def rules_problems(given: Mapping[str, Any], widths: Mapping[str, int]) -> list[Problem]:
    """What is wrong with rules on scales of these ``widths`` (points by dimension); empty where
    they can be used."""
    whole = DisputeRules().as_dict() | dict(given)
    bounds = {
        "majority_share": (0.5, 1),
        "score_range": (0, _widest(widths)),
        "fewest_ratings": (2, 100),
    }
    problems = [_outside(name, whole[name], *ends) for name, ends in bounds.items()]
    for name, points in whole["score_ranges"].items():
        at = f"score_ranges.{name}"
        problems.append(
            _outside(at, points, 0, widths[name]) if name in widths else _no_scale(at, widths)
        )
    return [problem for problem in problems if problem is not None]


def _widest(widths: Mapping[str, int]) -> int:
    return max(widths.values(), default=WIDEST)


def _outside(name: str, value: Any, lowest: float, highest: float) -> Problem | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    beyond = (
        not number
        or not lowest <= value <= highest
        or (name == "majority_share" and value == lowest)
    )
    if not beyond and not (name == "fewest_ratings" and value != int(value)):
        return None
    excluded = name == "majority_share"
    return Problem(
        name,
        "outside",
        Wording(
            f"Donnez un nombre de {lowest:g} à {highest:g}".replace(".", ",")
            + (" (0,5 exclu)." if excluded else "."),
            f"Give a number from {lowest:g} to {highest:g}"
            + (" (0.5 excluded)." if excluded else "."),
        ),
    )


def _no_scale(name: str, widths: Mapping[str, int]) -> Problem:
    known = ", ".join(widths) or "—"
    return Problem(
        name,
        "unknown",
        Wording(
            f"Aucune échelle de ce nom dans ce protocole : prenez parmi {known}.",
            f"This protocol has no scale of this name: take one of {known}.",
        ),
    )


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
