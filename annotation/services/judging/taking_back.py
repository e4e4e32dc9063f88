"""Taking back a submission that was made a moment ago.

A first submission becomes a draft again: nothing of it counts, and the pair is begun. A correction
gives way to the submission before it. Nothing is deleted: the submission stays in the history of
the judgment, marked, and whatever counts submissions leaves the marked ones out
(``models.standing``); its annotator finds it among the pair's former versions for a month; the
audit trail says that it happened; the hours that it took stay worked.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import (
    Adjudication,
    Assignment,
    DatasetSnapshot,
    Draft,
    Judgment,
    JudgmentRevision,
    PracticeMeeting,
    PracticeNote,
    RejudgeRequest,
    RemarkAnswer,
    RemarkSettlement,
    Study,
    User,
    standing,
    submission_name,
)
from annotation.protocols.description import NOT_INSTALLED
from annotation.services.base.answered import items_recount
from annotation.services.base.listed import remark_relist
from annotation.services.base.sealing import judgment_seal
from annotation.services.base.standings import numbers_between, numbers_of, standings_turn
from annotation.services.base.worked import submission_take
from annotation.services.judging.draft_versions import Aside, Origin, versions_keep
from annotation.services.judging.drafts import again_if_out_of_sight, assignment_hold
from annotation.services.planning.counting import pair_hold, pair_recount, study_share
from annotation.services.platform.events import event_record_held

TAKEN_BACK_WITHIN = timedelta(minutes=10)


@again_if_out_of_sight
@transaction.atomic
def judgment_take_back(
    *, actor: User, assignment: Assignment, number: int, submission: str = ""
) -> bool:
    """Take back the submission of this number, the one in force; False where it was taken back
    already (an answer was lost).

    ``submission`` is its name (``submission_name``): with it a request that comes late takes back
    no later one that was given the number since. Programs from before names had none.

    Raises ``RuleError``: there never was such a submission, it is no longer the last one, too much
    time has passed, or something builds on it, the protocol is no longer installed; ``StudyClosed``
    and ``Http404`` as a save does.
    """
    study_share(assignment)
    pair_hold(assignment)
    held = assignment_hold(assignment)
    study, judgment = held.study, held.judgment
    if not study.protocol.is_installed:
        # As a draft it could not be submitted again.
        raise RuleError([NOT_INSTALLED])
    if judgment is None or judgment.revision < number:
        return _taken_back_before(assignment, number, submission)
    submissions = JudgmentRevision.objects.filter(standing(), assignment=assignment)
    revision = submissions.filter(number=number).first()
    if submission and revision is not None and submission != submission_name(revision):
        return _taken_back_before(assignment, number, submission)
    if revision is None or judgment.revision > number or judgment.submitted_at is None:
        raise _refusal(
            "newer",
            "Une soumission plus récente est en vigueur.",
            "A later submission is in force.",
        )
    _check_possible(study, assignment, revision)
    details = {"revision": number, "submitted_at": revision.submitted_at.isoformat()}
    event_record_held(
        actor=actor,
        study=study,
        verb="judgment_taken_back",
        target=judgment,
        **details,
    )
    aside = Aside(revision.answers, Origin.TAKEN_BACK, revision.submitted_at)
    versions_keep(assignment, Draft(assignment=assignment), {}, [aside], Origin.TAKEN_BACK)
    revision.taken_back_at = max(timezone.now(), revision.submitted_at)
    revision.save(update_fields=["taken_back_at"])
    submission_take(assignment=assignment, revision=revision)
    former = submissions.filter(number__lt=number).order_by("-number").first()
    _give_way(study, assignment, judgment, former, revision.submitted_at)
    return True


def _taken_back_before(assignment: Assignment, number: int, submission: str) -> bool:
    """False: this is a submission that was taken back. Raises ``RuleError`` where it never was."""
    gone = JudgmentRevision.objects.filter(~standing(), assignment=assignment, number=number)
    if any(not submission or submission == submission_name(revision) for revision in gone):
        return False
    raise _refusal(
        "unknown",
        "Cette soumission n'existe pas pour cette paire : rien n'a été annulé.",
        "There is no such submission of this pair: nothing was taken back.",
    )


def _give_way(
    study: Study,
    assignment: Assignment,
    judgment: Judgment,
    former: JudgmentRevision | None,
    since: datetime,
) -> None:
    """Put the ``former`` submission in force, or make the pair begun where there is none; and keep
    what that changes."""
    before, others = numbers_of(study, [assignment.pk]), {}
    if former is None:
        judgment.delete()
        others = pair_recount(assignment)
    else:
        RejudgeRequest.objects.filter(assignment=assignment, resolved_at__gte=since).update(
            resolved_at=None
        )
        _put_in_force(study, judgment, former)
        remark_relist(judgment, study)
    standings_turn(
        [assignment.pk], others | numbers_between(before, numbers_of(study, [assignment.pk]))
    )
    items_recount([assignment.simplification.item_id])


def _check_possible(study: Study, assignment: Assignment, revision: JudgmentRevision) -> None:
    """Raises ``RuleError`` where it is too late, or something builds on this submission."""
    if timezone.now() - revision.submitted_at > TAKEN_BACK_WITHIN:
        minutes = int(TAKEN_BACK_WITHIN.total_seconds() // 60)
        raise _refusal(
            "too_late",
            f"Une soumission s'annule pendant {minutes} minutes. Vous pouvez encore la corriger.",
            f"A submission can be taken back for {minutes} minutes. You can still correct it.",
        )
    if _is_built_on(study, assignment, revision):
        raise _refusal(
            "built_on",
            "Quelque chose s'appuie déjà sur cette soumission. Vous pouvez encore la corriger.",
            "Something builds on this submission already. You can still correct it.",
        )


def _put_in_force(study: Study, judgment: Judgment, former: JudgmentRevision) -> None:
    judgment.revision = former.number
    judgment.guide = former.guide
    judgment.active_seconds = former.active_seconds
    judgment_seal(judgment, study, former.answers, former.submitted_at)


def _is_built_on(study: Study, assignment: Assignment, revision: JudgmentRevision) -> bool:
    """Whether a snapshot, a ruling, a meeting, practice feedback or a lead's answer has come
    since."""
    since = revision.submitted_at
    pair = assignment.simplification_id
    # A snapshot's moment has no fractions of a second.
    second = since.replace(microsecond=0)
    is_practice = assignment.simplification.item.round == "practice"
    noted = Q(published_at__isnull=False) | Q(updated_at__gte=since, reference__isnull=False)
    return (
        DatasetSnapshot.objects.filter(study=study, created_at__gte=second).exists()
        or Adjudication.objects.filter(simplification=pair, decided_at__gte=since).exists()
        or RemarkAnswer.objects.filter(assignment=assignment, answered_at__gte=since).exists()
        or RemarkSettlement.objects.filter(assignment=assignment, settled_at__gte=since).exists()
        or RejudgeRequest.objects.filter(assignment=assignment, requested_at__gte=since).exists()
        or (is_practice and PracticeMeeting.objects.filter(study=study).exists())
        or (is_practice and PracticeNote.objects.filter(noted, simplification=pair).exists())
    )


def _refusal(code: str, fr: str, en: str) -> RuleError:
    return RuleError.single("number", code, fr, en)
