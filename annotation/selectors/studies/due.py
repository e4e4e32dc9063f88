"""What waits in a study and how many of it, for the column of its pages and for letters.

From what is kept: how many items, answers or outputs there are makes no difference to what is read.
Numbers only, and none of what people answered: a blind study's leads may see all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import (
    Annotator,
    DatasetSnapshot,
    GenerationRun,
    GuideVersion,
    Invitation,
    PracticeMeeting,
    Study,
    StudyPlan,
    Tally,
)


@dataclass(frozen=True)
class Due:
    """Something that waits for those who run a study, by its key; ``number`` is 1 where nothing is
    to be counted."""

    key: str
    number: int = 1


def study_due(study: Study) -> list[Due]:
    """What waits, the most pressing first; nothing of an archived study. One query."""
    if study.archived_at is not None:
        return []
    numbers = _numbers(study)
    keys = _BY_STATE[study.state]
    return [Due(key, numbers[key]) for key in keys if numbers[key]]


# In the order in which one would see to them.
_PREPARED = ("items", "outputs", "paused", "runs", "annotators", "invitations", "plan", "guide")
_BY_STATE: dict[str, tuple[str, ...]] = {
    Study.State.DRAFT: _PREPARED,
    Study.State.PRACTICE: ("remarks", "meeting", "practice_left", *_PREPARED),
    Study.State.MAIN: ("remarks", "outputs", "paused", "runs", "again", "main_left", "invitations"),
    Study.State.CLOSED: ("remarks", "snapshot"),
}


def _numbers(study: Study) -> dict[str, int]:
    kept = dict(_with_kept(study).values(*_KEPT).get())
    left = {name: max(kept[name], 0) for name in ("practice_left", "main_left")}
    return {
        **{name: kept[name] for name in ("outputs", "paused", "runs", "again", "remarks")},
        **left,
        "invitations": kept["invited"],
        "items": int(not kept["held"]),
        "annotators": int(not kept["people"]),
        "plan": int(not kept["planned"]),
        "guide": int(not kept["guided"]),
        # Everybody has answered, and nobody has opened the meeting.
        "meeting": int(not left["practice_left"] and kept["tried"] and not kept["met"]),
        "snapshot": int(not kept["frozen"]),
    }


_KEPT = (
    *("held", "people", "planned", "guided", "met", "frozen", "outputs", "paused", "runs"),
    *("invited", "again", "remarks", "practice_left", "main_left", "tried"),
)


def _with_kept(study: Study) -> QuerySet[Any]:
    invited = Invitation.objects.filter(
        study=OuterRef("pk"),
        accepted_at__isnull=True,
        revoked_at__isnull=True,
        expires_at__gt=timezone.now(),
    )
    studies: QuerySet[Any] = _of_any_study().annotate(
        invited=_number_of(invited, "study", Count("pk"))
    )
    return studies.filter(pk=study.pk)


@cache
def _of_any_study() -> QuerySet[Any]:
    """What does not depend on the moment, composed once: every page of a study asks, and composing
    it took longer than the answer."""
    own = {"study": OuterRef("pk")}
    persons = Annotator.objects.filter(**own, kind=Annotator.Kind.PERSON, withdrawn_at__isnull=True)
    runs = GenerationRun.objects.filter(**own)
    here = _tallies(annotator__withdrawn_at__isnull=True)
    return Study.objects.annotate(
        held=Coalesce(F("size__practice") + F("size__main"), 0),
        people=Exists(persons),
        planned=Exists(StudyPlan.objects.filter(**own)),
        guided=Exists(GuideVersion.objects.filter(**own)),
        met=Exists(PracticeMeeting.objects.filter(**own)),
        frozen=Exists(DatasetSnapshot.objects.filter(**own)),
        outputs=_number_of(runs, "study", Sum("undecided")),
        # Some of these stopped by themselves: none goes on before somebody has seen to it.
        paused=_number_of(runs.filter(state=GenerationRun.State.PAUSED), "study", Count("pk")),
        runs=_number_of(runs.filter(state=GenerationRun.State.RUNNING), "study", Count("pk")),
        again=_number_of(here, "annotator__study", Sum("again")),
        remarks=_number_of(_tallies(), "annotator__study", Sum("remarks")),
        practice_left=_number_of(here.filter(_round(True)), "annotator__study", _LEFT),
        main_left=_number_of(here.filter(_round(False)), "annotator__study", _LEFT),
        tried=_number_of(here.filter(_round(True)), "annotator__study", Sum("judged")),
    )


_LEFT = Sum(F("awaited") + F("beside"))


def _tallies(**more: Any) -> QuerySet[Tally]:
    return Tally.objects.filter(
        annotator__study=OuterRef("pk"), annotator__kind=Annotator.Kind.PERSON, **more
    )


def _round(in_practice: bool) -> Q:
    return Q(in_practice__in=[in_practice])


def _number_of(rows: QuerySet[Any], study: str, number: Count | Sum) -> Coalesce:
    numbers = rows.order_by().values(study).annotate(number=number).values("number")
    return Coalesce(Subquery(numbers), 0)
