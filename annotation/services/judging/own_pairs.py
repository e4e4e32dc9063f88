"""What an annotator does with their own pairs beside judging them: keeps one for later, notes
something, reads answers.

It is nobody else's concern, so none of it is in the audit trail.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from annotation.errors import RuleError, StaleNote, StudyClosed
from annotation.models import Assignment, PrivateNote, RemarkAnswer
from annotation.services.base.standings import (
    annotators_hold,
    assignments_hold,
    standing_set,
    standings_turn,
    unread_add,
)
from annotation.services.platform.study_rows import study_row_require

Standing = Assignment.Standing

MOST_NOTE_CHARACTERS = 20_000


@transaction.atomic
def pair_set_aside(*, assignment: Assignment) -> None:
    """Keep the pair for after everything else. Raises ``StudyArchived``, and ``StudyClosed`` where
    its round takes no answers: nothing comes next there."""
    study_row_require(assignment.annotator.study)
    if assignment.simplification.item.round not in assignment.annotator.study.open_rounds:
        raise StudyClosed(assignment.annotator.study.state)
    _put(assignment, timezone.now())


@transaction.atomic
def pair_take_up(*, assignment: Assignment) -> None:
    """The pair is no longer kept for later: its annotator wants it in its place again. Raises
    ``StudyArchived``."""
    study_row_require(assignment.annotator.study)
    _put(assignment, None)


def pair_done(*, assignment: Assignment, more: Mapping[str, int]) -> None:
    """The pair was judged: it is no longer kept for later either. ``more``: what else changes of
    its annotator's numbers. Within the submission's transaction, which holds it and has read what
    it stood for."""
    if assignment.set_aside_at is not None or assignment.standing == Standing.ASIDE:
        Assignment.objects.filter(pk=assignment.pk).update(set_aside_at=None)
        assignment.set_aside_at = None
    standing_set(assignment, assignment.standing, Standing.DONE, more)
    assignment.standing = Standing.DONE


def _put(assignment: Assignment, moment: datetime | None) -> None:
    if assignment.standing == Standing.HIDDEN:
        annotators_hold([assignment.annotator_id])
    assignments_hold(Assignment.objects.filter(pk=assignment.pk))
    Assignment.objects.filter(pk=assignment.pk).update(set_aside_at=moment)
    assignment.set_aside_at = moment
    standings_turn([assignment.pk])


@transaction.atomic
def note_save(*, assignment: Assignment, text: str, base_revision: int) -> PrivateNote:
    """Store the annotator's note on the pair. Raises ``StaleNote`` where another window has saved
    since ``base_revision`` (0 where there was none), ``RuleError`` for one that is too long, and
    ``StudyArchived``."""
    if len(text) > MOST_NOTE_CHARACTERS:
        raise RuleError.single(
            "text",
            "too_long",
            f"La note dépasse {MOST_NOTE_CHARACTERS} caractères : raccourcissez-la.",
            f"The note is longer than {MOST_NOTE_CHARACTERS} characters: shorten it.",
        )
    study_row_require(assignment.annotator.study)
    # Two windows wait for each other, also where there is no note yet.
    held = Assignment.objects.select_for_update(of=("self",)).only("pk").filter(pk=assignment.pk)
    if held.first() is None:
        raise Http404("its round was taken back")
    note = PrivateNote.objects.filter(assignment=assignment).first() or PrivateNote(
        assignment=assignment, revision=0
    )
    if note.text == text:
        # Sent again because its answer was lost, or nothing new.
        return note
    if note.revision != base_revision:
        raise StaleNote(note)
    note.text, note.revision, note.updated_at = text, note.revision + 1, timezone.now()
    note.save()
    return note


@transaction.atomic
def answers_read(*, assignment: Assignment) -> None:
    """The annotator has what leads wrote about this pair before their eyes. Raises
    ``StudyArchived``."""
    study_row_require(assignment.annotator.study)
    held = Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
    unread = RemarkAnswer.objects.filter(assignment=held, read_at__isnull=True)
    unread_add(held, -unread.update(read_at=timezone.now()))
