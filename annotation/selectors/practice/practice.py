"""The practice round: who is done, what everybody answered once that may be seen, and what an
annotator reads back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Prefetch, Q

from annotation.answers import PARTS, restore
from annotation.models import (
    Annotator,
    Assignment,
    Event,
    Judgment,
    PracticeMeeting,
    PracticeNote,
    Simplification,
    Study,
    Tally,
    User,
)
from annotation.protocols.base import Answers
from annotation.selectors.agreement.voices import Voice, voice_of
from annotation.selectors.base.standings import JUDGED
from annotation.selectors.judging.queue import of_round


@dataclass(frozen=True)
class PracticeProgress:
    """How far one person is with the practice round. Nothing of it is awaited any more where it was
    over before they came (``is_late``), or they were there and judged none (``is_missed``)."""

    annotator: Annotator
    done: int
    total: int
    is_late: bool
    is_missed: bool


@dataclass(frozen=True)
class OwnFeedback:
    """What an annotator reads about one practice pair: their own answer, the note, the reference.
    Nothing of a peer. ``number``: the one by which they know the pair."""

    position: int
    number: int
    original: str
    simplification: str
    language: str
    answers: Answers
    ratings: dict[str, int]
    note: str
    reference: Answers | None


def practice_part(study: Study, user: User) -> str:
    """What the practice round is to an annotator: "open" (it takes answers, or will), "done" (it is
    over, they have judged some of it), "missed" (it is over, they were there and have judged none
    of it), "late" (they came after it) or "none" (the study has none). Who missed it or came late:
    their first pairs count."""
    mine = Tally.objects.filter(of_round(True), annotator__study=study, annotator__user=user)
    judged, awaited = mine.values_list("judged", "awaited").first() or (0, 0)
    part = _part_of(study, judged + awaited, judged)
    if part != "late":
        return part
    [part] = _late_or_missed(list(study.annotators.filter(user=user))).values()
    return part


def practice_parts(annotators: Sequence[Annotator]) -> dict[int, str]:
    """``practice_part`` of somebody's places in several studies, by the annotator's id, in one
    query, or two."""
    kept = _kept([annotator.pk for annotator in annotators])
    parts = {
        annotator.pk: _part_of(annotator.study, *kept.get(annotator.pk, (0, 0)))
        for annotator in annotators
    }
    return parts | _late_or_missed([each for each in annotators if parts[each.pk] == "late"])


def _late_or_missed(annotators: Sequence[Annotator]) -> dict[int, str]:
    """Of those who have judged none of a practice round that is over, by id: whether they came
    before the study last left it behind. Where the trail does not say when, they came late."""
    if not annotators:
        return {}
    ends = dict(
        Event.objects.filter(
            study__in={annotator.study_id for annotator in annotators},
            verb="study_state_changed",
            details__before=Study.State.PRACTICE,
        )
        .order_by()
        .values_list("study")
        .annotate(Max("created_at"))
    )
    return {
        annotator.pk: "missed" if _came_before(annotator, ends.get(annotator.study_id)) else "late"
        for annotator in annotators
    }


def _came_before(annotator: Annotator, moment: datetime | None) -> bool:
    return moment is not None and annotator.created_at < moment


def _kept(annotators: Collection[int]) -> dict[int, tuple[int, int]]:
    """By annotator, practice pairs and those that are judged, as it is kept."""
    rows = Tally.objects.filter(of_round(True), annotator__in=annotators).order_by()
    return {
        annotator: (judged + awaited, judged)
        for annotator, judged, awaited in rows.values_list("annotator", "judged", "awaited")
    }


def _part_of(study: Study, total: int, judged: int) -> str:
    if not total:
        return "none"
    if not study.practice_is_over:
        return "open"
    return "done" if judged else "late"


def practice_done(study: Study) -> list[PracticeProgress]:
    """Everybody who judges, with their part of the practice round."""
    people = study.annotators.filter(
        kind=Annotator.Kind.PERSON, user__isnull=False, withdrawn_at__isnull=True
    ).select_related("user")
    annotators = list(people.order_by("pk"))
    kept = _kept([annotator.pk for annotator in annotators])
    totals = {annotator.pk: kept.get(annotator.pk, (0, 0)) for annotator in annotators}
    parts = _late_or_missed(
        [each for each in annotators if _part_of(study, *totals[each.pk]) == "late"]
    )
    return [
        PracticeProgress(
            annotator,
            judged,
            total,
            is_late=parts.get(annotator.pk) == "late",
            is_missed=parts.get(annotator.pk) == "missed",
        )
        for annotator in annotators
        for total, judged in [totals[annotator.pk]]
    ]


def everybody_submitted(study: Study) -> bool:
    """Whether there is a practice round and nobody whom it is for has any of it left."""
    parts = [part for part in practice_done(study) if not (part.is_late or part.is_missed)]
    return any(part.total for part in parts) and all(part.done == part.total for part in parts)


def meeting_of(study: Study) -> PracticeMeeting | None:
    """The latest meeting, open or not."""
    return study.meetings.select_related("opened_by").first()


def practice_pairs(study: Study) -> list[Simplification]:
    """The practice pairs in the order of the study, with their notes and the number of
    judgments."""
    return list(
        Simplification.objects.filter(item__study=study, item__in_practice__in=[True])
        .select_related("item", "practice_note")
        .annotate(
            judged=Count("assignments", filter=Q(assignments__judgment__submitted_at__isnull=False))
        )
        .order_by("item__position", "position", "pk")
    )


def practice_voices(study: Study, pair: Simplification) -> list[Voice]:
    """Everybody's submitted judgment of a practice pair; nobody's while answers are hidden."""
    if not study.practice_answers_open:
        return []
    meeting = meeting_of(study)
    judgments = (
        Judgment.objects.filter(
            assignment__simplification=pair,
            assignment__annotator__kind=Annotator.Kind.PERSON,
            submitted_at__isnull=False,
        )
        .select_related("assignment__annotator__user")
        .prefetch_related(*PARTS)
        .order_by("assignment__annotator")
    )
    return [_voice(study, judgment, meeting) for judgment in judgments]


def _voice(study: Study, judgment: Judgment, meeting: PracticeMeeting | None) -> Voice:
    user = judgment.assignment.annotator.user
    named = meeting is not None and meeting.shows_names and user is not None
    late = bool(meeting and judgment.submitted_at and judgment.submitted_at > meeting.opened_at)
    return voice_of(study, judgment, name=str(user) if named else "", late=late)


def _ratings(judgment: Judgment) -> dict[str, int]:
    return {rating.dimension: rating.value for rating in judgment.ratings.all()}


def feedback_announced(annotators: Sequence[Annotator], done: Mapping[int, int]) -> set[int]:
    """To whom of these annotators, by id, feedback on practice pairs of theirs is announced: it is
    published, and they have judged nothing of the main round yet. ``done``: of the open round, by
    annotator's id."""
    between = [
        annotator.pk
        for annotator in annotators
        if annotator.study.state == Study.State.PRACTICE
        or (annotator.study.state == Study.State.MAIN and not done[annotator.pk])
    ]
    if not between:
        return set()
    # From the notes, which are few.
    rows = PracticeNote.objects.filter(
        published_at__isnull=False,
        simplification__assignments__annotator__in=between,
        simplification__assignments__in_practice__in=[True],
        simplification__assignments__judgment__submitted_at__isnull=False,
    ).order_by()
    return set(rows.values_list("simplification__assignments__annotator", flat=True).distinct())


def own_feedback(annotator: Annotator) -> list[OwnFeedback]:
    """The published notes on the pairs that the annotator has submitted, in their own order.

    A pair that they have not judged yet is left out: its reference would answer for them.
    """
    notes: Any = PracticeNote.objects.filter(published_at__isnull=False)
    rows = (
        Assignment.objects.filter(
            JUDGED,
            of_round(True),
            annotator=annotator,
            simplification__practice_note__published_at__isnull=False,
        )
        .select_related("simplification__item", "judgment")
        .prefetch_related(
            "judgment__ratings",
            "judgment__errors",
            Prefetch("simplification__practice_note", notes),
        )
        # By position they would be found among all pairs of who has thousands in the main round.
        .order_by()
    )
    return [_own(annotator.study, row) for row in sorted(rows, key=lambda row: row.position)]


def _own(study: Study, assignment: Assignment) -> OwnFeedback:
    simplification = assignment.simplification
    note = simplification.practice_note
    return OwnFeedback(
        position=assignment.position,
        number=assignment.ordinal,
        original=simplification.item.original,
        simplification=simplification.text,
        language=simplification.language,
        answers=restore(assignment.judgment, study.protocol),
        ratings=_ratings(assignment.judgment),
        note=note.note,
        reference=note.reference,
    )
