"""Two studies side by side on every dimension that both ask."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
)
from annotation.agreement.systems.figure import Drawn, worded
from annotation.agreement.systems.permutation import holm
from annotation.protocols.base import Level, Wording

People = tuple[Mapping[Hashable, Hashable], Mapping[Hashable, Hashable]]


@dataclass(frozen=True)
class DimensionStudies:
    """One dimension. ``undefined`` says why nothing is compared, and everything else is then None
    or empty. ``by_system``: the change among the outputs of each system that both name alike.
    ``largest``: the outputs that changed most."""

    undefined: Wording | None
    level: Level | None = None
    scale: tuple[float, ...] = ()
    change: Change | None = None
    by_system: tuple[tuple[str, Change], ...] = ()
    judgments: JudgmentsAgreement | None = None
    labels: LabelsAgreement | None = None
    largest: tuple[Changed, ...] = ()
    notes: tuple[Wording, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe, without NaN."""
        return {
            "undefined": worded(self.undefined),
            "level": None if self.level is None else str(self.level),
            "scale": list(self.scale),
            "change": None if self.change is None else self.change.as_dict(),
            "by_system": {name: one.as_dict() for name, one in self.by_system},
            "judgments": None if self.judgments is None else self.judgments.as_dict(),
            "labels": None if self.labels is None else self.labels.as_dict(),
            "largest_changes": [one.as_dict() for one in self.largest],
            "notes": [worded(note) for note in self.notes],
        }


def studies_side_by_side(
    first: Mapping[str, Measured],
    second: Mapping[str, Measured],
    matches: Sequence[Match],
    *,
    people: People,
    drawn: Drawn,
) -> dict[str, DimensionStudies]:
    """Every dimension of either, those of the first in their order before others. Holm's correction
    is over all tests: of all outputs and of each system, on every dimension. Raises ``ValueError``
    for a rating off its scale."""
    names = [*first, *(name for name in second if name not in first)]
    found = {
        name: _dimension(first.get(name), second.get(name), matches, people, drawn)
        for name in names
    }
    return _corrected(found)


def _dimension(
    first: Measured | None,
    second: Measured | None,
    matches: Sequence[Match],
    people: People,
    drawn: Drawn,
) -> DimensionStudies:
    if first is None or second is None:
        return DimensionStudies(NOT_IN_BOTH)
    if not same_scale(first, second):
        return DimensionStudies(OTHER_SCALE)
    table = both(
        first.ratings,
        second.ratings,
        matches,
        level=first.level,
        scale=first.scale,
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
        notes=_notes(whole),
    )


def _by_system(table: Both, drawn: Drawn) -> tuple[tuple[str, Change], ...]:
    """Of every system that both name alike, where there is more than one."""
    names = sorted({one.system for one in table.pairs if one.system})
    if len(names) < 2:
        return ()
    return tuple((name, change(table.only(_places(table, name)), drawn)) for name in names)


def _places(table: Both, system: str) -> list[int]:
    return [place for place, one in enumerate(table.pairs) if one.system == system]


def _notes(found: Change) -> tuple[Wording, ...]:
    first, second, common = found.people
    if not common:
        return (OTHER_PEOPLE,)
    return () if common == first == second else (SOME_OTHERS,)


def _corrected(found: Mapping[str, DimensionStudies]) -> dict[str, DimensionStudies]:
    changes = [
        one
        for dimension in found.values()
        for one in (dimension.change, *(of for _name, of in dimension.by_system))
        if one is not None and one.test is not None
    ]
    tests = [one.test.p for one in changes if one.test is not None]
    adjusted = dict(zip(map(id, changes), holm(tests), strict=True))

    def correct(one: Change) -> Change:
        return one.corrected(adjusted[id(one)], len(tests)) if id(one) in adjusted else one

    return {
        name: replace(
            dimension,
            change=None if dimension.change is None else correct(dimension.change),
            by_system=tuple((of, correct(one)) for of, one in dimension.by_system),
        )
        for name, dimension in found.items()
    }
