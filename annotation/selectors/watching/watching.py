"""A study while people judge: how far each person and each item is, at what pace, and when it may
end.

Counts and times only: nothing here says what anybody answered, so a blind phase hides none of it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, Q, QuerySet, Value
from django.db.models.functions import NullIf

from annotation.models import (
    LONG_AGO,
    Annotator,
    Item,
    RejudgeRequest,
    Study,
)
from annotation.models.item import offered_with
from annotation.selectors.base.answered import answered
from annotation.selectors.base.sizes import sizes_kept
from annotation.selectors.watching.counting import round_counts
from annotation.selectors.watching.latest import Latest, latest_of
from annotation.selectors.watching.pay import seconds_of_erased, with_work, worked_hours

_DAY = timedelta(days=1)
_FARTHEST = 100_000
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
    median over ``timed`` submitted pairs, among those that they worked on last (``latest``);
    ``drafts``: begun and not submitted, among the same. ``pace`` is judgments a day: ``recent``
    first submissions, and answers to what was sent back, within ``days`` days. ``end_at`` is None
    where ``outlook`` says why: "done", "nothing" (no pair), "left" (withdrawn), "closed" (no round
    is open, so nothing more is judged), "still" (nothing submitted lately).
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
    """The whole study: of whoever is here, but for ``active_hours``, which are of those who left
    too. ``end_at``: when the last person is done at their own pace; None where ``stuck`` people
    have no pace, or nobody has anything left to do (``outlook`` "done", "nothing", "closed" or
    "still")."""

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


def watches_practice(study: Study) -> bool:
    """Whether the figures are about practice."""
    return Item.Round.PRACTICE in watched_rounds(study)


def study_watch(study: Study, now: datetime) -> StudyWatch:
    """Everybody who judges here as a person; seven queries, whatever the size, and one where an
    account was erased. They read what is kept of each person (``Tally``), what was released or
    offered again, and what they worked on last; not their pairs."""
    annotators = list(
        with_work(study.annotators.filter(kind=Annotator.Kind.PERSON)).select_related("user")
    )
    keys, in_practice = [annotator.pk for annotator in annotators], watches_practice(study)
    counts = round_counts(annotators, [in_practice])
    latest = latest_of(keys, now, in_practice=in_practice, seen=False, again=True)
    erased = seconds_of_erased(annotators)
    people = [
        _person(
            annotator,
            counts[annotator.pk, in_practice],
            erased.get(annotator.pk),
            latest[annotator.pk],
            now,
        )
        for annotator in annotators
    ]
    seconds = [
        each
        for annotator in annotators
        if annotator.withdrawn_at is None
        for each in latest[annotator.pk].seconds
    ]
    return _whole(people, watched_rounds(study), seconds)


def items_watch(
    study: Study, *, round_: str = "", short_of: int | None = None, search: str = ""
) -> QuerySet[Any]:
    """Items with the numbers that are kept of each and ``last_at`` (None where there is no answer),
    to be sorted by one of ``ORDERS``: one range of an index each. ``short_of``: only those with
    fewer answers than that."""
    rounds = [round_] if round_ else list(watched_rounds(study))
    items = Item.objects.filter(
        # As the indexes say it; what stands aside is looked for among the others.
        in_practice__in=[Item.Round.PRACTICE in rounds],
        study=study,
    ).annotate(last_at=NullIf("waits_since", Value(LONG_AGO)))
    if round_ in (Item.Round.MAIN, *Item.Aside.values):
        items = items.filter(round=round_)
    else:
        # Nobody is to answer what a draw left to models.
        items = items.exclude(round=Item.Aside.MACHINE)
    if search:
        items = items.filter(Q(key__icontains=search) | Q(original__icontains=search))
    return items if short_of is None else items.filter(answers__lt=short_of)


def items_sent_back(items: Collection[int]) -> dict[int, int]:
    """By the item's id, how many of its ``answers`` were sent back and wait to be made again; one
    query."""
    waiting = RejudgeRequest.objects.filter(
        answered("assignment__"),
        resolved_at__isnull=True,
        assignment__annotator__kind=Annotator.Kind.PERSON,
        assignment__annotator__withdrawn_at__isnull=True,
        assignment__simplification__item__in=items,
    )
    by_item = waiting.order_by().values_list("assignment__simplification__item")
    return dict(by_item.annotate(number=Count("pk")))


def items_number(study: Study) -> int:
    """How many items the watched rounds hold, as it is kept; one query."""
    size = sizes_kept(study.pk)
    return size.practice if watches_practice(study) else size.main + size.beside


def _person(
    annotator: Annotator,
    counts: tuple[int, int],
    seconds: int | None,
    latest: Latest,
    now: datetime,
) -> PersonWatch:
    done, total = counts
    recent, days = latest.recent(now), latest.days(now)
    pace = recent / days
    outlook = _outlook(annotator, done, total, recent)
    return PersonWatch(
        annotator=annotator,
        done=done,
        total=total,
        drafts=latest.open,
        active_hours=worked_hours(annotator, seconds),
        seconds=median(latest.seconds) if latest.seconds else None,
        timed=len(latest.seconds),
        recent=recent,
        days=days,
        pace=pace,
        outlook=outlook,
        end_at=end_at(total - done, pace, now) if outlook == "" else None,
        last_at=latest.last_at,
    )


def end_at(left: int, pace: float, now: datetime) -> datetime:
    """When so many pairs are done at a pace of judgments a day, which is above 0."""
    # Beyond some millions of days a date cannot be written; nobody plans for it.
    return now + min(left / pace, _FARTHEST) * _DAY


def _outlook(annotator: Annotator, done: int, total: int, recent: int) -> str:
    if annotator.withdrawn_at is not None:
        return "left"
    if not total:
        return "nothing"
    if done >= total:
        return "done"
    if not annotator.study.open_rounds:
        return "closed"
    return "" if recent else "still"


def _whole(people: list[PersonWatch], rounds: tuple[str, ...], seconds: list[int]) -> StudyWatch:
    here = [person for person in people if person.outlook != "left"]
    stuck = sum(person.outlook == "still" for person in here)
    ends = [person.end_at for person in here if person.end_at is not None]
    outlook = ""
    if any(person.outlook == "closed" for person in here):
        outlook = "closed"
    elif stuck:
        outlook = "still"
    elif not ends:
        outlook = "done" if any(person.total for person in here) else "nothing"
    return StudyWatch(
        people=people,
        rounds=rounds,
        done=sum(person.done for person in here),
        total=sum(person.total for person in here),
        active_hours=sum(person.active_hours for person in people),
        seconds=median(seconds) if seconds else None,
        timed=len(seconds),
        recent=sum(person.recent for person in here),
        outlook=outlook,
        stuck=stuck,
        end_at=max(ends) if not outlook else None,
    )
