"""Whether stored judgments hold what was submitted: every answer in its place, and none lost."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import connection, transaction

from annotation.answers import PARTS, restore
from annotation.models import Assignment, Judgment, JudgmentRevision, standing
from annotation.services.base.sealing import judgment_seal

BATCH = 500
_LEFT = "SELECT COUNT(*) FROM annotation_judgment WHERE comment <> '' OR explanation <> ''"
_EMPTY = (
    "UPDATE annotation_judgment SET comment = '', explanation = '' "
    "WHERE comment <> '' OR explanation <> ''"
)


@dataclass
class AnswersCheck:
    """How many judgments were compared, and those that hold something else, a line each. ``left``:
    in how many a former version left words in columns that this one does not read. ``rebuilt``: how
    many were written anew."""

    checked: int = 0
    left: int = 0
    rebuilt: int = 0
    differing: list[str] = field(default_factory=list)


def answers_check(*, study: str = "", rebuild: bool = False) -> AnswersCheck:
    """Compare each submitted judgment with the last submission that was not taken back.

    ``study``: its key, "" for all. ``rebuild``: write those that differ anew from the submission,
    under their assignment's lock; not where a kind of field is gone, whose answers could not be
    written again. Imported judgments have no submission and are passed over.
    """
    check, after = AnswersCheck(), 0
    judged = Judgment.objects.filter(submitted_at__isnull=False).exclude(origin="imported")
    if study:
        judged = judged.filter(assignment__annotator__study__key=study)
    while batch := list(
        judged.filter(pk__gt=after)
        .select_related("assignment__annotator__study")
        .prefetch_related(*PARTS)
        .order_by("pk")[:BATCH]
    ):
        after = batch[-1].pk
        last = _last_submissions([judgment.assignment_id for judgment in batch])
        for judgment in batch:
            revision = last.get(judgment.assignment_id)
            if revision is None:
                continue
            check.checked += 1
            if differing := _differing(judgment, revision):
                check.differing.append(
                    f"{judgment.assignment.annotator.study.key}, judgment {judgment.pk}: "
                    f"{', '.join(differing)}"
                )
                if rebuild and not judgment.assignment.annotator.study.protocol.former:
                    _rebuild(judgment, revision)
                    check.rebuilt += 1
    check.left = _words_left(empty=rebuild)
    return check


def _words_left(*, empty: bool) -> int:
    """How many judgments have words in a former version's columns. ``empty``: take them out; what
    they said stands in the submission, from which the judgment was written."""
    table = Judgment._meta.db_table
    with connection.cursor() as cursor:
        there = {
            column.name for column in connection.introspection.get_table_description(cursor, table)
        }
        if not {"comment", "explanation"} <= there:
            return 0
        if empty:
            cursor.execute(_EMPTY)
            return 0
        cursor.execute(_LEFT)
        return int(cursor.fetchone()[0])


def _last_submissions(assignments: list[int]) -> dict[int, JudgmentRevision]:
    rows = JudgmentRevision.objects.filter(standing(), assignment__in=assignments)
    return {row.assignment_id: row for row in rows.order_by("number")}


def _differing(judgment: Judgment, revision: JudgmentRevision) -> list[str]:
    """The names of the answers that are not what was submitted. Those of a kind that is gone cannot
    be made of what is stored, and are not compared."""
    protocol = judgment.assignment.annotator.study.protocol
    stored, submitted = restore(judgment, protocol), protocol.clean(revision.answers)
    return [
        name for name in stored if protocol.is_readable(name) and stored[name] != submitted[name]
    ]


@transaction.atomic
def _rebuild(judgment: Judgment, revision: JudgmentRevision) -> None:
    study = judgment.assignment.annotator.study
    Assignment.objects.select_for_update(of=("self",)).get(pk=judgment.assignment_id)
    current = Judgment.objects.get(pk=judgment.pk)
    if current.submitted_at == revision.submitted_at:
        answers = study.protocol.clean(revision.answers)
        judgment_seal(current, study, answers, revision.submitted_at)
