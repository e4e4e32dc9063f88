"""Every figure of the page on agreement, computed once and then shown in any language: numbers,
never words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation.agreement.camps import CampsTest, camps_test
from annotation.agreement.coefficients import agreement_within, alpha, percent_agreement
from annotation.agreement.consensus import Rule, consensus
from annotation.agreement.divisive import (
    Decomposition,
    DerivedScore,
    DivisiveUnit,
    decomposition,
    divisive_units,
)
from annotation.agreement.raters import Camps, RaterSummary, camps, rater_summaries
from annotation.agreement.report import SEED, DimensionReport
from annotation.agreement.result import Coefficient
from annotation.agreement.table import FloatArray, Ratings
from annotation.agreement.without import Without, alphas_without
from annotation.models import Study
from annotation.protocols.base import Level
from annotation.selectors.agreement.facts import JudgmentFacts, error_types, judgment_facts, only
from annotation.selectors.agreement.filters import Filters, chosen_pairs
from annotation.selectors.agreement.reliability import (
    PEOPLE,
    OfWithdrawn,
    StudyRatings,
    is_open_ended,
    level_of,
    scale_of,
    study_ratings,
)
from annotation.selectors.base.one_moment import one_moment

TENTHS = 10
DIVISIVE = 20


@dataclass(frozen=True)
class Stretch:
    """Judgments of one stretch of time, or under one version of the guide (``number``; None is none
    at all).

    ``same`` and ``near``: the share of comparisons with all other judgments of the same pairs,
    whenever made, that agree exactly or within one point; None where there are none. ``within`` is
    alpha among these judgments alone.
    """

    number: int | None
    judgments: int
    same: float | None
    near: float | None
    within: Coefficient | None = None


@dataclass(frozen=True)
class ClassFigures:
    """Agreement on the pairs that most people put in one class: a ``value`` of the nominal
    dimension ``classes``."""

    classes: str
    value: int
    pairs: int
    same: Coefficient
    near: Coefficient


@dataclass(frozen=True)
class Detail:
    """What is said of one dimension beyond its coefficients. ``scale``: every value that can be
    given; ``camps_test``: what there is to the groups in which the tree of ``camps`` ends;
    ``without``: each annotator's part in alpha, in the order of ``raters``."""

    level: Level
    scale: tuple[int, ...]
    raters: tuple[RaterSummary, ...]
    camps: Camps
    camps_test: CampsTest
    without: tuple[Without, ...]
    divisive: tuple[DivisiveUnit, ...]
    tenths: tuple[Stretch, ...]
    guides: tuple[Stretch, ...]
    classes: tuple[ClassFigures, ...]


@dataclass(frozen=True)
class Figures:
    """All of it, by dimension. ``item_of`` gives the item's key of a unit; ``imported`` counts
    judgments without bracket, errors and times; ``sources`` is None for a protocol without
    bracketed scale; ``of_withdrawn``: what of all this no snapshot holds."""

    reports: Mapping[str, DimensionReport]
    details: Mapping[str, Detail]
    sources: Decomposition | None
    item_of: Mapping[str, str]
    judgments: int
    imported: int
    of_withdrawn: OfWithdrawn


class _Reading(NamedTuple):
    """What figures are computed of; ``types``: of errors, by judgment, of a protocol with a
    bracketed scale."""

    ratings: StudyRatings
    judged: list[JudgmentFacts]
    types: dict[int, Counter[str]]


@one_moment()
def _read(study: Study, filters: Filters) -> _Reading:
    """All of one moment: what is submitted meanwhile is in none of it."""
    kinds = (filters.kind,) if filters.kind else PEOPLE
    context = filters.context_shown

    def read(pairs: set[int] | None) -> StudyRatings:
        return study_ratings(
            study,
            round=filters.round,
            kinds=kinds,
            simplifications=pairs,
            withdrawn=filters.has_withdrawn,
            context=context,
        )

    ratings = read(None)
    if filters.of_pairs:
        classes = majority_classes(ratings, study.seed, filters.class_dimension)
        ratings = read(chosen_pairs(study, filters, classes))
    judged = judgment_facts(study, round=filters.round, kinds=kinds, context=context)
    field = next(iter(study.protocol.bracketed), None)
    types = error_types(study, round=filters.round, field=field.deducts) if field else {}
    return _Reading(ratings, judged, types)


def study_figures(study: Study, filters: Filters) -> Figures:
    """Compute everything; a constant number of queries."""
    ratings, judged, types = _read(study, filters)
    everybody = {rater.pk for rater in ratings.annotators}
    units = _units_by_class(ratings, study.seed)
    facts = [
        judgment
        for judgment in only(judged, {unit.pk for unit in ratings.items})
        if judgment.annotator in everybody
    ]
    return Figures(
        reports=ratings.reports(),
        details={name: _detail(ratings, name, facts, units) for name in ratings.tables},
        sources=_sources(study, ratings, facts, types),
        item_of={unit.key: unit.item_key for unit in ratings.items},
        judgments=len(facts),
        imported=sum(judgment.is_imported for judgment in facts),
        of_withdrawn=ratings.of_withdrawn,
    )


def majority_classes(ratings: StudyRatings, seed: int, dimension: str = "") -> dict[int, int]:
    """The class that most people gave, by simplification; ties are drawn by the study's seed, as a
    release draws them.
    ``dimension``: whose values are the classes, by default the first that the protocol has."""
    name = dimension or next((classes.name for classes in ratings.protocol.classes), "")
    if name not in ratings.tables:
        return {}
    pk_of = {unit.key: unit.pk for unit in ratings.items}
    labels = consensus(ratings.tables[name], Rule.MAJORITY, seed, question=name).labels
    return {pk_of[str(label.unit)]: int(label.value) for label in labels if label.value is not None}


def _detail(
    ratings: StudyRatings,
    name: str,
    facts: Sequence[JudgmentFacts],
    units: Mapping[tuple[str, int], Sequence[str]],
) -> Detail:
    table, level = ratings.tables[name], level_of(ratings.protocol, name)
    # Of an open-ended count the answers are those that somebody gave.
    scale = (
        tuple(int(value) for value in table.observed_values)
        if is_open_ended(ratings.protocol, name)
        else scale_of(ratings.protocol, name)
    )
    same, near = _compared(table)
    times = _Times(ratings, facts, table, same, near)
    tree = camps(table, level=level)
    return Detail(
        level=level,
        scale=scale,
        raters=rater_summaries(table, level=level, scale=scale),
        camps=tree,
        camps_test=camps_test(table, tree, level=level, seed=SEED),
        without=alphas_without(
            table,
            level=level,
            seed=SEED,
            sources=ratings.source_of,
        ),
        divisive=divisive_units(table, level=level, limit=DIVISIVE),
        tenths=times.tenths(),
        guides=times.guides(level),
        classes=tuple(
            ClassFigures(classes, value, len(keys), percent_agreement(part), agreement_within(part))
            for (classes, value), keys in units.items()
            for part in [table.only_units(keys)]
        ),
    )


def _units_by_class(ratings: StudyRatings, seed: int) -> dict[tuple[str, int], list[str]]:
    """The units that most people put in each class, by dimension and value in their order."""
    key_of = {unit.pk: unit.key for unit in ratings.items}
    units: dict[tuple[str, int], list[str]] = {}
    for dimension in ratings.protocol.classes:
        of_value: dict[int, list[str]] = defaultdict(list)
        for pair, value in majority_classes(ratings, seed, dimension.name).items():
            of_value[value].append(key_of[pair])
        units |= {(dimension.name, value): of_value[value] for value in sorted(of_value)}
    return units


def _compared(table: Ratings) -> tuple[FloatArray, FloatArray]:
    """For each rating the share of the others of its unit that are the same, and at most one point
    away; NaN where there is no other. Shape (n_ratings,)."""
    matrix = table.matrix[table.unit_index]
    gaps = np.abs(matrix - table.values[:, None])
    others = (table.ratings_per_unit[table.unit_index] - 1).astype(np.float64)
    # The rating itself is among those that agree with it.
    counts = [(np.nan_to_num(gaps, nan=np.inf) <= most).sum(axis=1) - 1 for most in (0, 1)]
    same, near = (
        np.divide(count, others, out=np.full(len(others), np.nan), where=others > 0)
        for count in counts
    )
    return same, near


class _Times:
    """Ratings by when and under which guide they were made; imported ones have neither."""

    def __init__(
        self,
        ratings: StudyRatings,
        facts: Sequence[JudgmentFacts],
        table: Ratings,
        same: FloatArray,
        near: FloatArray,
    ) -> None:
        key_of = {unit.pk: unit.key for unit in ratings.items}
        name_of = {rater.pk: rater.pseudonym for rater in ratings.annotators}
        units = {unit: place for place, unit in enumerate(table.unit_ids)}
        raters = {rater: place for place, rater in enumerate(table.rater_ids)}
        cells = zip(table.unit_index.tolist(), table.rater_index.tolist(), strict=True)
        cell_of = {cell: place for place, cell in enumerate(cells)}
        self.table, self.same, self.near = table, same, near
        self.rows: list[tuple[JudgmentFacts, int]] = []
        for judgment in facts:
            cell = cell_of.get(
                (
                    units.get(key_of[judgment.simplification], -1),
                    raters.get(name_of[judgment.annotator], -1),
                )
            )
            if cell is not None and not judgment.is_imported:
                self.rows.append((judgment, cell))

    def tenths(self) -> tuple[Stretch, ...]:
        """By tenths of each annotator's own order of submission."""
        by_person: dict[int, list[int]] = defaultdict(list)
        for judgment, cell in self.rows:
            by_person[judgment.annotator].append(cell)
        cells: dict[int, list[int]] = defaultdict(list)
        for own in by_person.values():
            for place, cell in enumerate(own):
                cells[place * TENTHS // len(own)].append(cell)
        return (
            tuple(self._stretch(tenth + 1, cells[tenth]) for tenth in range(TENTHS))
            if cells
            else ()
        )

    def guides(self, level: Level) -> tuple[Stretch, ...]:
        """By version of the guide, with alpha among the judgments made under the same one."""
        cells: dict[int | None, list[int]] = defaultdict(list)
        for judgment, cell in self.rows:
            cells[judgment.guide].append(cell)
        return tuple(
            self._stretch(number, cells[number], alpha(self._part(cells[number]), level))
            for number in sorted(cells, key=lambda number: number or 0)
        )

    def _part(self, cells: Sequence[int]) -> Ratings:
        table, at = self.table, np.array(sorted(cells), dtype=np.int64)
        return Ratings.from_long(table.unit_index[at], table.rater_index[at], table.values[at])

    def _stretch(
        self, number: int | None, cells: Sequence[int], within: Coefficient | None = None
    ) -> Stretch:
        return Stretch(number, len(cells), _mean(self.same, cells), _mean(self.near, cells), within)


def _mean(shares: FloatArray, cells: Sequence[int]) -> float | None:
    known = shares[list(cells)] if cells else np.zeros(0)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else None


def _sources(
    study: Study,
    ratings: StudyRatings,
    facts: Sequence[JudgmentFacts],
    types: Mapping[int, Mapping[str, int]],
) -> Decomposition | None:
    field = next(iter(study.protocol.bracketed), None)
    if field is None:
        return None
    tops = {bracket.value: bracket.top for bracket in field.brackets}
    return decomposition(_scores(ratings, facts, types, field.dimension_name), tops)


def _scores(
    ratings: StudyRatings,
    facts: Iterable[JudgmentFacts],
    types: Mapping[int, Mapping[str, int]],
    dimension: str,
) -> list[DerivedScore]:
    table = ratings.tables[dimension]
    key_of = {unit.pk: unit.key for unit in ratings.items}
    name_of = {rater.pk: rater.pseudonym for rater in ratings.annotators}
    unit_of = {unit: place for place, unit in enumerate(table.unit_ids)}
    rater_of = {rater: place for place, rater in enumerate(table.rater_ids)}
    return [
        DerivedScore(
            unit=judgment.simplification,
            score=float(
                table.matrix[
                    unit_of[key_of[judgment.simplification]], rater_of[name_of[judgment.annotator]]
                ]
            ),
            bracket=judgment.bracket,
            errors=judgment.deductions,
            types=types.get(judgment.pk, {}),
        )
        for judgment in facts
        if judgment.bracket is not None and judgment.deductions is not None
    ]
