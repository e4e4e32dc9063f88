"""What a lead does with a comment or a doubt: answers it, settles it, opens it again."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import (
    Assignment,
    Judgment,
    ListedRemark,
    RemarkAnswer,
    RemarkSettlement,
    Study,
    User,
)
from annotation.selectors.watching.remarks import remark_of
from annotation.services.base.listed import remark_relist
from annotation.services.base.standings import (
    numbers_between,
    numbers_of,
    tallies_add,
    unread_add,
)
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock

MOST_CHARACTERS = 4000


@transaction.atomic
def remark_answer(*, actor: User, study: Study, assignment: int, text: str) -> RemarkAnswer:
    """Write to whoever made the remark; they read it beside their own judgment, and nobody else
    does.

    The same words twice are one answer, as long as the judgment was not submitted again in between:
    a form that was sent twice. The second one gets the first's answer.

    Raises ``RuleError``: no such remark, an empty answer, one that is too long.
    """
    judgment = _remarked(study, assignment)
    text = text.strip()
    if not text:
        raise RuleError.single("text", "required", "Écrivez une réponse.", "Write an answer.")
    if len(text) > MOST_CHARACTERS:
        raise RuleError.single(
            "text",
            "too_long",
            f"La réponse dépasse {MOST_CHARACTERS} caractères : raccourcissez-la.",
            f"The answer is longer than {MOST_CHARACTERS} characters: shorten it.",
        )
    last = RemarkAnswer.objects.filter(assignment=judgment.assignment_id).order_by("-pk").first()
    if last is not None and last.text == text and not _submitted_since(judgment, last):
        return last
    answer = RemarkAnswer.objects.create(
        assignment_id=judgment.assignment_id, text=text, answered_by=actor
    )
    unread_add(judgment.assignment, 1)
    ListedRemark.objects.filter(judgment=judgment).update(is_answered=True)
    event_record(
        actor=actor,
        study=study,
        verb="remark_answered",
        target=answer,
        item=judgment.assignment.simplification.item.key,
    )
    return answer


@transaction.atomic
def remark_settle(*, actor: User, study: Study, assignment: int, is_settled: bool = True) -> None:
    """Mark a remark as settled as it stands now, or open it again. A later correction of the
    judgment opens it by itself. Raises ``RuleError``: no such remark."""
    judgment = _remarked(study, assignment)
    before = numbers_of(study, [judgment.assignment_id])
    if is_settled:
        RemarkSettlement.objects.update_or_create(
            assignment_id=judgment.assignment_id,
            defaults={
                "revision": judgment.revision,
                "settled_by": actor,
                "settled_at": timezone.now(),
            },
        )
    else:
        RemarkSettlement.objects.filter(assignment_id=judgment.assignment_id).delete()
    remark_relist(judgment, study)
    tallies_add(numbers_between(before, numbers_of(study, [judgment.assignment_id])))
    verb = "remark_settled" if is_settled else "remark_reopened"
    event_record(actor=actor, study=study, verb=verb, target=judgment, revision=judgment.revision)


@transaction.atomic
def remarks_settle(*, actor: User, study: Study, assignments: Sequence[int]) -> int:
    """Mark all of these as settled, or none; how many. Raises ``RuleError``: none chosen, one that
    is not there any more."""
    chosen = sorted(set(assignments))
    if not chosen:
        raise RuleError.single(
            "chosen", "none", "Cochez d'abord des remarques.", "Tick some remarks first."
        )
    for assignment in chosen:
        remark_settle(actor=actor, study=study, assignment=assignment)
    return len(chosen)


def _submitted_since(judgment: Judgment, answer: RemarkAnswer) -> bool:
    return judgment.submitted_at is not None and judgment.submitted_at > answer.answered_at


def _remarked(study: Study, assignment: int) -> Judgment:
    """Under the assignment's lock, so that a correction that is arriving is seen or waits."""
    # First, as everybody does who locks assignments; the event that follows refers to it.
    study_row_lock(study.pk, no_key=True)
    # Its own row only: a save of another pair refers to the same annotator, and must not wait.
    rows = Assignment.objects.select_for_update(of=("self",)).filter(
        pk=assignment, annotator__study=study
    )
    rows.only("pk").first()
    judgment = remark_of(study, assignment)
    if judgment is None:
        raise RuleError.single(
            "assignment",
            "unknown",
            "Cette remarque n'existe plus : rechargez la page.",
            "This remark is not there any more: reload the page.",
        )
    return judgment
