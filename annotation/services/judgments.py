"""Drafts and submissions: the only writer of judgments.

No answer is ever lost. Every save carries a key of its own: a replay of an acknowledged one changes
nothing. It also names the revision that it builds on: a save that would overwrite another window's
is refused with what stands there, and nothing is written. Once its annotator has chosen, the save says
what it was chosen against (``Save.aside``), and both go into the history of the draft. A submission that
breaks a rule is kept as a draft before it is refused.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.http import Http404
from django.utils import timezone

from annotation import answers as storage
from annotation.errors import RuleError, StaleDraft, StudyClosed
from annotation.models import (
    Assignment,
    Draft,
    GuideVersion,
    Judgment,
    JudgmentRevision,
    SaveReceipt,
    Study,
    User,
    offered_again,
)
from annotation.prepared import Prepared, PreparedUpdate
from annotation.protocols.base import Answers, Problem, Wording
from annotation.protocols.fields import ShapeError
from annotation.protocols.protocol import Protocol
from annotation.selectors.acknowledgement import guide_due, guide_in_force
from annotation.services.aids import aids_note
from annotation.services.counting import is_surplus, pair_hold, study_share
from annotation.services.draft_versions import Aside, Origin, asides_clean, versions_keep
from annotation.services.events import event_record
from annotation.services.own_pairs import pair_take_up
from annotation.services.rejudging import rejudge_resolve
from annotation.services.work import work_add

# A clock may be a little off and a page may have been opened before its first save was stored.
CLOCK_MARGIN = timedelta(minutes=10)
# A local copy may wait on a laptop over a holiday before it is sent again.
RECEIPTS_KEPT = timedelta(days=90)
UNREAD = Problem(
    "guide",
    "unacknowledged",
    Wording(
        "Le guide a une version que vous n'avez pas encore confirmée. Vos réponses sont gardées : rechargez la page, "
        "lisez le guide, puis soumettez.",
        "The guide has a version that you have not confirmed yet. Your answers are kept: reload the page, read the "
        "guide, then submit.",
    ),
)
# Read anew at each save, once its assignment is locked.
_STAND_IN = 2_000_000_001
_STUDY = Prepared(
    lambda assignment: Study.objects.filter(
        annotators__assignments__in=Assignment.objects.filter(pk=assignment).exclude(offered_again())
    ).order_by(),
    plan_once=True,
    assignment=_STAND_IN,
)
_DRAFT = Prepared(lambda assignment: Draft.objects.filter(assignment=assignment), assignment=_STAND_IN)
JUDGMENT_OF = Prepared(lambda assignment: Judgment.objects.filter(assignment=assignment), assignment=_STAND_IN)
_RECEIPT = Prepared(lambda key: SaveReceipt.objects.filter(pk=key), key=uuid.UUID(int=0))


@cache
def _opening(context_shown: bool) -> PreparedUpdate:
    as_read = Assignment.objects.filter(opened_at__isnull=True, context_shown=context_shown)
    return PreparedUpdate(
        lambda assignment, now: (as_read.filter(pk=assignment), {"opened_at": now}),
        assignment=_STAND_IN,
        now=datetime(1, 1, 1, tzinfo=UTC),
    )


@dataclass(frozen=True)
class Saved:
    """An acknowledged save. ``replayed``: it had been acknowledged before, nothing was written now."""

    revision: int
    saved_at: datetime
    answers: Answers
    active_seconds: int
    replayed: bool = False
    submitted: bool = False
    number: int = 0
    """Of the submission that was just made; 0 for none, or one that was acknowledged before."""


@dataclass(frozen=True)
class Save:
    """One request to save, as a browser sends it.

    ``aside``: None where nothing had to be decided. Otherwise what its annotator decided against, perhaps nothing; the
    draft that the save replaces is kept as well then.
    """

    answers: Any
    base_revision: int
    key: uuid.UUID
    active_seconds: int = 0
    aside: Sequence[Aside] | None = None
    aids: Mapping[str, int] = field(default_factory=dict)  # by aid, how many seconds ago it was first opened


class Refused(RuleError):
    """A submission that breaks rules. ``saved`` is the draft that was kept."""

    def __init__(self, error: RuleError, saved: Saved) -> None:
        super().__init__(error.problems)
        self.saved = saved


@transaction.atomic
def draft_save(*, actor: User, assignment: Assignment, save: Save) -> Saved:
    """Store the answers as they stand, complete or not.

    Raises ``RuleError`` (wrong shape), ``StudyClosed``, ``StaleDraft`` (another window was faster), ``Http404`` (in
    this very moment the pair was offered again).
    """
    study = study_hold(assignment)
    saved = _save_draft(assignment, study.protocol, save)
    _acknowledge(assignment, save, saved)
    return saved


def judgment_submit(*, actor: User, assignment: Assignment, save: Save) -> Saved:
    """Make the answers the judgment in force; the former one stays in the history.

    Raises ``Refused`` (the draft is kept all the same; also where the guide in force was not acknowledged),
    ``RuleError`` (wrong shape), ``StudyClosed``, ``StaleDraft``, ``Http404`` as ``draft_save``.
    """
    with transaction.atomic():
        study_share(assignment)
        pair_hold(assignment)
        study = study_hold(assignment)
        saved = _save_draft(assignment, study.protocol, save, submitting=True)
        if saved.submitted:
            return saved
        problems = study.protocol.problems(saved.answers, _facts(assignment), study.protocol_settings)
        guide = guide_in_force(study)
        if guide_due(assignment.annotator, guide):
            problems = [*problems, UNREAD]
        _acknowledge(assignment, save, saved, submitted=not problems)
        if not problems:
            judgment = _seal(assignment, study, saved, guide)
            if assignment.set_aside_at is not None:
                pair_take_up(assignment=assignment)
            verb = "judgment_submitted" if judgment.revision == 1 else "judgment_corrected"
            event_record(actor=actor, study=study, verb=verb, target=judgment, revision=judgment.revision)
            return replace(saved, number=judgment.revision)
    # Outside the transaction: the draft that was just kept must not be rolled back with the refusal.
    raise Refused(RuleError(problems), saved)


@transaction.atomic
def draft_restore(*, actor: User, assignment: Assignment, answers: Answers) -> Saved:
    """Make former answers of this pair the draft again; what they replace goes into the history of the draft. Where
    they stand there already, nothing is written.

    They come from ``selectors.own``. Raises ``StudyClosed``, ``Http404`` as ``draft_save``.
    """
    study = study_hold(assignment)
    draft = _DRAFT.first(assignment=assignment.pk) or Draft(assignment=assignment)
    answers = _clean(study.protocol, answers)
    if answers != draft.answers:
        versions_keep(assignment, draft, answers, [], Origin.REPLACED)
        draft.answers = answers
        draft.revision += 1
        draft.saved_at = timezone.now()
        draft.save()
    return Saved(draft.revision, draft.saved_at, draft.answers, draft.active_seconds)


def receipts_expire() -> int:
    """Remove receipts that no browser can come back for; how many were removed."""
    return SaveReceipt.objects.filter(saved_at__lt=timezone.now() - RECEIPTS_KEPT).delete()[0]


def assignment_open(*, assignment: Assignment) -> None:
    """Note when the pair was first shown to its annotator. What the assignment says of its context holds from then
    on: where that was drawn anew since it was read, it is read again."""
    while assignment.opened_at is None:
        now = timezone.now()
        if _opening(assignment.context_shown).run(assignment=assignment.pk, now=now):
            assignment.opened_at = now
        else:
            assignment.refresh_from_db(fields=["opened_at", "context_shown"])


def accepts_judgments(study: Study, round_: str) -> bool:
    return round_ in study.open_rounds


def study_hold(assignment: Assignment) -> Study:
    """Lock the assignment, so that two saves of it wait for each other, and read the study afresh."""
    if connection.features.has_select_for_update:
        Assignment.objects.select_for_update().only("pk").get(pk=assignment.pk)
    study = _STUDY.first(assignment=assignment.pk)
    if study is None:
        raise Http404("offered again")
    if not accepts_judgments(study, assignment.simplification.item.round):
        raise StudyClosed(study.state)
    return study


def _clean(protocol: Protocol, received: Any) -> Answers:
    try:
        return protocol.clean(received)
    except ShapeError as error:
        raise RuleError([error.problem]) from error


def _save_draft(assignment: Assignment, protocol: Protocol, save: Save, *, submitting: bool = False) -> Saved:
    answers = _clean(protocol, save.answers)
    receipt = _RECEIPT.first(key=save.key)
    draft = _DRAFT.first(assignment=assignment.pk) or Draft(assignment=assignment)
    if receipt is not None:
        return _replay(assignment, draft, receipt, answers, submitting=submitting)
    if save.base_revision != draft.revision and answers != draft.answers:
        raise StaleDraft(draft)
    if save.aside is not None:
        versions_keep(assignment, draft, answers, asides_clean(protocol, save.aside), Origin.OVERWRITTEN)
    draft.answers = answers
    draft.revision += 1
    draft.saved_at = timezone.now()
    before = draft.active_seconds
    draft.active_seconds = _active_seconds(assignment, draft, save.active_seconds)
    draft.save()
    work_add(assignment=assignment, moment=draft.saved_at, seconds=draft.active_seconds - before)
    aids_note(assignment, save.aids, draft.saved_at)
    return Saved(draft.revision, draft.saved_at, answers, draft.active_seconds)


def _acknowledge(assignment: Assignment, save: Save, saved: Saved, *, submitted: bool = False) -> None:
    """The receipt by which a repetition of this save is known: of the draft, or with it of the submission."""
    if not saved.replayed:
        SaveReceipt.objects.create(
            key=save.key,
            assignment=assignment,
            revision=saved.revision,
            saved_at=saved.saved_at,
            submitted=submitted,
            answers_digest=_digest(saved.answers),
        )
    elif submitted:
        SaveReceipt.objects.filter(pk=save.key).update(submitted=True)


def _digest(answers: Answers) -> str:
    """Tells other answers under one key from the same ones; a few bytes do, nobody gains by a clash."""
    told = json.dumps(answers, sort_keys=True, cls=DjangoJSONEncoder)
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def _replay(assignment: Assignment, draft: Draft, receipt: SaveReceipt, answers: Answers, *, submitting: bool) -> Saved:
    """The answer that the first arrival of this save got. A submission whose draft was kept but which
    was refused is judged again, unless something newer was saved since."""
    if receipt.assignment_id != assignment.pk:
        raise RuleError.single(
            "key",
            "reused",
            "Cette clé d'enregistrement a servi pour une autre paire : rechargez la page.",
            "This save key was used for another pair: reload the page.",
        )
    if receipt.answers_digest not in ("", _digest(answers)):
        raise RuleError.single(
            "key",
            "reused",
            "Cette clé d'enregistrement a servi pour d'autres réponses : rien n'a été enregistré. Envoyez celles-ci "
            "sous une nouvelle clé.",
            "This save key was used for other answers: nothing was saved. Send these under a new key.",
        )
    if submitting and not receipt.submitted and receipt.revision != draft.revision:
        raise StaleDraft(draft)
    return Saved(
        receipt.revision,
        receipt.saved_at,
        draft.answers,
        draft.active_seconds,
        replayed=True,
        submitted=receipt.submitted,
    )


def _active_seconds(assignment: Assignment, draft: Draft, reported: int) -> int:
    """The longest time reported so far, but never more than has passed since the pair was opened; and never less than
    was stored: its growth is counted by the day, and must not be counted twice."""
    if assignment.opened_at is not None:
        passed = timezone.now() - assignment.opened_at + CLOCK_MARGIN
        reported = min(reported, int(passed.total_seconds()))
    return max(draft.active_seconds, reported)


def _seal(assignment: Assignment, study: Study, saved: Saved, guide: GuideVersion | None) -> Judgment:
    now = timezone.now()
    judgment = JUDGMENT_OF.first(assignment=assignment.pk)
    if judgment is None:
        judgment = Judgment(assignment=assignment, revision=1, started_at=assignment.opened_at or now)
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
