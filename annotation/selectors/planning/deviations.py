"""Where a study departed from its plan once its main round was open, from the audit trail: the
datasheet asks."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from annotation.models import Event, Study

# What changes the plan once judging has begun. Each is recorded by the service that does it.
CHANGES = frozenset(
    {
        "study_updated",
        "guide_published",
        "glossary_changed",
        "pairs_imported",
        "frjudge_imported",
        "released_imported",
        "judgments_imported",
        "items_drawn",
        "draw_undone",
        "items_moved",
        "part_drawn",
        "part_undone",
        "practice_drawn",
        "outputs_adopted",
        "annotator_added",
        "annotator_brought_back",
        "annotator_withdrawn",
        "pairs_released",
        "plan_set",
        "rejudge_requested",
        "rejudge_cancelled",
        "study_state_changed",
    }
)
# A step taken against the readiness list, or a meeting before everybody had submitted, departs
# whenever it happens.
EARLY = Q(verb="study_state_changed", details__has_key="against") | Q(
    verb="meeting_opened", details__has_key="early"
)
# Only where nobody had saved anything in it: what was changed until then changed nobody's judging.
TAKEN_BACK = Q(
    verb="study_state_changed",
    details__before=Study.State.MAIN,
    details__after__in=[Study.State.DRAFT, Study.State.PRACTICE],
)
EXPLAINED = "deviation_explained"


@dataclass(frozen=True)
class Deviation:
    """One departure. ``reason`` is what was given then, or afterwards; "" where nobody has said
    why."""

    event: Event
    reason: str
    explained_later: bool


def deviations(study: Study) -> list[Deviation]:
    """Every departure, the oldest first; four queries."""
    opened = _main_opened(study)
    wanted = EARLY | TAKEN_BACK
    if opened is not None:
        wanted |= Q(verb__in=CHANGES, pk__gt=opened)
    events = Event.objects.filter(wanted, study=study).select_related("actor").order_by("pk")
    later = {
        row.details.get("event"): str(row.details.get("reason", ""))
        for row in Event.objects.filter(study=study, verb=EXPLAINED).order_by("pk")
    }
    return [_deviation(event, later.get(event.pk, "")) for event in events if _departs(event)]


def _main_opened(study: Study) -> int | None:
    """The event that opened the main round for the first time, of the openings that stand."""
    events = Event.objects.filter(study=study)
    back = events.filter(TAKEN_BACK).order_by("-pk").values_list("pk", flat=True).first()
    return (
        events.filter(verb="study_state_changed", details__after="main", pk__gt=back or 0)
        .order_by("pk")
        .values_list("pk", flat=True)
        .first()
    )


def _departs(event: Event) -> bool:
    """Closing a study that is done is the plan; every other change of state after the first opening
    is not."""
    planned = (
        event.verb == "study_state_changed" and event.details.get("after") == Study.State.CLOSED
    )
    return not planned or "against" in event.details


def _deviation(event: Event, later: str) -> Deviation:
    return Deviation(event, later or str(event.details.get("reason", "")), bool(later))
