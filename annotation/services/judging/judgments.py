"""Submissions: how an annotator's answers become their judgment.

A submission is a save (``services/judging/drafts.py``) whose answers the protocol then checks. One
that breaks a rule is kept as a draft before it is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation import answers as storage
from annotation.errors import RuleError
from annotation.models import (
    Assignment,
    Item,
    Judgment,
    JudgmentRevision,
    User,
    submission_name,
)
from annotation.protocols.base import Problem, Wording
from annotation.rows import rows_insert
from annotation.selectors.base.remarked import has_remark, remarks_open
from annotation.services.base.answered import item_add
from annotation.services.base.listed import remark_list, remark_relist
from annotation.services.base.sealing import judgment_seal
from annotation.services.base.worked import submission_add, work_add
from annotation.services.guides.rejudging import rejudge_resolve
from annotation.services.judging.drafts import (
    Held,
    Save,
    Saved,
    again_if_out_of_sight,
    assignment_hold,
    draft_store,
    save_acknowledge,
)
from annotation.services.judging.own_pairs import pair_done
from annotation.services.planning.counting import is_surplus, pair_hold, study_share
from annotation.services.platform.events import event_record_held

UNREAD = Problem(
    "guide",
    "unacknowledged",
    Wording(
        "Le guide a une version que vous n'avez pas encore confirmée. Vos réponses sont gardées : "
        "lisez le guide et confirmez-le, puis soumettez.",
        "The guide has a version that you have not confirmed yet. Your answers are kept: read the "
        "guide and confirm it, then submit.",
    ),
)


class Refused(RuleError):
    """A submission that breaks rules. ``saved`` is the draft that was kept."""

    def __init__(self, error: RuleError, saved: Saved) -> None:
        super().__init__(error.problems)
        self.saved = saved


@again_if_out_of_sight
def judgment_submit(*, actor: User, assignment: Assignment, save: Save) -> Saved:
    """Make the answers the judgment in force; the former one stays in the history.

    Raises ``Refused`` (the draft is kept all the same; also where the guide in force was not
    acknowledged), ``RuleError`` (wrong shape), ``StudyClosed``, ``StaleDraft``, ``Http404`` as
    ``draft_save``.
    """
    with transaction.atomic():
        study_share(assignment)
        pair_hold(assignment)
        held = assignment_hold(assignment, also_parked=True)
        study = held.study
        saved = draft_store(assignment, held, save, submitting=True)
        if saved.submitted:
            return saved
        if saved.late:
            # Answered for good: sent once more, it builds on itself, and is no judgment for that.
            save_acknowledge(assignment, save, saved, submitted=True)
            work_add(assignment=assignment, moment=saved.saved_at, seconds=saved.more_seconds)
            return saved
        problems = study.protocol.problems(saved.answers, _facts(assignment), study.rulings)
        if held.guide.is_due and study.protocol.is_installed:
            problems = [*problems, UNREAD]
        save_acknowledge(assignment, save, saved, submitted=not problems)
        if problems:
            work_add(assignment=assignment, moment=saved.saved_at, seconds=saved.more_seconds)
        else:
            judgment = _seal(assignment, held, saved)
            verb = "judgment_submitted" if judgment.revision == 1 else "judgment_corrected"
            event_record_held(
                actor=actor,
                study=study,
                verb=verb,
                target=judgment,
                revision=judgment.revision,
            )
            return replace(saved, number=judgment.revision, submission=submission_name(judgment))
    # Outside the transaction: the draft that was just kept must not be rolled back with the
    # refusal.
    raise Refused(RuleError(problems), saved)


def _seal(assignment: Assignment, held: Held, saved: Saved) -> Judgment:
    now = timezone.now()
    study, judgment = held.study, held.judgment
    is_first = judgment is None or judgment.submitted_at is None
    remarks = 0 if is_first else remarks_open(study, [assignment.pk]).total()
    if judgment is None:
        judgment = Judgment(
            assignment=assignment, revision=1, started_at=assignment.opened_at or now
        )
        judgment.surplus = is_surplus(assignment, study)
    else:
        judgment.revision += 1
    judgment.guide_id = held.guide.version
    judgment.active_seconds = saved.active_seconds
    judgment_seal(judgment, study, saved.answers, now)
    resolved = rejudge_resolve(assignment) if judgment.revision > 1 else 0
    revision = JudgmentRevision(
        assignment=assignment,
        number=judgment.revision,
        answers=saved.answers,
        submitted_at=now,
        active_seconds=saved.active_seconds,
        guide_id=held.guide.version,
    )
    rows_insert(revision)
    submission_add(
        assignment=assignment, moment=now, number=judgment.revision, seconds=saved.more_seconds
    )
    more = {"remarks": has_remark(study.protocol, saved.answers) - remarks, "again": -resolved}
    if is_first:
        remark_list(judgment, study, saved.answers)
    else:
        remark_relist(judgment, study)
    _kept(judgment, more, is_first=is_first)
    return judgment


def _kept(judgment: Judgment, more: dict[str, int], *, is_first: bool) -> None:
    """Keep what the submission, just sealed, changes of what is told of its annotator and of its
    item; ``more`` is known already. A correction leaves everything else as it is."""
    assignment = judgment.assignment
    answered = int(is_first and not judgment.surplus)
    awaited = int(is_first and assignment.released_at is None)
    if assignment.simplification.item.round in Item.Aside.values:
        more["beside"] = -awaited
    else:
        more |= {"judged": answered, "awaited": -awaited}
    pair_done(assignment=assignment, more=more)
    item_add(
        assignment,
        answers=answered,
        expected=answered - awaited,
        moment=judgment.submitted_at or timezone.now(),
    )


def _facts(assignment: Assignment) -> Any:
    simplification = assignment.simplification
    return storage.facts(
        original=simplification.item.original,
        simplification=simplification.text,
        is_identical=simplification.is_identical,
        language=simplification.language,
    )
