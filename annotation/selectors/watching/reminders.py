"""Who could be reminded that pairs wait for them, and who is due by the study's own rule."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max, OuterRef, Q, Subquery

from annotation.models import Annotator, Draft, Event, Item, Reminder, Study, Tally
from annotation.selectors.judging.queue import of_round

# Each of these may have reached its reader.
REACHED = (Reminder.Outcome.SENDING, Reminder.Outcome.SENT, Reminder.Outcome.HANDED)
# The mail server was away: the rule tries again the next day, not every half minute.
AFTER_FAILURE = timedelta(days=1)


@dataclass(frozen=True)
class Remindable:
    """Somebody who has pairs to judge. ``quiet_since``: their last save, or when they could begin.
    ``again_at``: from when they may be reminded; None for now. ``failed_at``: the last try that the
    mail server refused."""

    annotator: Annotator
    open: int
    quiet_since: datetime
    reminded_at: datetime | None
    failed_at: datetime | None
    again_at: datetime | None


def remindables(study: Study, now: datetime) -> list[Remindable]:
    """Everybody who still judges in the open round and is not done; four queries, none where no
    round is open."""
    if not study.open_rounds:
        return []
    opened = (
        Event.objects.filter(
            study=study, verb="study_state_changed", details__after=study.state
        ).aggregate(last=Max("created_at"))["last"]
        or study.created_at
    )
    reminded: dict[int, dict[str, Any]] = {
        row["annotator"]: dict(row)
        for row in Reminder.objects.filter(annotator__study=study)
        .order_by()
        .values("annotator")
        .annotate(
            reached=Max("created_at", filter=Q(outcome__in=REACHED)),
            failed=Max("created_at", filter=Q(outcome=Reminder.Outcome.FAILED)),
        )
    }
    kept = Tally.objects.filter(
        of_round(Item.Round.PRACTICE in study.open_rounds), annotator__study=study
    )
    waiting = {
        annotator: total - done
        for annotator, total, done in kept.values_list("annotator", "total", "done")
        if total > done
    }
    last = Draft.objects.filter(annotator=OuterRef("pk")).order_by("-saved_at")
    people = (
        study.annotators.filter(
            kind=Annotator.Kind.PERSON, withdrawn_at__isnull=True, user__is_active=True
        )
        .select_related("user", "study")
        .annotate(saved_at=Subquery(last.values("saved_at")[:1]))
        .order_by("pk")
    )
    remindable = []
    for annotator in people:
        if annotator.pk not in waiting:
            continue
        row = reminded.get(annotator.pk, {})
        reached = row.get("reached")
        again = reached + timedelta(days=study.reminder_gap_days) if reached else None
        remindable.append(
            Remindable(
                annotator=annotator,
                open=waiting[annotator.pk],
                quiet_since=max(annotator.saved_at or opened, annotator.created_at, opened),
                reminded_at=reached,
                failed_at=row.get("failed"),
                again_at=again if again and again > now else None,
            )
        )
    return remindable


def due(study: Study, now: datetime) -> list[Remindable]:
    """Whom the study's rule reminds now."""
    if not study.reminder_after_days:
        return []
    quiet = now - timedelta(days=study.reminder_after_days)
    return [
        person
        for person in remindables(study, now)
        if person.quiet_since <= quiet
        and person.again_at is None
        and (person.failed_at is None or person.failed_at <= now - AFTER_FAILURE)
    ]
