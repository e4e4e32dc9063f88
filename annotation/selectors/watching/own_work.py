"""What an annotator's own work comes to: hours, pace, what is left, and pay where the study states
it. Never a peer's.

Hours are those of the pay sheet. Pairs are those that the annotator sees: what is hidden from them,
because it is offered again, would show in a count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from django.db.models import Sum
from django.utils import timezone

from annotation.models import Annotator, Assignment, Study, Tally, WorkedDay
from annotation.selectors.base.standings import AGAIN
from annotation.selectors.judging.queue import counts_of
from annotation.selectors.watching.latest import Latest, latest_of
from annotation.selectors.watching.watching import end_at, watches_practice

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
    """One annotator's work. ``pair_seconds`` is the median over ``timed`` submitted pairs, among
    those of the watched rounds that they worked on last (``latest``); ``recent`` pairs were
    submitted for the first time within ``days`` days.
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
    """By annotator id; five queries for all of them, three more where some are in practice and
    others are not, one more for each 5,000 pairs. Their studies are there already."""
    counts = counts_of(annotators)
    worked = _worked(annotators, timezone.localdate(now, timezone.get_default_timezone()))
    latest = _latest(annotators, now)
    return {
        annotator.pk: _own(
            annotator.study, worked[annotator.pk], counts[annotator.pk], latest[annotator.pk], now
        )
        for annotator in annotators
    }


def submitted(annotator: Annotator) -> int:
    """How many pairs in sight they have submitted, of all rounds: as it is kept, and what waits to
    be made again."""
    kept = Tally.objects.filter(annotator=annotator).aggregate(done=Sum("done"), again=Sum("again"))
    if not kept["again"]:
        return kept["done"] or 0
    again = Assignment.objects.filter(
        AGAIN, annotator=annotator, standing__gt=Assignment.Standing.HIDDEN
    )
    return int(kept["done"] or 0) + again.count()


def _worked(annotators: Collection[Annotator], today: date) -> defaultdict[int, Worked]:
    monday = today - timedelta(days=today.weekday())
    by_annotator: defaultdict[int, Worked] = defaultdict(Worked)
    for row in WorkedDay.objects.filter(annotator__in=[annotator.pk for annotator in annotators]):
        before = by_annotator[row.annotator_id]
        by_annotator[row.annotator_id] = Worked(
            today=before.today + row.seconds * (row.day == today),
            week=before.week + row.seconds * (row.day >= monday),
            month=before.month
            + row.seconds * ((row.day.year, row.day.month) == (today.year, today.month)),
            whole=before.whole + row.seconds,
        )
    return by_annotator


def _latest(annotators: Collection[Annotator], now: datetime) -> dict[int, Latest]:
    """Of the round that is open to each, without what they do not see."""
    by_annotator: dict[int, Latest] = {}
    for in_practice in (True, False):
        some = [
            annotator.pk
            for annotator in annotators
            if watches_practice(annotator.study) == in_practice
        ]
        if some:
            by_annotator |= latest_of(some, now, in_practice=in_practice, seen=True, again=False)
    return by_annotator


def _own(
    study: Study,
    worked: Worked,
    counted: tuple[int, int],
    latest: Latest,
    now: datetime,
) -> OwnWork:
    done, total = counted
    pair_seconds = median(latest.seconds) if latest.seconds else None
    recent, days = latest.recent(now), latest.days(now)
    left = total - done if study.open_rounds else 0
    return OwnWork(
        study=study,
        worked=worked,
        done=done,
        total=total,
        pair_seconds=pair_seconds,
        timed=len(latest.seconds),
        recent=recent,
        days=days,
        forecast_seconds=left * pair_seconds if left and pair_seconds is not None else None,
        end_at=end_at(left, recent / days, now) if left and recent else None,
    )
