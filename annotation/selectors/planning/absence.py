"""Who has not been heard of: the last sign of life of everybody who judges."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.models import Annotator, Assignment, Event, Study


@dataclass(frozen=True)
class Presence:
    """One person who judges. ``away``: pairs of theirs were released, and they have not been back
    since."""

    annotator: Annotator
    last_at: datetime
    away: bool

    def absent_for(self, days: int) -> bool:
        """Whether nothing was heard of them for so many days."""
        return self.last_at <= timezone.now() - timedelta(days=days)


def judging(study: Study) -> QuerySet[Annotator]:
    """Everybody who judges and has not left, in the order in which they came."""
    return study.annotators.filter(
        kind=Annotator.Kind.PERSON, user__isnull=False, withdrawn_at__isnull=True
    ).order_by("pk")


def presences(study: Study) -> list[Presence]:
    """Everybody who judges and has not left, in the order in which they came; four queries. Whose
    account was erased judges no more.

    The clock starts when the main round was opened or they joined, whichever came last; after that,
    opening a pair, saving and submitting are signs of life.
    """
    joined = _joined(study)
    opened = (
        Event.objects.filter(
            study=study, verb="study_state_changed", details__after="main"
        ).aggregate(last=Max("created_at"))["last"]
        or study.created_at
    )
    people = list(judging(study).select_related("user"))
    # By their ids: PostgreSQL takes people of a small study to have as much as anybody else.
    theirs = Assignment.objects.filter(annotator__in=[person.pk for person in people])
    signs = {
        pk: (released, *alive)
        for pk, released, *alive in theirs.order_by()
        .values_list("annotator")
        .annotate(
            Max("released_at"),
            Max("draft__saved_at"),
            Max("judgment__submitted_at"),
            Max("opened_at"),
        )
    }
    return [
        _presence(
            person,
            [opened, joined.get(str(person.pk), person.created_at)],
            *signs.get(person.pk, (None,)),
        )
        for person in people
    ]


def _presence(
    annotator: Annotator,
    since: list[datetime],
    released: datetime | None,
    *signs: datetime | None,
) -> Presence:
    last = max([*since, *(sign for sign in signs if sign is not None)])
    return Presence(annotator, last, released is not None and released > last)


def _joined(study: Study) -> dict[str, datetime]:
    """When each annotator was last added or brought back, by their id as events hold it."""
    rows = Event.objects.filter(
        study=study,
        verb__in=("annotator_added", "annotator_brought_back"),
        target_type="annotator",
    ).order_by()
    return dict(rows.values_list("target_id").annotate(Max("created_at")))
