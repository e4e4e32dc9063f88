"""Submissions: the only writer of judgments.

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
    GuideVersion,
    Judgment,
    JudgmentRevision,
    Study,
    User,
    submission_name,
)
from annotation.prepared import Prepared
from annotation.protocols.base import Problem, Wording
from annotation.selectors.guides.acknowledgement import guide_due, guide_in_force
from annotation.services.guides.rejudging import rejudge_resolve
from annotation.services.judging.drafts import (
    STAND_IN,
    Save,
    Saved,
    again_if_out_of_sight,
    draft_store,
    save_acknowledge,
    study_hold,
)
from annotation.services.judging.own_pairs import pair_done
from annotation.services.planning.counting import is_surplus, pair_hold, study_share
from annotation.services.platform.events import event_record

UNREAD = Problem(
    "guide",
    "unacknowledged",
    Wording(
        "Le guide a une version que vous n'avez pas encore confirmée. Vos réponses sont gardées : "
        "rechargez la page, lisez le guide, puis soumettez.",
        "The guide has a version that you have not confirmed yet. Your answers are kept: reload "
        "the page, read the guide, then submit.",
    ),
)
# Read anew at each submission, once its assignment is locked.
JUDGMENT_OF = Prepared(
    lambda assignment: Judgment.objects.filter(assignment=assignment), assignment=STAND_IN
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
        study = study_hold(assignment)
        saved = draft_store(assignment, study.protocol, save, submitting=True)
        if saved.submitted:
            return saved
        problems = study.protocol.problems(
            saved.answers, _facts(assignment), study.protocol_settings
        )
        guide = guide_in_force(study)
        if guide_due(assignment.annotator, guide):
            problems = [*problems, UNREAD]
        save_acknowledge(assignment, save, saved, submitted=not problems)
        if not problems:
            judgment = _seal(assignment, study, saved, guide)
            pair_done(assignment=assignment)
            verb = "judgment_submitted" if judgment.revision == 1 else "judgment_corrected"
            event_record(
                actor=actor, study=study, verb=verb, target=judgment, revision=judgment.revision
            )
            return replace(saved, number=judgment.revision, submission=submission_name(judgment))
    # Outside the transaction: the draft that was just kept must not be rolled back with the
    # refusal.
    raise Refused(RuleError(problems), saved)


def _seal(
    assignment: Assignment, study: Study, saved: Saved, guide: GuideVersion | None
) -> Judgment:
    now = timezone.now()
    judgment = JUDGMENT_OF.first(assignment=assignment.pk)
    if judgment is None:
        judgment = Judgment(
            assignment=assignment, revision=1, started_at=assignment.opened_at or now
        )
        judgment.surplus = is_surplus(assignment)
    else:
        # Taking the judgment out of force first lets its parts be replaced; see models.triggers.
        judgment.revision += 1
        judgment.submitted_at = None
    judgment.dimensions_required = len(study.protocol.dimensions)
    judgment.guide = guide
    judgment.active_seconds = saved.active_seconds
    for name, value in storage.columns(study.protocol, saved.answers).items():
        setattr(judgment, name, value)
    judgment.save()
    if judgment.revision > 1:
        judgment.ratings.all().delete()
        judgment.errors.all().delete()
        rejudge_resolve(assignment)
    storage.store(judgment, study.protocol, saved.answers, study.protocol_settings)
    judgment.submitted_at = now
    judgment.save(update_fields=["submitted_at"])
    JudgmentRevision.objects.create(
        assignment=assignment,
        number=judgment.revision,
        answers=saved.answers,
        submitted_at=now,
        active_seconds=saved.active_seconds,
        guide=judgment.guide,
    )
    return judgment


def _facts(assignment: Assignment) -> Any:
    simplification = assignment.simplification
    return storage.facts(
        original=simplification.item.original,
        simplification=simplification.text,
        is_identical=simplification.is_identical,
        language=simplification.language,
    )
