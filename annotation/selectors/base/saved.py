"""What somebody has saved of their pairs: as long as there is nothing, a step that gave the pairs
out can be undone without taking a word from anybody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    DraftVersion,
    Judgment,
    JudgmentRevision,
    PrivateNote,
    RemarkAnswer,
    Tally,
)

_SAVED: tuple[Any, ...] = (
    Judgment,
    Draft,
    JudgmentRevision,
    DraftVersion,
    PrivateNote,
    RemarkAnswer,
)


def saved_of(assignments: QuerySet[Assignment]) -> QuerySet[Any]:
    """The ids of those of which anything is kept: a draft, a submission (also one that was taken
    back), answers that were put aside, a note, a remark that was answered."""
    first, *others = _saved(assignments)
    return first.union(*others)


def _saved(assignments: QuerySet[Assignment]) -> list[QuerySet[Any]]:
    """The same by what is kept, an id for each."""
    return [
        model.objects.filter(assignment__in=assignments.order_by())
        .order_by()
        .values_list("assignment_id", flat=True)
        for model in _SAVED
    ]


def begun_by(annotators: QuerySet[Annotator]) -> set[int]:
    """Of these those who have saved anything."""
    condition = Q()
    for model in _SAVED:
        theirs = model.objects.filter(assignment__annotator=OuterRef("pk")).order_by()
        condition |= Q(Exists(theirs))
    return set(annotators.filter(condition).order_by().values_list("pk", flat=True))


def rounds_begun(annotators: QuerySet[Annotator], rounds: Sequence[bool]) -> bool:
    """``is_begun`` of what these annotators have of practice (True), of the main round or of
    both."""
    people = annotators.order_by()
    # What is kept of each person comes first: SQLite makes a list of their pairs for the others.
    judged = Tally.objects.filter(annotator__in=people, in_practice__in=rounds, judged__gt=0)
    theirs = Assignment.objects.filter(annotator__in=people, in_practice__in=rounds)
    first = judged.order_by().values_list("annotator_id", flat=True)
    return bool(first.union(*_saved(theirs), all=True)[:1])


def is_begun(assignments: QuerySet[Assignment]) -> bool:
    """Whether anything of them is kept; finds out by the first one."""
    first, *others = _saved(assignments)
    # All of them: what would sort out the same ones has to read every one first.
    return bool(first.union(*others, all=True)[:1])
