"""Two studies side by side on every dimension that both ask."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.studies.change import Change, change
from annotation.agreement.studies.judgments import JudgmentsAgreement, judgments_agreement
from annotation.agreement.studies.labels import LabelsAgreement, labels_agreement
from annotation.agreement.studies.largest import Changed, largest_changes
from annotation.agreement.studies.matching import Match
from annotation.agreement.studies.table import Both, Measured, both, same_scale
from annotation.agreement.studies.wording import (
    NO_COMMON_OUTPUT,
    NOT_IN_BOTH,
    OTHER_PEOPLE,
    OTHER_SCALE,
    SOME_OTHERS,
    SOME_UNKNOWN,
    UNKNOWN_PEOPLE,
)
from annotation.agreement.systems.figure import Drawn, wording_facts
from annotation.agreement.systems.permutation import holm
from annotation.protocols.base import Level, Wording

People = tuple[Mapping[Hashable, Hashable], Mapping[Hashable, Hashable]]


@dataclass(frozen=True)
class DimensionStudies:
    """One dimension. ``undefined`` says why nothing is compared, and everything else is then None
    or empty. ``by_system``: the change among the outputs of each system that both name alike.
    ``largest``: the outputs that changed most. ``open_ended``: ``scale`` are the counts that
    somebody gave in either."""

    undefined: Wording | None
    level: Level | None = None
    scale: tuple[float, ...] = ()
    change: Change | None = None
    by_system: tuple[tuple[str, Change], ...] = ()
    judgments: JudgmentsAgreement | None = None
    labels: LabelsAgreement | None = None
    largest: tuple[Changed, ...] = ()
    notes: tuple[Wording, ...] = ()
    open_ended: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe, without NaN."""
        return {
            "undefined": wording_facts(self.undefined),
            "level": None if self.level is None else str(self.level),
            "scale": list(self.scale),
            **({"open_ended": True} if self.open_ended else {}),
            "change": None if self.change is None else self.change.as_dict(),
            "by_system": {name: of_system.as_dict() for name, of_system in self.by_system},
            "judgments": None if self.judgments is None else self.judgments.as_dict(),
            "labels": None if self.labels is None else self.labels.as_dict(),
            "largest_changes": [changed.as_dict() for changed in self.largest],
            "notes": [wording_facts(note) for note in self.notes],
        }


def studies_side_by_side(
    first: Mapping[str, Measured],
    second: Mapping[str, Measured],
    matches: Sequence[Match],
    *,
    people: People,
    drawn: Drawn,
    unknown: Collection[Hashable] = (),
) -> dict[str, DimensionStudies]:
    """Every dimension of either, those of the first in their order before others. ``unknown``: the
    people of whom nothing tells whether they are somebody of the other study. Holm's correction is
    over all tests: of all outputs and of each system, on every dimension. Raises ``ValueError`` for
    a rating off its scale."""
    names = [*first, *(name for name in second if name not in first)]
    dimensions = {
        name: _dimension(first.get(name), second.get(name), matches, people, drawn, unknown)
        for name in names
    }
    return _corrected(dimensions)


def _dimension(
    first: Measured | None,
    second: Measured | None,
    matches: Sequence[Match],
    people: People,
    drawn: Drawn,
    unknown: Collection[Hashable],
) -> DimensionStudies:
    if first is None or second is None:
        return DimensionStudies(NOT_IN_BOTH)
    if not same_scale(first, second):
        return DimensionStudies(OTHER_SCALE)
    given = {*first.ratings.observed_values, *second.ratings.observed_values}
    table = both(
        first.ratings,
        second.ratings,
        matches,
        level=first.level,
        scale=sorted(given) if first.open_ended else first.scale,
        people=people,
    )
    if not table.pairs:
        return DimensionStudies(NO_COMMON_OUTPUT)
    whole = change(table, drawn)
    return DimensionStudies(
        undefined=None,
        level=table.level,
        scale=tuple(table.scale.tolist()),
        change=whole,
        by_system=_by_system(table, drawn),
        judgments=judgments_agreement(table, drawn),
        labels=labels_agreement(table, drawn),
        largest=largest_changes(table),
        notes=_notes(whole, are_known=_are_known(table, unknown)),
        open_ended=first.open_ended,
    )


def _by_system(table: Both, drawn: Drawn) -> tuple[tuple[str, Change], ...]:
    """Of every system that both name alike, where there is more than one."""
    names = sorted({pair.system for pair in table.pairs if pair.system})
    if len(names) < 2:
        return ()
    return tuple((name, change(table.only(_places(table, name)), drawn)) for name in names)


def _places(table: Both, system: str) -> list[int]:
    return [place for place, pair in enumerate(table.pairs) if pair.system == system]


def _are_known(table: Both, unknown: Collection[Hashable]) -> bool:
    """Whether it is known of everybody who judged in one if they judged in the other."""
    first, second = ({table.people[at] for at in np.unique(side.person)} for side in table.sides)
    others = first - second, second - first
    # Whoever is unknown may be anybody of the other study who is not told to be somebody else.
    return not all(others) or (others[0] | others[1]).isdisjoint(unknown)


def _notes(whole: Change, *, are_known: bool) -> tuple[Wording, ...]:
    first, second, common = whole.people
    if not common:
        return (OTHER_PEOPLE if are_known else UNKNOWN_PEOPLE,)
    if common == first == second:
        return ()
    return (SOME_OTHERS if are_known else SOME_UNKNOWN,)


def _corrected(dimensions: Mapping[str, DimensionStudies]) -> dict[str, DimensionStudies]:
    changes = [
        part
        for dimension in dimensions.values()
        for part in (dimension.change, *(of for _name, of in dimension.by_system))
        if part is not None and part.test is not None
    ]
    tests = [part.test.p for part in changes if part.test is not None]
    adjusted = dict(zip(map(id, changes), holm(tests), strict=True))

    def correct(part: Change) -> Change:
        return part.corrected(adjusted[id(part)], len(tests)) if id(part) in adjusted else part

    return {
        name: replace(
            dimension,
            change=None if dimension.change is None else correct(dimension.change),
            by_system=tuple((of, correct(part)) for of, part in dimension.by_system),
        )
        for name, dimension in dimensions.items()
    }
