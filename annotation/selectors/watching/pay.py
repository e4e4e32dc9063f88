"""What people are paid for: the active time that was saved within a period, and what came of it.

Each save adds to its day what the pair's active time has grown by (``models.work``): every second
stands on exactly one day for good, and all periods add up to the whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum

from annotation.models import Annotator, Draft, Study, WorkedDay


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
    for row in WorkedDay.objects.filter(period.days, annotator__in=list(lines)):
        lines[row.annotator_id].worked(row)
    return list(lines.values())


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
