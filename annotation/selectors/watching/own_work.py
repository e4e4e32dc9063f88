"""What an annotator's own work comes to: hours, pace, what is left, and pay where the study states
it. Never a peer's.

Hours are those of the pay sheet. Pairs are those that the annotator sees: what is hidden from them,
because it is offered again, would show in a count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from statistics import median
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import (
    Annotator,
    Assignment,
    Judgment,
    JudgmentRevision,
    Study,
    WorkedDay,
    out_of_sight,
    standing,
)
from annotation.selectors.base.standings import JUDGED
from annotation.selectors.judging.queue import counts_of
from annotation.selectors.watching.watching import PACE_DAYS, end_at, pace_days, watched_rounds

_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Worked:
    """Active seconds by period: the day, the week since Monday, the month, all of it."""

    today: int = 0
    week: int = 0
    month: int = 0
    whole: int = 0


@dataclass(frozen=True)
class OwnWork:
    """One annotator's work. ``pair_seconds`` is the median over ``timed`` submitted pairs of the
    watched rounds; ``recent`` pairs were submitted for the first time within ``days`` days.
    ``forecast_seconds``: what is left at the median; None where nothing was timed or no round is
    open. ``end_at`` is None where nothing was submitted lately."""

    study: Study
    worked: Worked
    done: int
    total: int
    pair_seconds: float | None
    timed: int
    recent: int
    days: float
    forecast_seconds: float | None
    end_at: datetime | None

    @property
    def left(self) -> int:
        return self.total - self.done

    def pay(self, seconds: int) -> Decimal | None:
        """What so many active seconds come to; None where the study states no rate."""
        if self.study.hourly_rate is None:
            return None
        return (self.study.hourly_rate * seconds / 3600).quantize(_CENT, ROUND_HALF_UP)


def own_work(annotator: Annotator, now: datetime) -> OwnWork:
    """``own_work_of`` for one."""
    return own_work_of([annotator], now)[annotator.pk]


def own_work_of(annotators: Collection[Annotator], now: datetime) -> dict[int, OwnWork]:
    """By annotator id; four queries for all of them. Their studies are there already."""
    counts = counts_of(annotators)
    worked = _worked(annotators, timezone.localdate(now, timezone.get_default_timezone()))
    seconds, firsts = _seconds(annotators), _firsts(annotators)
    return {
        one.pk: _own(
            one.study, worked[one.pk], counts[one.pk], seconds[one.pk], firsts[one.pk], now
        )
        for one in annotators
    }


def submitted(annotator: Annotator) -> int:
    """How many pairs in sight they have submitted, of all rounds."""
    return Assignment.objects.filter(JUDGED, annotator=annotator).exclude(out_of_sight()).count()


def _worked(annotators: Collection[Annotator], today: date) -> defaultdict[int, Worked]:
    monday = today - timedelta(days=today.weekday())
    found: defaultdict[int, Worked] = defaultdict(Worked)
    for row in WorkedDay.objects.filter(annotator__in=[one.pk for one in annotators]):
        before = found[row.annotator_id]
        found[row.annotator_id] = Worked(
            today=before.today + row.seconds * (row.day == today),
            week=before.week + row.seconds * (row.day >= monday),
            month=before.month
            + row.seconds * ((row.day.year, row.day.month) == (today.year, today.month)),
            whole=before.whole + row.seconds,
        )
    return found


def _seconds(annotators: Iterable[Annotator]) -> defaultdict[int, list[int]]:
    """Active seconds of each submitted pair in sight, by annotator."""
    rounds = {one.pk: watched_rounds(one.study) for one in annotators}
    seen = Judgment.objects.filter(
        assignment__annotator__in=list(rounds), submitted_at__isnull=False
    ).exclude(assignment__in=_hidden(rounds))
    names = ("assignment__annotator", "assignment__simplification__item__round", "active_seconds")
    found: defaultdict[int, list[int]] = defaultdict(list)
    for annotator, round_, seconds in seen.order_by().values_list(*names):
        if round_ in rounds[annotator]:
            found[annotator].append(seconds)
    return found


def _firsts(annotators: Iterable[Annotator]) -> defaultdict[int, list[datetime]]:
    """When each pair in sight was submitted for the first time, by annotator."""
    rounds = {one.pk: watched_rounds(one.study) for one in annotators}
    seen = JudgmentRevision.objects.filter(
        standing(), number=1, assignment__annotator__in=list(rounds)
    ).exclude(assignment__in=_hidden(rounds))
    names = ("assignment__annotator", "assignment__simplification__item__round", "submitted_at")
    found: defaultdict[int, list[datetime]] = defaultdict(list)
    for annotator, round_, moment in seen.order_by().values_list(*names):
        if round_ in rounds[annotator]:
            found[annotator].append(moment)
    return found


def _hidden(annotators: Iterable[int]) -> QuerySet[Assignment, Any]:
    return (
        Assignment.objects.filter(out_of_sight(), annotator__in=list(annotators))
        .order_by()
        .values("pk")
    )


def _own(
    study: Study,
    worked: Worked,
    counted: tuple[int, int],
    seconds: list[int],
    firsts: list[datetime],
    now: datetime,
) -> OwnWork:
    done, total = counted
    pair_seconds = median(seconds) if seconds else None
    recent = sum(moment > now - timedelta(days=PACE_DAYS) for moment in firsts)
    days = pace_days(firsts, now)
    left = total - done if study.open_rounds else 0
    return OwnWork(
        study=study,
        worked=worked,
        done=done,
        total=total,
        pair_seconds=pair_seconds,
        timed=len(seconds),
        recent=recent,
        days=days,
        forecast_seconds=left * pair_seconds if left and pair_seconds is not None else None,
        end_at=end_at(left, recent / days, now) if left and recent else None,
    )
