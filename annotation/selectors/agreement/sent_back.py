"""Judgments that an amended guide sent back: as they stood then, and as they were made again.

What a judgment was is read from its history (``JudgmentRevision``), as it was submitted; what was
taken back is no part of it. *Before* is the submission in force when the guide sent it back;
*after* the one in force now, or when a later version sent it back once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.agreement.table import rating_tables
from annotation.models import GuideVersion, JudgmentRevision, RejudgeRequest, Study, standing
from annotation.selectors.agreement.reliability import (
    RatedUnit,
    RaterFacts,
    StudyRatings,
    raters_of,
    units_of,
)
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.base.rounds import items_in

_PAIR = "assignment__simplification"


@dataclass(frozen=True)
class SentBack:
    """``sent``: how many judgments were sent back; ``again``: how many of them were made again, by
    ``people``, on ``outputs``. ``already``: how many of these stood under that version of the guide
    (or, of any, the one in force) when they were sent back. ``changed``: how many differ in one
    answer at least that is rated."""

    sent: int
    again: int
    people: int
    outputs: int
    already: int
    changed: int

    @property
    def waiting(self) -> int:
        """How many were not made again."""
        return self.sent - self.again

    def as_dict(self) -> dict[str, int]:
        return {
            "sent": self.sent,
            "again": self.again,
            "annotators": self.people,
            "outputs": self.outputs,
            "already_under_that_guide": self.already,
            "changed": self.changed,
        }


class _Request(NamedTuple):
    """One judgment: its output and person by their ids, the version that sent it back first, the
    moment of it, and that of the next version's, None where there was none."""

    pair: int
    person: int
    guide: int | None
    at: datetime
    until: datetime | None


class _Twice(NamedTuple):
    """The values by dimension before and after, and the guide of the former."""

    request: _Request
    before: Mapping[str, int]
    after: Mapping[str, int]
    guide: int | None


def sent_back_by(study: Study) -> list[int]:
    """The versions of the guide under which judgments were sent back, by number; one query."""
    # By its versions: of a study's judgments there are thousands.
    requests = RejudgeRequest.objects.filter(guide=OuterRef("pk")).order_by()
    guides = GuideVersion.objects.filter(Exists(requests), study=study).order_by("number")
    return list(guides.values_list("number", flat=True))


def sent_back_digest(study: Study) -> tuple[object, ...]:
    """Changes whenever something is sent back, made again or cancelled; one query."""
    numbers = RejudgeRequest.objects.filter(assignment__annotator__study=study).aggregate(
        number=Count("pk"), done=Count("resolved_at"), newest=Max("pk"), last=Max("resolved_at")
    )
    return tuple(numbers.values())


@one_moment()
def sent_back_ratings(
    study: Study,
    *,
    round: str = "main",  # noqa: A002
    kinds: Sequence[str],
    withdrawn: bool = True,
    context: bool | None = None,
    guide: int | None = None,
) -> tuple[SentBack, StudyRatings, StudyRatings]:
    """What was sent back under this version of the guide (None: under any), before and after, of
    those who made it again: both tables hold the same judgments. Four queries."""
    raters = raters_of(study, kinds, withdrawn=withdrawn)
    units = {unit.pk: unit for unit in units_of(study, round)}
    requests = {
        assignment: request
        for assignment, request in _requests_by_assignment(
            _requests(study, round, context), guide
        ).items()
        if request.person in raters and request.pair in units
    }
    twice = list(_twice(study, requests, round))
    sent_back = SentBack(
        sent=len(requests),
        again=len(twice),
        people=len({remade.request.person for remade in twice}),
        outputs=len({remade.request.pair for remade in twice}),
        already=sum(
            remade.guide is not None and remade.guide == remade.request.guide for remade in twice
        ),
        changed=sum(remade.before != remade.after for remade in twice),
    )
    before = _ratings(study, units, raters, [(remade.request, remade.before) for remade in twice])
    after = _ratings(study, units, raters, [(remade.request, remade.after) for remade in twice])
    return sent_back, before, after


def _requests(study: Study, round_: str, context: bool | None) -> QuerySet[RejudgeRequest]:
    """Of judgments of the round that are in force, in the order in which they were asked for."""
    requests = RejudgeRequest.objects.filter(
        items_in(round_, f"{_PAIR}__item__"),
        assignment__simplification__item__study=study,
        assignment__judgment__submitted_at__isnull=False,
        assignment__judgment__surplus=False,
    )
    return requests if context is None else requests.filter(assignment__context_shown=context)


def _requests_by_assignment(
    requests: QuerySet[RejudgeRequest], guide: int | None
) -> dict[int, _Request]:
    """By assignment. Several requests under one version are one sending back."""
    rows = requests.order_by("assignment", "pk").values_list(
        "assignment", f"{_PAIR}_id", "assignment__annotator_id", "guide__number", "requested_at"
    )
    by_assignment: dict[int, _Request] = {}
    for assignment, pair, person, number, at in rows:
        known = by_assignment.get(assignment)
        if guide is None or number == guide:
            by_assignment[assignment] = known or _Request(pair, person, number, at, None)
        elif known is not None and known.until is None:
            by_assignment[assignment] = known._replace(until=at)
    return by_assignment


def _twice(study: Study, requests: Mapping[int, _Request], round_: str) -> Iterable[_Twice]:
    """Those that were made again, in the order of their assignments."""
    submissions: dict[int, list[tuple[datetime, Any, int | None]]] = {}
    for assignment, *submitted in _submissions(study, round_):
        if assignment in requests:
            submissions.setdefault(assignment, []).append(tuple(submitted))
    for assignment, made in submissions.items():
        request = requests[assignment]
        former = [row for row in made if row[0] <= request.at]
        later = [
            row
            for row in made
            if row[0] > request.at and (not request.until or row[0] <= request.until)
        ]
        if former and later:
            before, after = (_values(study, rows[-1][1]) for rows in (former, later))
            yield _Twice(request, before, after, former[-1][2])


def _submissions(study: Study, round_: str) -> Iterable[tuple[Any, ...]]:
    """(assignment, moment, answers, number of the guide) of everything that was submitted where
    something was sent back, in its order."""
    requests = RejudgeRequest.objects.filter(assignment=OuterRef("assignment"))
    revisions = JudgmentRevision.objects.filter(
        standing(),
        Q(Exists(requests)),
        items_in(round_, f"{_PAIR}__item__"),
        assignment__simplification__item__study=study,
    )
    return (
        revisions.order_by("assignment", "number")
        .values_list("assignment", "submitted_at", "answers", "guide__number")
        .iterator()
    )


def _values(study: Study, answers: Any) -> dict[str, int]:
    """What the answers are rated as; rulings do not change once something was judged."""
    protocol = study.protocol
    parts = protocol.parts(protocol.clean(answers), study.rulings)
    return {name: rating.value for name, rating in parts.ratings.items()}


def _ratings(
    study: Study,
    units: Mapping[int, RatedUnit],
    raters: Mapping[int, RaterFacts],
    judged: Sequence[tuple[_Request, Mapping[str, int]]],
) -> StudyRatings:
    tables = rating_tables(
        [units[request.pair].key for request, _values in judged],
        [raters[request.person].pseudonym for request, _values in judged],
        {
            name: [values.get(name) for _request, values in judged]
            for name in study.protocol.dimensions
        },
    )
    return StudyRatings(study.protocol, tables, list(units.values()), list(raters.values()))
