"""What an annotator does with their own pairs beside judging them: keeps one for later, notes something, reads answers.

It is nobody else's concern, so none of it is in the audit trail.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError, StaleNote, StudyClosed
from annotation.models import Assignment, PrivateNote, RemarkAnswer

MOST_NOTE_CHARACTERS = 20_000


def pair_set_aside(*, assignment: Assignment) -> None:
    """Keep the pair for after everything else. Raises ``StudyClosed`` where its round takes no answers: nothing comes
    next there."""
    if assignment.simplification.item.round not in assignment.annotator.study.open_rounds:
        raise StudyClosed(assignment.annotator.study.state)
    assignment.set_aside_at = timezone.now()
    assignment.save(update_fields=["set_aside_at"])


def pair_take_up(*, assignment: Assignment) -> None:
    """The pair is no longer kept for later: it was judged, or its annotator wants it in its place again."""
    assignment.set_aside_at = None
    assignment.save(update_fields=["set_aside_at"])


@transaction.atomic
def note_save(*, assignment: Assignment, text: str, base_revision: int) -> PrivateNote:
    """Store the annotator's note on the pair. Raises ``StaleNote`` where another window has saved since
    ``base_revision`` (0 where there was none), and ``RuleError`` for one that is too long."""
    if len(text) > MOST_NOTE_CHARACTERS:
        raise RuleError.single(
            "text",
            "too_long",
            f"La note dépasse {MOST_NOTE_CHARACTERS} caractères : raccourcissez-la.",
            f"The note is longer than {MOST_NOTE_CHARACTERS} characters: shorten it.",
        )
    # Two windows wait for each other, also where there is no note yet.
    Assignment.objects.select_for_update(of=("self",)).only("pk").get(pk=assignment.pk)
    note = PrivateNote.objects.filter(assignment=assignment).first() or PrivateNote(assignment=assignment, revision=0)
    if note.text == text:
        # Sent again because its answer was lost, or nothing new.
        return note
    if note.revision != base_revision:
        raise StaleNote(note)
    note.text, note.revision, note.updated_at = text, note.revision + 1, timezone.now()
    note.save()
    return note


def answers_read(*, assignment: Assignment) -> None:
    """The annotator has what leads wrote about this pair before their eyes."""
    RemarkAnswer.objects.filter(assignment=assignment, read_at__isnull=True).update(read_at=timezone.now())
