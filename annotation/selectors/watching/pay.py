"""What people are paid for: the active time that was saved within a period, and what came of it.

Each save adds to its day what the pair's active time has grown by (``models.work``): every second
stands on exactly one day for good, and all periods add up to the whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum

from annotation.models import Annotator, Draft, Study, WorkedDay

# What the first save of a day brings was worked before it, and lies outside of the day's saves: the
# time of a pair or two. Far more than one pair is meant to take, so that no ordinary day is marked.
_BEFORE_THE_FIRST_SAVE = timedelta(minutes=30)
_TIMES_GUIDANCE = 2


@dataclass(frozen=True)
class FullDay:
    """A day on which more active time was saved than passed between its first save and its last.
    Pairs that were open beside each other count each for itself; so does what was judged without a
    network and sent later. Nothing is taken off."""

    day: date
    seconds: int
    between_seconds: int

    @property
    def hours(self) -> float:
        return self.seconds / 3600

    @property
    def between_hours(self) -> float:
        return self.between_seconds / 3600


@dataclass(frozen=True)
class Period:
    """Days of the installation's own time zone, both included; None is open."""

    first: date | None = None
    last: date | None = None

    @property
    def days(self) -> Q:
        """As a condition on rows with a ``day``."""
        since = Q() if self.first is None else Q(day__gte=self.first)
        return since if self.last is None else since & Q(day__lte=self.last)


@dataclass
class PayLine:
    """One person's work within the period. ``judgments``: pairs submitted for the first time;
    ``corrections``: submitted again. ``first_at``, ``last_at``: of the saves that brought time, and
    of submissions."""

    annotator: Annotator
    practice_seconds: int = 0
    main_seconds: int = 0
    judgments: int = 0
    corrections: int = 0
    first_at: datetime | None = field(default=None)
    last_at: datetime | None = field(default=None)
    full_days: list[FullDay] = field(default_factory=list)

    @property
    def seconds(self) -> int:
        return self.practice_seconds + self.main_seconds

    @property
    def practice_hours(self) -> float:
        return self.practice_seconds / 3600

    @property
    def hours(self) -> float:
        return self.seconds / 3600

    def worked(self, row: WorkedDay) -> None:
        """Add the time of a day, and what was submitted."""
        if row.is_practice:
            self.practice_seconds += row.seconds
        else:
            self.main_seconds += row.seconds
        self.judgments += row.judgments
        self.corrections += row.corrections
        self.first_at = min(self.first_at or row.first_at, row.first_at)
        self.last_at = max(self.last_at or row.last_at, row.last_at)


def pay_lines(study: Study, period: Period) -> list[PayLine]:
    """Everybody who judges here as a person, those who have left too: they worked. Two
    queries, over days and not over pairs."""
    people = study.annotators.filter(kind=Annotator.Kind.PERSON, user__isnull=False).select_related(
        "user"
    )
    lines = {annotator.pk: PayLine(annotator) for annotator in people}
    days: dict[tuple[int, date], list[WorkedDay]] = defaultdict(list)
    for row in WorkedDay.objects.filter(period.days, annotator__in=list(lines)).order_by("day"):
        lines[row.annotator_id].worked(row)
        days[row.annotator_id, row.day].append(row)
    margin = full_day_margin(study)
    for (annotator, day), rows in days.items():
        if full := _full_day(day, rows, margin):
            lines[annotator].full_days.append(full)
    return list(lines.values())


def full_day_margin(study: Study) -> timedelta:
    """How much more active time a day may have than passed between its saves: half an hour, or
    twice what the study means a pair to take, where that is longer."""
    guided = timedelta(seconds=_TIMES_GUIDANCE * study.guidance_seconds)
    return max(_BEFORE_THE_FIRST_SAVE, guided)


def _full_day(day: date, rows: list[WorkedDay], margin: timedelta) -> FullDay | None:
    """The day where its rounds have more active time together than its saves and ``margin``
    allow."""
    seconds = sum(row.seconds for row in rows)
    between = max(row.last_at for row in rows) - min(row.first_at for row in rows)
    if timedelta(seconds=seconds) <= between + margin:
        return None
    return FullDay(day, seconds, int(between.total_seconds()))


def with_work(annotators: QuerySet[Annotator]) -> QuerySet[Annotator]:
    """The same people with what ``worked_hours`` needs, in the same query; in the order in which
    they came."""
    # Each person's days on their own: joined, all that is read of a person is put in order by day.
    days = WorkedDay.objects.filter(annotator=OuterRef("pk")).order_by().values("annotator")
    seconds = Subquery(days.annotate(seconds_worked=Sum("seconds")).values("seconds_worked"))
    return annotators.annotate(worked_seconds=seconds).order_by("pk")


def seconds_of_erased(annotators: Iterable[Annotator]) -> dict[int, int]:
    """Active seconds of all pairs of those among them who have no account (any more), by id; one
    query, none where there is nobody such."""
    erased = [annotator.pk for annotator in annotators if annotator.user_id is None]
    if not erased:
        return {}
    drafts = Draft.objects.filter(annotator__in=erased).order_by()
    return dict(drafts.values_list("annotator").annotate(Sum("active_seconds")))


def worked_hours(annotator: Annotator, of_pairs: int | None) -> float:
    """Active hours in all, as the pay sheet adds them up. Of an erased account no days are kept:
    there the seconds that its submitted pairs hold are all that is known. The annotator comes from
    ``with_work``."""
    worked: int | None = annotator.worked_seconds if annotator.user_id else of_pairs  # type: ignore[attr-defined]  # annotated
    return (worked or 0) / 3600
