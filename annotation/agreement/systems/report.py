"""Systems side by side on every dimension, as values and as a JSON-safe dictionary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement.systems.comparison import Comparison, compared
from annotation.agreement.systems.figure import Drawn, wording_facts
from annotation.agreement.systems.flags import FlagFigures, flag_figures
from annotation.agreement.systems.permutation import holm
from annotation.agreement.systems.profiles import Profile, profiles
from annotation.agreement.systems.ranks import Rank, ranks, why_against_tests
from annotation.agreement.systems.table import Output, SystemRatings, system_ratings
from annotation.agreement.systems.wording import (
    ALL_EQUAL,
    DIFFERENT_ANSWERED,
    DIFFERENT_ANSWERED_CLASSES,
    DIFFERENT_SOURCES,
    DIFFERENT_SOURCES_CLASSES,
    NO_COMMON_PERSON,
    NO_RANKS_CLASSES,
    NO_RANKS_NEITHER,
    NO_RANKS_PEOPLE,
    NO_RANKS_SOURCES,
    NO_RANKS_UNANSWERED,
    ONE_PERSON,
)
from annotation.agreement.table import Ratings
from annotation.protocols.base import Better, Level, Wording


@dataclass(frozen=True)
class Dimension:
    """Ratings of one dimension and what values they can have. ``open_ended``: these are counts, of
    which only those that somebody gave are answers. ``better``: which way; neither of classes."""

    ratings: Ratings
    level: Level
    scale: tuple[float, ...]
    open_ended: bool = False
    better: Better = Better.HIGHER


@dataclass(frozen=True)
class DimensionSystems:
    """Every system on one dimension. ``whole`` holds the comparisons again over texts none of whose
    outputs is flagged, where a flag explains much (else empty). ``open_ended``: ``scale`` are the
    counts that somebody gave some system. ``no_ranks``: why there is no place, of any system; where
    the tests say the opposite of the means, ``ranks`` have the places that are possible all the
    same."""

    level: Level
    scale: tuple[float, ...]
    profiles: tuple[Profile, ...]
    comparisons: tuple[Comparison, ...]
    ranks: tuple[Rank, ...]
    no_ranks: Wording | None
    flags: tuple[FlagFigures, ...]
    whole: tuple[Comparison, ...]
    notes: tuple[Wording, ...]
    open_ended: bool = False
    better: Better = Better.HIGHER

    def as_dict(self) -> dict[str, Any]:
        return {
            "level": str(self.level),
            "better": str(self.better),
            "scale": [int(value) if value == int(value) else value for value in self.scale],
            **({"open_ended": True} if self.open_ended else {}),
            "systems": [profile.as_dict() for profile in self.profiles],
            "comparisons": [comparison.as_dict() for comparison in self.comparisons],
            "ranks": [rank.as_dict() for rank in self.ranks],
            "no_ranks": wording_facts(self.no_ranks),
            "flags": [flag.as_dict() for flag in self.flags],
            "without_flagged": [comparison.as_dict() for comparison in self.whole],
            "notes": [wording_facts(note) for note in self.notes],
        }


def side_by_side(
    dimensions: Mapping[str, Dimension],
    outputs: Sequence[Output],
    *,
    flags: Mapping[str, Collection[Hashable]],
    drawn: Drawn,
) -> dict[str, DimensionSystems]:
    """Every dimension. ``flags``: the units that bear each flag.

    Holm's correction is over all pairs of systems on all dimensions together: whoever reads the
    page reads all of them. The comparisons without flagged outputs are a family of their own.
    """
    judged = {unit for dimension in dimensions.values() for unit in _judged(dimension.ratings)}
    texts: dict[str, set[Hashable]] = defaultdict(set)
    for output in outputs:
        if output.system and output.unit in judged:
            texts[output.system].add(output.source)
    systems, are_alike = sorted(texts), _are_alike(texts.values())
    tables = {
        name: system_ratings(
            dimension.ratings,
            outputs,
            level=dimension.level,
            scale=None if dimension.open_ended else dimension.scale,
            systems=systems,
            better=dimension.better,
        )
        for name, dimension in dimensions.items()
    }
    reports = {
        name: _dimension(table, dimensions[name].ratings.unit_ids, flags, drawn, are_alike)
        for name, table in tables.items()
    }
    for name, table in tables.items():
        bad = [flag.flag for flag in reports[name].flags if flag.explains_much]
        if bad:
            whole = _whole(table, dimensions[name].ratings.unit_ids, flags, bad)
            reports[name] = replace(reports[name], whole=_comparisons(whole, drawn))
    main = _corrected({name: report.comparisons for name, report in reports.items()})
    whole_ones = _corrected({name: report.whole for name, report in reports.items()})
    placed = {name: ranks(tables[name], main[name]) for name in reports}
    return {
        name: replace(
            report,
            comparisons=main[name],
            whole=whole_ones[name],
            ranks=placed[name],
            no_ranks=why_against_tests(tables[name], main[name])
            if any(rank.rank is None for rank in placed[name])
            else report.no_ranks,
            open_ended=dimensions[name].open_ended,
            better=tables[name].better,
        )
        for name, report in reports.items()
    }


def _judged(ratings: Ratings) -> list[Hashable]:
    return [ratings.unit_ids[at] for at in np.unique(ratings.unit_index).tolist()]


def _dimension(
    table: SystemRatings,
    unit_ids: tuple[Hashable, ...],
    flags: Mapping[str, Collection[Hashable]],
    drawn: Drawn,
    are_alike: bool,
) -> DimensionSystems:
    comparisons = _comparisons(table, drawn)
    profiled = profiles(table, drawn)
    no_ranks = None
    if len(table.systems) > 1 and not ranks(table, comparisons):
        no_ranks = _no_ranks(table, comparisons)
    return DimensionSystems(
        level=table.level,
        scale=tuple(table.scale.tolist()),
        profiles=profiled,
        comparisons=comparisons,
        ranks=(),
        no_ranks=no_ranks,
        flags=tuple(
            flag_figures(table, unit_ids, units, flag, drawn)
            for flag, units in flags.items()
            if units
        ),
        whole=(),
        notes=tuple(_notes(table, are_alike)),
    )


def _no_ranks(table: SystemRatings, comparisons: Sequence[Comparison]) -> Wording:
    if not table.is_scale:
        return NO_RANKS_CLASSES
    if table.better == Better.NEITHER:
        return NO_RANKS_NEITHER
    if not set.intersection(*table.texts()):
        return NO_RANKS_SOURCES
    if any(comparison.undefined is NO_COMMON_PERSON for comparison in comparisons):
        return NO_RANKS_PEOPLE
    return NO_RANKS_UNANSWERED


def _comparisons(table: SystemRatings, drawn: Drawn) -> tuple[Comparison, ...]:
    return tuple(
        compared(table, first, second, drawn)
        for first, second in combinations(range(len(table.systems)), 2)
    )


def _corrected(
    by_dimension: Mapping[str, tuple[Comparison, ...]],
) -> dict[str, tuple[Comparison, ...]]:
    tested = [
        comparison.test.p
        for row in by_dimension.values()
        for comparison in row
        if comparison.test is not None
    ]
    adjusted = iter(holm(tested))
    return {
        name: tuple(
            comparison
            if comparison.test is None
            else comparison.corrected(next(adjusted), len(tested))
            for comparison in row
        )
        for name, row in by_dimension.items()
    }


def _notes(table: SystemRatings, are_alike: bool) -> list[Wording]:
    """``are_alike``: whether the systems' texts are, over all questions: where this one's are not,
    it was not put on all of them."""
    notes = []
    if len(np.unique(table.rater)) == 1:
        notes.append(ONE_PERSON)
    if len(table.place) and len(np.unique(table.place)) == 1:
        notes.append(ALL_EQUAL)
    texts = [set(table.source[table.of(code)].tolist()) for code in range(len(table.systems))]
    if not _are_alike(texts):
        notes.append(_TEXTS_DIFFER[are_alike, table.is_scale])
    return notes


def _are_alike(texts: Collection[set[Hashable]]) -> bool:
    return all(sources == next(iter(texts)) for sources in texts)


_TEXTS_DIFFER = {
    (False, True): DIFFERENT_SOURCES,
    (False, False): DIFFERENT_SOURCES_CLASSES,
    (True, True): DIFFERENT_ANSWERED,
    (True, False): DIFFERENT_ANSWERED_CLASSES,
}


def _whole(
    table: SystemRatings,
    unit_ids: tuple[Hashable, ...],
    flags: Mapping[str, Collection[Hashable]],
    bad: Sequence[str],
) -> SystemRatings:
    """Without the outputs that bear one of these flags."""
    flagged = {unit for flag in bad for unit in flags[flag]}
    kept = np.array([unit_ids[unit] not in flagged for unit in table.unit.tolist()], dtype=bool)
    return replace(
        table,
        unit=table.unit[kept],
        system=table.system[kept],
        source=table.source[kept],
        rater=table.rater[kept],
        place=table.place[kept],
        outputs=tuple(output for output in table.outputs if output.unit not in flagged),
    )
