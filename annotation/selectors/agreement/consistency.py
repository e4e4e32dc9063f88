"""Rater consistency: silent repeats against the first answers, and control pairs against what they
must be.

None of it is data of the study: repeats and control pairs are rounds of their own. For leads only.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from django.db.models import Count, QuerySet

from annotation.agreement.report import DimensionReport, dimension_report
from annotation.agreement.table import rating_tables
from annotation.models import Annotator, Assignment, Item, Judgment, Simplification, Study
from annotation.protocols.base import Level
from annotation.protocols.protocol import Expectation, Protocol
from annotation.scoring.splits import source_key
from annotation.selectors.agreement.reliability import is_open_ended, level_of, scale_of


@dataclass(frozen=True)
class Twice:
    """One pair, of the source text ``source``, that one person judged twice; values by
    dimension."""

    annotator: str
    pair: str
    source: str
    first: Mapping[str, int]
    second: Mapping[str, int]


@dataclass(frozen=True)
class OwnAgreement:
    """One person against themselves on one dimension: the share (0–1) of equal answers over
    ``pairs``, and the mean of the second minus the first where values can be subtracted."""

    annotator: str
    dimension: str
    pairs: int
    same: float
    shift: float | None


@dataclass(frozen=True)
class Repeats:
    """All repeats of a study: ``offered``, and how many to whom (``given``), those answered
    (``twice``), agreement by person and over everybody.

    In ``reports`` a unit is a person's pair and the two raters are "first" and "second". A text may
    have come twice before several people, in several outputs: ``other_sources`` draws it with all
    of its repeats.
    """

    given: Mapping[str, int]
    twice: tuple[Twice, ...]
    by_person: tuple[OwnAgreement, ...]
    reports: Mapping[str, DimensionReport]

    @property
    def offered(self) -> int:
        return sum(self.given.values())


@dataclass(frozen=True)
class ControlResult:
    """One person's answers to the control pairs of one kind: how many they have, judged, passed;
    ``passed`` is None where the protocol expects nothing of such a pair, ``passed_strictly`` where
    it knows no narrower range."""

    annotator: str
    kind: str
    given: int
    judged: int
    passed: int | None
    passed_strictly: int | None = None


def study_repeats(study: Study) -> Repeats:
    """The repeats and what came of them; a constant number of queries."""
    # The study twice: by the round alone, the items of every study were read to find its own.
    repeats = Assignment.objects.filter(
        annotator__study=study,
        simplification__item__study=study,
        simplification__item__round=Item.Aside.REPEAT,
    )
    twice = tuple(_twice(study))
    return Repeats(
        dict(repeats.order_by().values_list("annotator__pseudonym").annotate(Count("pk"))),
        twice,
        tuple(_by_person(study.protocol, twice)),
        _reports(study.protocol, twice),
    )


def study_controls(study: Study) -> list[ControlResult]:
    """What everybody made of the control pairs, by person and kind, in the order in which people
    came; two queries.

    What such a pair must get is the protocol's to say (``Protocol.controls``).
    """
    rows = (
        Assignment.objects.filter(
            annotator__study=study,
            simplification__item__study=study,
            simplification__item__round=Item.Aside.CONTROL,
        )
        .exclude(annotator__kind=Annotator.Kind.MACHINE)
        .select_related("annotator", "judgment", "simplification__item")
        .prefetch_related("judgment__ratings")
        .order_by("annotator", "simplification__item__control", "pk")
    )
    answers: dict[tuple[str, str], list[dict[str, int] | None]] = {}
    for row in rows:
        key = (row.annotator.pseudonym, row.simplification.item.control)
        answers.setdefault(key, []).append(_sealed_values(row))
    return [
        _control_result(name, kind, given, study.protocol.controls.get(kind, ()))
        for (name, kind), given in answers.items()
    ]


def passes(expected: Sequence[Expectation], values: Mapping[str, int]) -> bool:
    """Whether a control pair was judged as it must be, on every dimension that is asked of it."""
    return all(
        expectation.dimension in values
        and expectation.lowest <= values[expectation.dimension] <= expectation.highest
        for expectation in expected
    )


def _control_result(
    name: str,
    kind: str,
    given: Sequence[Mapping[str, int] | None],
    expected: Sequence[Expectation],
) -> ControlResult:
    judged = [values for values in given if values is not None]
    strictly = [
        Expectation(expectation.dimension, *expectation.strictly)
        for expectation in expected
        if expectation.strictly is not None
    ]
    return ControlResult(
        annotator=name,
        kind=kind,
        given=len(given),
        judged=len(judged),
        passed=sum(passes(expected, values) for values in judged) if expected else None,
        passed_strictly=sum(passes(strictly, values) for values in judged) if strictly else None,
    )


def _sealed_values(assignment: Assignment) -> dict[str, int] | None:
    judgment = getattr(assignment, "judgment", None)
    return _values(judgment) if judgment is not None and judgment.submitted_at else None


def _twice(study: Study) -> Iterable[Twice]:
    seconds = _sealed(study).filter(assignment__simplification__repeat_of__isnull=False)
    pairs = Simplification.objects.filter(item__study=study, repeat_of__isnull=False)
    first_of = dict(pairs.values_list("pk", "repeat_of_id"))
    firsts = {
        (judgment.assignment.annotator_id, judgment.assignment.simplification_id): judgment
        for judgment in _sealed(study).filter(
            assignment__simplification__in=list(first_of.values())
        )
    }
    for second in seconds:
        own = second.assignment
        first = firsts.get((own.annotator_id, first_of[own.simplification_id] or 0))
        if first is not None:
            item = first.assignment.simplification.item
            pair = f"{item.key}/{first.assignment.simplification.position}"
            source = source_key(item.original)
            yield Twice(own.annotator.pseudonym, pair, source, _values(first), _values(second))


def _sealed(study: Study) -> QuerySet[Judgment]:
    return (
        Judgment.objects.filter(
            assignment__simplification__item__study=study, submitted_at__isnull=False
        )
        .select_related("assignment__annotator", "assignment__simplification__item")
        .prefetch_related("ratings")
        .order_by("assignment__annotator", "assignment__position")
    )


def _values(judgment: Judgment) -> dict[str, int]:
    return {rating.dimension: rating.value for rating in judgment.ratings.all()}


def _by_person(protocol: Protocol, twice: tuple[Twice, ...]) -> Iterable[OwnAgreement]:
    for name in dict.fromkeys(repeat.annotator for repeat in twice):
        own = [repeat for repeat in twice if repeat.annotator == name]
        for dimension in protocol.scales:
            couples = [
                (repeat.first[dimension.name], repeat.second[dimension.name])
                for repeat in own
                if dimension.name in repeat.first and dimension.name in repeat.second
            ]
            if not couples:
                continue  # a question that was not asked, or not answered, both times
            shift = (
                None
                if dimension.level == Level.NOMINAL
                else fmean(second - first for first, second in couples)
            )
            same = sum(first == second for first, second in couples) / len(couples)
            yield OwnAgreement(name, dimension.name, len(couples), same, shift)


def _reports(protocol: Protocol, twice: tuple[Twice, ...]) -> dict[str, DimensionReport]:
    named = [f"{repeat.annotator}:{repeat.pair}" for repeat in twice]
    units = [unit for unit in named for _ in range(2)]
    source_of: dict[Hashable, Hashable] = {
        unit: repeat.source for unit, repeat in zip(named, twice, strict=True)
    }
    raters = ["first", "second"] * len(twice)
    columns = {
        name: [values.get(name) for repeat in twice for values in (repeat.first, repeat.second)]
        for name in protocol.dimensions
    }
    return {
        name: dimension_report(
            table,
            level=level_of(protocol, name),
            scale=scale_of(protocol, name),
            sources=source_of,
            open_ended=is_open_ended(protocol, name),
        )
        for name, table in rating_tables(units, raters, columns).items()
    }
