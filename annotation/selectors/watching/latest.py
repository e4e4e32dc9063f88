"""What people worked on last: enough for their pace, and no more to read of somebody who has judged
ten thousand pairs than of somebody who has judged a hundred.

Each save of a pair moves its draft to the end of one index (``Draft.annotator``, ``saved_at``), and
so does a submission, but for one that brings only what an earlier save brought: whatever happened
within the last days happened to pairs whose drafts are of these days, or were the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    JudgmentRevision,
    RejudgeRequest,
    standing,
)

LATEST = 100
PACE_DAYS = 7
_WINDOW = timedelta(days=PACE_DAYS)
_DAY = timedelta(days=1)
# A condition for each person: SQLite takes an expression of a thousand parts at most.
_AT_ONCE = 200
_PAIRS_AT_ONCE = 5000


@dataclass
class Latest:
    """One person's last work in a round.

    ``seconds``: active seconds of the pairs that are submitted, among the ``LATEST`` that were
    saved last. ``moments``: first submissions (with ``again``, answers to what was sent back too)
    of the pairs that were saved last or within ``PACE_DAYS``: all of these days, and some before.
    ``begun_at``: the oldest save of a submitted pair. ``open``: among the same pairs, and of all
    rounds, those that are begun and not submitted. ``last_at``: the last save, of all rounds.
    """

    seconds: list[int] = field(default_factory=list)
    moments: list[datetime] = field(default_factory=list)
    begun_at: datetime | None = None
    open: int = 0
    last_at: datetime | None = None

    def recent(self, now: datetime) -> int:
        """How many of ``moments`` are of the last days."""
        return sum(moment > now - _WINDOW for moment in self.moments)

    def days(self, now: datetime) -> float:
        """The days that the pace is over: seven, or fewer where somebody began within them, but one
        at least."""
        known = [*self.moments, *([self.begun_at] if self.begun_at else [])]
        return min(float(PACE_DAYS), max(1.0, (now - min(known, default=now)) / _DAY))


def latest_of(
    annotators: Collection[int], now: datetime, *, in_practice: bool, seen: bool, again: bool
) -> dict[int, Latest]:
    """By annotator id; three queries for up to two hundred people, four with ``again``, and one
    more for each 5,000 pairs. ``seen``: without the pairs that are out of their sight."""
    by_annotator = {annotator: Latest() for annotator in annotators}
    keys = sorted(by_annotator)
    for start in range(0, len(keys), _AT_ONCE):
        _read(
            by_annotator,
            keys[start : start + _AT_ONCE],
            now,
            _Wanted(in_practice=in_practice, seen=seen, again=again),
        )
    return by_annotator


@dataclass(frozen=True)
class _Wanted:
    in_practice: bool
    seen: bool
    again: bool

    def of(self, way: str = "") -> Q:
        """As a condition on rows of the assignment that ``way`` leads to."""
        wanted = Q(**{f"{way}in_practice__in": [self.in_practice]})
        above = Q(**{f"{way}standing__gt": Assignment.Standing.HIDDEN})
        return wanted & above if self.seen else wanted


def _read(
    by_annotator: dict[int, Latest], annotators: Sequence[int], now: datetime, wanted: _Wanted
) -> None:
    ranges: list[tuple[int, datetime | None]] = []
    for pk, hundredth, begun_at, last_at in _ends(annotators, wanted):
        by_annotator[pk].begun_at, by_annotator[pk].last_at = begun_at, last_at
        if hundredth is not None:
            ranges.append((pk, min(hundredth, now - _WINDOW)))
        elif last_at is not None:
            ranges.append((pk, None))
    if not ranges:
        return
    these = reduce(or_, (_since(*of) for of in ranges))
    number: Counter[int] = Counter()
    for annotator, is_wanted, submitted_at, seconds, first_at in _worked_on(these, wanted):
        latest = by_annotator[annotator]
        number[annotator] += 1
        latest.open += submitted_at is None
        if is_wanted and submitted_at is not None and number[annotator] <= LATEST:
            latest.seconds.append(seconds)
        if is_wanted and first_at is not None:
            latest.moments.append(first_at)
    if wanted.again:
        way = "assignment__draft__"
        answered = RejudgeRequest.objects.filter(
            reduce(or_, (_since(*of, way=way) for of in ranges)),
            wanted.of("assignment__"),
            resolved_at__isnull=False,
        )
        for annotator, moment in answered.order_by().values_list(f"{way}annotator", "resolved_at"):
            by_annotator[annotator].moments.append(moment)


def _ends(annotators: Sequence[int], wanted: _Wanted) -> QuerySet[Annotator, Any]:
    """Of each: its id, when the last but ``LATEST - 1`` of their drafts was saved, the first of a
    pair that is submitted, and the last."""
    mine = Draft.objects.filter(annotator=OuterRef("pk"))
    submitted = mine.filter(
        wanted.of("assignment__"), assignment__judgment__submitted_at__isnull=False
    )

    def saved(drafts: QuerySet[Draft], place: int = 0) -> Subquery:
        return Subquery(drafts.values("saved_at")[place : place + 1])

    return (
        Annotator.objects.filter(pk__in=annotators)
        .order_by()
        .values_list(
            "pk",
            saved(mine.order_by("-saved_at"), LATEST - 1),
            saved(submitted.order_by("saved_at")),
            saved(mine.order_by("-saved_at")),
        )
    )


def _since(annotator: int, moment: datetime | None, *, way: str = "") -> Q:
    """As a condition on drafts, or on what leads to them: this person's, saved then or later; None
    for all of them."""
    mine = Q(**{f"{way}annotator": annotator})
    return mine if moment is None else mine & Q(**{f"{way}saved_at__gte": moment})


def _worked_on(these: Q, wanted: _Wanted) -> Iterator[tuple[Any, ...]]:
    """Annotator, whether the pair is one of ``wanted``, when it was submitted (None: not), its
    active seconds and its first submission; each person's last first."""
    drafts = Draft.objects.filter(these).order_by("annotator", "-saved_at", "-pk")
    pairs = list(drafts.values_list("annotator", "assignment"))
    facts: dict[int, tuple[Any, ...]] = {}
    # By the pairs' own ids: joined to a range of drafts, which it takes for more than they are,
    # PostgreSQL read the assignments of every study.
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = [pair for _annotator, pair in pairs[start : start + _PAIRS_AT_ONCE]]
        facts |= {pk: of for pk, *of in _facts(some)}
    for annotator, pair in pairs:
        if pair not in facts:  # taken away meanwhile
            continue
        in_practice, stands, *of = facts[pair]
        in_sight = stands > Assignment.Standing.HIDDEN or not wanted.seen
        yield annotator, in_practice == wanted.in_practice and in_sight, *of


def _facts(pairs: Sequence[int]) -> QuerySet[Assignment, Any]:
    first = JudgmentRevision.objects.filter(
        standing(), assignment=OuterRef("pk"), number=1
    ).order_by()
    return (
        Assignment.objects.filter(pk__in=pairs)
        .order_by()
        .values_list(
            "pk",
            "in_practice",
            "standing",
            "judgment__submitted_at",
            "judgment__active_seconds",
            Subquery(first.values("submitted_at")[:1]),
        )
    )
