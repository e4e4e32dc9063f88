"""A study while people judge: how far each person and each item is, at what pace, and when it may
end.

Counts and times only: nothing here says what anybody answered, so a blind phase hides none of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Item,
    Judgment,
    JudgmentRevision,
    RejudgeRequest,
    Study,
    standing,
)
from annotation.models.item import offered_with
from annotation.selectors.base.standings import DONE
from annotation.selectors.watching.pay import with_work, worked_hours

PACE_DAYS = 7
_DAY = timedelta(days=1)
_FARTHEST = 100_000
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
# Names of columns, no null among them: a cursor has to be able to go on after any of them.
ORDERS = {
    "fewest": ("answers", "position"),
    "position": ("position",),
    "oldest": ("waits_since", "position"),
}


@dataclass(frozen=True)
class PersonWatch:
    """One person's work in the round that is open (in the main round, where none is).

    ``done``: submitted and not sent back. ``active_hours`` is of all rounds. ``seconds`` is the
    median over ``timed`` submitted pairs. ``pace`` is judgments a day: ``recent`` first
    submissions, and answers to what was sent back, within ``days`` days. ``end_at`` is None where
    ``outlook`` says why: "done", "nothing" (no pair), "left" (withdrawn), "still" (nothing
    submitted lately).
    """

    annotator: Annotator
    done: int
    total: int
    drafts: int
    active_hours: float
    seconds: float | None
    timed: int
    recent: int
    days: float
    pace: float
    outlook: str
    end_at: datetime | None
    last_at: datetime | None

    @property
    def left(self) -> int:
        return self.total - self.done


@dataclass(frozen=True)
class StudyWatch:
    """The whole study. ``end_at``: when the last person is done at their own pace; None where
    ``stuck`` people have no pace, or nobody has anything left to do (``outlook`` "done", "nothing"
    or "still")."""

    people: list[PersonWatch]
    rounds: tuple[str, ...]
    done: int
    total: int
    active_hours: float
    seconds: float | None
    timed: int
    recent: int
    outlook: str
    stuck: int
    end_at: datetime | None


def watched_rounds(study: Study) -> tuple[str, ...]:
    """The rounds that the figures are about."""
    return study.open_rounds or offered_with("main")


def study_watch(study: Study, now: datetime) -> StudyWatch:
    """Everybody who judges here as a person; six queries, whatever the size."""
    rounds = watched_rounds(study)
    of_round = Q(simplification__item__round__in=rounds)
    counts = _by_annotator(
        Assignment.objects.filter(of_round, annotator__study=study),
        total=Count(
            "pk", filter=~Q(released_at__isnull=False, judgment__submitted_at__isnull=True)
        ),
        done=Count("pk", filter=DONE),
    )
    begun = _by_annotator(
        Draft.objects.filter(assignment__annotator__study=study),
        "assignment__annotator",
        seconds=Sum("active_seconds"),
        last=Max("saved_at"),
        open=Count("pk", filter=Q(assignment__judgment__isnull=True)),
    )
    seconds, progress = _seconds(study, rounds), _progress(study, rounds)
    people = [
        _person(
            annotator,
            counts.get(annotator.pk, {}),
            begun.get(annotator.pk, {}),
            seconds.get(annotator.pk, []),
            progress.get(annotator.pk, []),
            now,
        )
        for annotator in with_work(
            study.annotators.filter(kind=Annotator.Kind.PERSON)
        ).select_related("user")
    ]
    return _whole(people, rounds, [one for found in seconds.values() for one in found])


def items_watch(
    study: Study, *, round_: str = "", short_of: int | None = None, search: str = ""
) -> QuerySet[Any]:
    """Items with ``answers`` (submitted by people who still judge, as many as the plan counts),
    ``expected`` (these and what they still hold), ``last_at`` and ``waits_since`` (the same, and
    long ago where there is no answer), to be sorted by one of ``ORDERS``; ``short_of``: only those
    with fewer answers than that."""
    here = Q(
        simplifications__assignments__annotator__kind=Annotator.Kind.PERSON,
        simplifications__assignments__annotator__withdrawn_at__isnull=True,
    )
    judged = Q(
        simplifications__assignments__judgment__submitted_at__isnull=False,
        simplifications__assignments__judgment__surplus=False,
    )
    held = Q(
        simplifications__assignments__released_at__isnull=True,
        simplifications__assignments__judgment__submitted_at__isnull=True,
    )
    items = Item.objects.filter(
        study=study, round__in=[round_] if round_ else watched_rounds(study)
    ).annotate(
        answers=Count("simplifications__assignments__judgment", filter=here & judged),
        expected=Count("simplifications__assignments", filter=here & (judged | held)),
        last_at=Max("simplifications__assignments__judgment__submitted_at", filter=here),
        waits_since=Coalesce("last_at", _LONG_AGO),
    )
    if search:
        items = items.filter(Q(key__icontains=search) | Q(original__icontains=search))
    return items if short_of is None else items.filter(answers__lt=short_of)


def _by_annotator(
    rows: QuerySet[Any], name: str = "annotator", **columns: Any
) -> dict[int, dict[str, Any]]:
    return {row[name]: row for row in rows.order_by().values(name).annotate(**columns)}


def _seconds(study: Study, rounds: Iterable[str]) -> dict[int, list[int]]:
    """Active seconds of each submitted pair, by annotator."""
    rows = Judgment.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=Annotator.Kind.PERSON,
        assignment__simplification__item__round__in=rounds,
        submitted_at__isnull=False,
        origin=Judgment.Origin.PERSON,
    )
    found: dict[int, list[int]] = defaultdict(list)
    for annotator, seconds in rows.order_by().values_list(
        "assignment__annotator", "active_seconds"
    ):
        found[annotator].append(seconds)
    return found


def _progress(study: Study, rounds: Iterable[str]) -> dict[int, list[datetime]]:
    """When each pair was submitted for the first time, or again because it was sent back, by
    annotator: a correction that nobody asked for is no progress."""
    of_round = Q(
        assignment__annotator__study=study, assignment__simplification__item__round__in=rounds
    )
    first = JudgmentRevision.objects.filter(standing(), of_round, number=1).order_by()
    again = RejudgeRequest.objects.filter(of_round, resolved_at__isnull=False).order_by()
    found: dict[int, list[datetime]] = defaultdict(list)
    moments: Iterable[tuple[int, Any]] = [
        *first.values_list("assignment__annotator", "submitted_at"),
        *again.values_list("assignment__annotator", "resolved_at"),
    ]
    for annotator, moment in moments:
        found[annotator].append(moment)
    return found


def _person(
    annotator: Annotator,
    counts: dict[str, Any],
    begun: dict[str, Any],
    seconds: list[int],
    progress: list[datetime],
    now: datetime,
) -> PersonWatch:
    done, total = counts.get("done", 0), counts.get("total", 0)
    days = pace_days(progress, now)
    recent = sum(moment > now - PACE_DAYS * _DAY for moment in progress)
    pace = recent / days
    outlook = _outlook(annotator, done, total, recent)
    return PersonWatch(
        annotator=annotator,
        done=done,
        total=total,
        drafts=begun.get("open", 0),
        active_hours=worked_hours(annotator, begun.get("seconds")),
        seconds=median(seconds) if seconds else None,
        timed=len(seconds),
        recent=recent,
        days=days,
        pace=pace,
        outlook=outlook,
        end_at=end_at(total - done, pace, now) if outlook == "" else None,
        last_at=begun.get("last"),
    )


def end_at(left: int, pace: float, now: datetime) -> datetime:
    """When so many pairs are done at a pace of judgments a day, which is above 0."""
    # Beyond some millions of days a date cannot be written; nobody plans for it.
    return now + min(left / pace, _FARTHEST) * _DAY


def pace_days(progress: list[datetime], now: datetime) -> float:
    """The days that the pace is over: seven, or fewer where somebody began within them, but one at
    least."""
    begun = min(progress, default=now)
    return min(float(PACE_DAYS), max(1.0, (now - begun) / _DAY))


def _outlook(annotator: Annotator, done: int, total: int, recent: int) -> str:
    if annotator.withdrawn_at is not None:
        return "left"
    if not total:
        return "nothing"
    if done >= total:
        return "done"
    return "" if recent else "still"


def _whole(people: list[PersonWatch], rounds: tuple[str, ...], seconds: list[int]) -> StudyWatch:
    here = [one for one in people if one.outlook != "left"]
    stuck = sum(one.outlook == "still" for one in here)
    ends = [one.end_at for one in here if one.end_at is not None]
    outlook = ""
    if stuck:
        outlook = "still"
    elif not ends:
        outlook = "done" if any(one.total for one in here) else "nothing"
    return StudyWatch(
        people=people,
        rounds=rounds,
        done=sum(one.done for one in here),
        total=sum(one.total for one in here),
        active_hours=sum(one.active_hours for one in people),
        seconds=median(seconds) if seconds else None,
        timed=len(seconds),
        recent=sum(one.recent for one in here),
        outlook=outlook,
        stuck=stuck,
        end_at=max(ends) if not outlook else None,
    )
