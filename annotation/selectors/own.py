"""What an annotator may read of their own work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, OuterRef, QuerySet, Value, When
from django.db.models.functions import Substr

from annotation.models import Annotator, Assignment, DraftVersion, Item, RemarkAnswer
from annotation.protocols.base import Answers
from annotation.selectors.queue import JUDGED, visible
from annotation.selectors.rejudging import AGAIN

# As ``round_shown`` says it: what stands aside is a pair of the main round like any other.
_ROUND_SHOWN = Case(
    When(simplification__item__round=Item.Round.PRACTICE, then=Value(Item.Round.PRACTICE.value)),
    default=Value(Item.Round.MAIN.value),
)


@dataclass(frozen=True)
class OwnRevision:
    """One former submission."""

    number: int
    answers: Answers
    score: int | None
    submitted_at: datetime
    active_seconds: int


@dataclass(frozen=True)
class OwnVersion:
    """Answers that its annotator decided against, kept for a while."""

    number: int
    answers: Answers
    origin: str
    saved_at: datetime
    kept_at: datetime


def own_judgments(annotator: Annotator, *, state: str = "") -> QuerySet[Any]:
    """The annotator's pairs in their own order; ``state`` is "", "submitted", "begun", "open",
    "again" (to be judged again), "answered" (a lead wrote back) or "doubt".

    Rows are ``Assignment`` objects with ``opening`` (the start of the original), ``round``, ``again``, ``answered``,
    ``put_aside`` (a version of the draft is kept), their draft and judgment, and the judgment's ratings prefetched.
    """
    rows = (
        visible(annotator)
        .select_related("draft", "judgment")
        .prefetch_related("judgment__ratings", "judgment__errors")
        .annotate(opening=Substr("simplification__item__original", 1, 140), round=_ROUND_SHOWN)
        .annotate(again=AGAIN, answered=Exists(RemarkAnswer.objects.filter(assignment=OuterRef("pk")).order_by()))
        .annotate(put_aside=Exists(DraftVersion.objects.filter(assignment=OuterRef("pk")).order_by()))
        .order_by("position")
    )
    if state == "submitted":
        return rows.filter(JUDGED)
    if state == "begun":
        return rows.exclude(JUDGED).filter(draft__isnull=False)
    if state == "open":
        return rows.exclude(JUDGED)
    if state == "again":
        return rows.filter(AGAIN)
    if state == "answered":
        return rows.filter(answered=True)
    if state == "doubt":
        return rows.filter(JUDGED, judgment__doubt=True)
    return rows


def own_revisions(assignment: Assignment) -> list[OwnRevision]:
    """Every submission of one pair, the newest first."""
    study = assignment.annotator.study
    return [
        OwnRevision(
            number=revision.number,
            answers=revision.answers,
            score=study.protocol.running_score(revision.answers, study.protocol_settings),
            submitted_at=revision.submitted_at,
            active_seconds=revision.active_seconds,
        )
        for revision in assignment.revisions.order_by("-number")
    ]


def own_versions(assignment: Assignment) -> list[OwnVersion]:
    """What of one pair's draft was put aside and is still kept, the newest first."""
    return [
        OwnVersion(kept.number, kept.answers, kept.origin, kept.saved_at, kept.kept_at)
        for kept in assignment.draft_versions.order_by("-number")
    ]


def own_former_answers(assignment: Assignment, source: str, number: int) -> Answers | None:
    """The answers of a kept version of the draft (``source`` "draft") or of a submission ("submission"); None where
    there is none of that number (any more)."""
    rows: Any = {"draft": assignment.draft_versions, "submission": assignment.revisions}.get(source)
    found = rows.filter(number=number).first() if rows is not None else None
    return found.answers if found else None
