"""Drafts: the only writer of what an annotator has typed.

No answer is ever lost. Every save carries a key of its own: a replay of an acknowledged one changes
nothing. It also names the revision that it builds on: a save that would overwrite another window's
is refused with what stands there, and nothing is written. Once its annotator has chosen, the save
says what it was chosen against (``Save.aside``), and both go into the history of the draft.

What waited in a browser while its pair was offered again as a silent repeat goes to the first
answer, out of sight as that is. Nobody is shown it any more, and so nobody can choose: what builds
on an older revision becomes its draft, and no judgment (``Saved.late``).
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.http import Http404
from django.utils import timezone

from annotation.errors import RuleError, StaleDraft, StudyClosed
from annotation.models import (
    Assignment,
    Draft,
    Event,
    GuideStanding,
    Judgment,
    SaveReceipt,
    Study,
    User,
    guide_standing,
    offered_again,
    with_guide,
)
from annotation.prepared import STAND_IN, Prepared
from annotation.protocols.base import Answers
from annotation.protocols.kinds import ShapeError
from annotation.protocols.protocol import Protocol
from annotation.rows import row_update, rows_insert
from annotation.services.base.standings import annotators_hold, standings_turn
from annotation.services.base.worked import work_add
from annotation.services.judging.aids import aids_note
from annotation.services.judging.draft_versions import Aside, Origin, asides_clean, versions_keep
from annotation.services.planning.counting import study_share
from annotation.services.platform.study_rows import share_lock, study_row_require

P = ParamSpec("P")
T = TypeVar("T")
# A clock may be a little off and a page may have been opened before its first save was stored.
CLOCK_MARGIN = timedelta(minutes=10)
# A local copy may wait on a laptop over a holiday before it is sent again.
RECEIPTS_KEPT = timedelta(days=90)
# Locks the pair, where the database knows such locks, before it is read with what belongs to it: a
# statement that waits for a lock sees of all other tables what stood there before.
_LOCK = Prepared(
    lambda assignment: (
        Assignment.objects.select_for_update(of=("self",))
        .filter(pk=assignment)
        .order_by()
        .values_list("pk")
    ),
    assignment=STAND_IN,
)
# What the pair stands for, its draft and judgment, what its study and plan say, which is shared by
# then, and the guide in force.
_HELD = Prepared(
    lambda assignment: with_guide(
        Assignment.objects.filter(pk=assignment)
        .select_related("annotator__study__plan", "draft", "judgment")
        .order_by()
    ),
    plan_once=True,
    assignment=STAND_IN,
)
_RECEIPTS = Prepared(
    lambda key, former: SaveReceipt.objects.filter(pk__in=[key, former]),
    key=uuid.UUID(int=0),
    former=uuid.UUID(int=1),
)


# One statement, and its own transaction where there is none: a pair is opened at each look at a new
# one. It shares the study as ``study_row_share`` does, before it comes to the pair. What was
# released meanwhile is out of sight until somebody begins it: see assignment_open.
_OPENED = (
    f"UPDATE {Assignment._meta.db_table} SET opened_at = %s WHERE id = %s AND opened_at IS NULL "  # noqa: S608  (our own tables)
    f"AND context_shown = %s AND standing > {Assignment.Standing.HIDDEN.value} AND "
    f"EXISTS (SELECT 1 FROM {Study._meta.db_table} WHERE id = %s AND archived_at IS NULL{{lock}})"
)


@dataclass(frozen=True)
class Saved:
    """An acknowledged save. ``replayed``: it had been acknowledged before, nothing was written
    now."""

    revision: int
    saved_at: datetime
    answers: Answers
    active_seconds: int
    more_seconds: int = 0
    """Active ones that this save brought, for its day (``services/base/worked.py``)."""
    replayed: bool = False
    submitted: bool = False
    number: int = 0
    """Of the submission that was just made; 0 for none, or one that was acknowledged before."""
    submission: str = ""
    """The same one's name, which no later submission has: a number is given again after a
    taking-back."""
    late: bool = False
    """Of a pair that is offered again, on an older revision: kept, and never submitted."""


@dataclass(frozen=True)
class Save:
    """One request to save, as a browser sends it.

    ``aside``: None where nothing had to be decided. Otherwise what its annotator decided against,
    perhaps nothing; the draft that the save replaces is kept as well then.
    """

    answers: Any
    base_revision: int
    key: uuid.UUID
    active_seconds: int = 0
    aside: Sequence[Aside] | None = None
    aids: Mapping[str, int] = field(default_factory=dict)
    """By aid, how many seconds ago it was first opened."""
    opened: int | None = None
    """Of a pair that its browser had kept: how many seconds ago it was shown."""


@dataclass(frozen=True)
class Held:
    """What stands in a pair since it is locked."""

    study: Study
    draft: Draft
    """A new one where there is none yet."""
    judgment: Judgment | None
    guide: GuideStanding


class WentOutOfSight(Exception):
    """The pair did, between its being read and its being locked."""


def again_if_out_of_sight(service: Callable[P, T]) -> Callable[P, T]:
    """Carry a service that changes a pair out once more where the pair went out of sight in this
    very moment. Its locks are given back first, so that all of its annotator's can be taken in
    their order; nothing was written."""

    @wraps(service)
    def carried_out(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return service(*args, **kwargs)
        except WentOutOfSight:
            return service(*args, **kwargs)

    return carried_out


@again_if_out_of_sight
@transaction.atomic
def draft_save(*, actor: User, assignment: Assignment, save: Save) -> Saved:
    """Store the answers as they stand, complete or not. Whoever archives or closes the study waits
    for that, or is waited for and finds the save refused.

    Raises ``RuleError`` (wrong shape), ``StudyClosed``, ``StaleDraft`` (another window was faster),
    ``Http404`` (it is not theirs any more).
    """
    study_share(assignment)
    saved = draft_store(assignment, assignment_hold(assignment, also_parked=True), save)
    work_add(assignment=assignment, moment=saved.saved_at, seconds=saved.more_seconds)
    save_acknowledge(assignment, save, saved)
    return saved


@again_if_out_of_sight
@transaction.atomic
def draft_restore(*, actor: User, assignment: Assignment, answers: Answers) -> Saved:
    """Make former answers of this pair the draft again; what they replace goes into the history of
    the draft. Where they stand there already, nothing is written.

    They come from ``selectors.judging.own``. Raises ``StudyClosed``, ``Http404`` as ``draft_save``.
    """
    study_share(assignment)
    held = assignment_hold(assignment)
    draft = held.draft
    answers = _clean(held.study.protocol, answers)
    if answers != draft.answers:
        versions_keep(assignment, draft, answers, [], Origin.REPLACED)
        draft.answers = answers
        draft.revision += 1
        draft.saved_at = timezone.now()
        _stored(draft, assignment)
        _begun(assignment)
    return Saved(draft.revision, draft.saved_at, draft.answers, draft.active_seconds)


def _begun(assignment: Assignment) -> None:
    """It has a draft now. Where it was released in this very moment, it is begun by that, and stays
    with its annotator."""
    if assignment.standing == Assignment.Standing.HIDDEN:
        standings_turn([assignment.pk])


def assignment_open(*, assignment: Assignment, seconds_ago: int = 0) -> None:
    """Note when the pair was first shown to its annotator; a browser that had kept it tells later,
    ``seconds_ago``: by its own clock, and so never before there was anything to look at.

    What the assignment says of its context holds from then on: where that was drawn anew since it
    was read, it is read again. Raises ``StudyArchived`` where that was still to be noted.
    """
    if assignment.opened_at is not None:
        return
    ago = min(timedelta(seconds=seconds_ago), RECEIPTS_KEPT)
    if ago > CLOCK_MARGIN:
        ago = min(ago, max(timedelta(), timezone.now() - _open_since(assignment)))
    if not _opened(assignment, timezone.now() - ago):
        _open(assignment, ago)


def _open_since(assignment: Assignment) -> datetime:
    """Since when its annotator may have looked at the pair: it was there, and so were they, and its
    round was open."""
    item = assignment.simplification.item
    opening = Event.objects.filter(
        study=item.study_id,
        verb="study_state_changed",
        details__after="practice" if item.round == "practice" else "main",
    )
    moments = [assignment.annotator.created_at, assignment.simplification.created_at]
    first = opening.order_by("pk").values_list("created_at", flat=True).first()
    return max([*moments, first] if first else moments)


def _opened(assignment: Assignment, now: datetime) -> bool:
    """Whether the pair could be opened as it was read."""
    study = assignment.annotator.study_id
    at = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(
            _OPENED.format(lock=share_lock()), [at, assignment.pk, assignment.context_shown, study]
        )
        if cursor.rowcount:
            assignment.opened_at = now
    return assignment.opened_at is not None


@transaction.atomic
def _open(assignment: Assignment, ago: timedelta) -> None:
    study_row_require(assignment.annotator.study)
    while assignment.opened_at is None:
        now = timezone.now() - ago
        if not _opened(assignment, now):
            _read_again(assignment)
            if assignment.opened_at is None and assignment.standing == Assignment.Standing.HIDDEN:
                _open_released(assignment, now)


def _read_again(assignment: Assignment) -> None:
    """Raises ``Http404`` where its round was taken back in this very moment."""
    try:
        assignment.refresh_from_db(fields=["opened_at", "context_shown", "standing", "ordinal"])
    except Assignment.DoesNotExist as error:
        raise Http404("not theirs any more") from error


@transaction.atomic
def _open_released(assignment: Assignment, now: datetime) -> None:
    """It was released while its page was on its way: now it is begun, and stays with its
    annotator."""
    annotators_hold([assignment.annotator_id])
    if Assignment.objects.filter(pk=assignment.pk, opened_at__isnull=True).update(opened_at=now):
        standings_turn([assignment.pk])


def receipts_expire() -> int:
    """Remove receipts that no browser can come back for; how many were removed."""
    return SaveReceipt.objects.filter(saved_at__lt=timezone.now() - RECEIPTS_KEPT).delete()[0]


def assignment_hold(assignment: Assignment, *, also_parked: bool = False) -> Held:
    """Lock the assignment, so that two saves of it wait for each other, and read afresh what it
    stands for and what belongs to it. The study is shared already (``study_share``). One that is
    out of sight may come into it, and its annotator's are counted anew then: all of them are
    locked. ``also_parked``: one is taken as well whose place a silent repeat has.

    Raises ``Http404`` for one that is offered again and not taken, and ``WentOutOfSight`` where it
    went out of sight since it was read: see ``again_if_out_of_sight``.
    """
    read = assignment.standing
    if read == Assignment.Standing.HIDDEN:
        annotators_hold([assignment.annotator_id])
    if connection.features.has_select_for_update:
        _LOCK.first(assignment=assignment.pk)
    held: Any = _HELD.first(assignment=assignment.pk)
    if held is None:
        raise _taken_away(assignment)
    study, standing = held.annotator.study, held.standing
    assignment.standing, assignment.released_at = standing, held.released_at
    assignment.position, assignment.opened_at = held.position, held.opened_at
    assignment.set_aside_at = held.set_aside_at
    if (
        standing == Assignment.Standing.HIDDEN
        and not (also_parked and held.is_parked)
        and Assignment.objects.filter(offered_again(), pk=assignment.pk).exists()
    ):
        raise Http404("offered again")
    if standing == Assignment.Standing.HIDDEN != read:
        raise WentOutOfSight
    if not accepts_judgments(study, assignment.simplification.item.round):
        raise StudyClosed(study.state)
    draft, judgment = getattr(held, "draft", None), getattr(held, "judgment", None)
    if judgment is not None:
        # With the texts that were read already.
        judgment.assignment = assignment
    return Held(study, draft or Draft(assignment=assignment), judgment, guide_standing(held))


def _taken_away(assignment: Assignment) -> Exception:
    """What is said of a pair whose row is gone: its round was taken back, or it is nobody's."""
    item = assignment.simplification.item
    study = Study.objects.filter(pk=assignment.annotator.study_id).first()
    if study is not None and not accepts_judgments(study, item.round):
        return StudyClosed(study.state)
    return Http404("not theirs any more")


def accepts_judgments(study: Study, round_: str) -> bool:
    """Whether what is typed is taken; also where the protocol is no longer installed and the page
    says so: what an open page or a browser still holds is kept."""
    return round_ in study.open_rounds


def draft_store(
    assignment: Assignment, held: Held, save: Save, *, submitting: bool = False
) -> Saved:
    """Make the answers of this save the draft, once its assignment is held (``assignment_hold``);
    what was acknowledged before is only told again. Raises ``RuleError``, ``StaleDraft``."""
    protocol, draft = held.study.protocol, held.draft
    answers = _clean(protocol, save.answers)
    receipt = _receipt(assignment, save.key)
    if receipt is not None:
        return _replay(assignment, draft, receipt, answers, submitting=submitting)
    is_stale = save.base_revision != draft.revision and answers != draft.answers
    if is_stale and not assignment.is_parked:
        raise StaleDraft(draft)
    if is_stale:
        save = replace(save, aside=save.aside or ())
    if save.opened is not None:
        assignment_open(assignment=assignment, seconds_ago=save.opened)
    if save.aside is not None:
        versions_keep(
            assignment, draft, answers, asides_clean(protocol, save.aside), Origin.OVERWRITTEN
        )
    draft.answers = answers
    draft.revision += 1
    draft.saved_at = timezone.now()
    before = draft.active_seconds
    opened_at = _opened_at(assignment, draft.saved_at)
    draft.active_seconds = _active_seconds(opened_at, draft, save.active_seconds)
    _stored(draft, assignment)
    _begun(assignment)
    aids_note(assignment, save.aids, draft.saved_at)
    more = draft.active_seconds - before
    return Saved(draft.revision, draft.saved_at, answers, draft.active_seconds, more, late=is_stale)


def _stored(draft: Draft, assignment: Assignment) -> None:
    draft.annotator_id = assignment.annotator_id
    if draft.pk is None:
        rows_insert(draft)
    else:
        row_update(draft, "annotator", "answers", "revision", "saved_at", "active_seconds")


def save_acknowledge(
    assignment: Assignment, save: Save, saved: Saved, *, submitted: bool = False
) -> None:
    """The receipt by which a repetition of this save is known: of the draft, or with it of the
    submission."""
    keys = SaveReceipt.keys_of(assignment.annotator_id, save.key)
    if not saved.replayed:
        receipt = SaveReceipt(
            key=keys[0],
            assignment=assignment,
            revision=saved.revision,
            saved_at=saved.saved_at,
            submitted=submitted,
            answers_digest=_digest(saved.answers),
        )
        rows_insert(receipt)
    elif submitted:
        SaveReceipt.objects.filter(pk__in=keys, assignment=assignment).update(submitted=True)


def _receipt(assignment: Assignment, save_key: uuid.UUID) -> SaveReceipt | None:
    """Of an earlier arrival of this save, or of another of its annotator's under the same key."""
    key, former = SaveReceipt.keys_of(assignment.annotator_id, save_key)
    for receipt in _RECEIPTS.rows(key=key, former=former):
        theirs = Assignment.objects.filter(
            pk=receipt.assignment_id, annotator=assignment.annotator_id
        )
        if receipt.assignment_id == assignment.pk or theirs.exists():
            return receipt
    return None


def _replay(
    assignment: Assignment,
    draft: Draft,
    receipt: SaveReceipt,
    answers: Answers,
    *,
    submitting: bool,
) -> Saved:
    """The answer that the first arrival of this save got. A submission whose draft was kept but
    which was refused is judged again, unless something newer was saved since."""
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
            "Cette clé d'enregistrement a servi pour d'autres réponses : rien n'a été enregistré. "
            "Envoyez celles-ci sous une nouvelle clé.",
            (
                "This save key was used for other answers: nothing was saved. Send these under a "
                "new key."
            ),
        )
    is_stale = submitting and not receipt.submitted and receipt.revision != draft.revision
    if is_stale and not assignment.is_parked:
        raise StaleDraft(draft)
    return Saved(
        receipt.revision,
        receipt.saved_at,
        draft.answers,
        draft.active_seconds,
        replayed=True,
        submitted=receipt.submitted,
        late=is_stale,
    )


def _clean(protocol: Protocol, received: Any) -> Answers:
    try:
        return protocol.clean(received)
    except ShapeError as error:
        raise RuleError([error.problem]) from error


def _digest(answers: Answers) -> str:
    """Tells other answers under one key from the same ones; a few bytes do, nobody gains by a
    clash."""
    text = json.dumps(answers, sort_keys=True, cls=DjangoJSONEncoder)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _opened_at(assignment: Assignment, now: datetime) -> datetime:
    """When the held pair was first shown. One that a program saves without having asked for it
    counts as opened by that, or its time would have no bound."""
    if assignment.opened_at is None:
        assignment.opened_at = now
        row_update(assignment, "opened_at")
    return assignment.opened_at


def _active_seconds(opened_at: datetime, draft: Draft, reported: int) -> int:
    """The longest time reported so far, but never more than has passed since the pair was opened;
    and never less than was stored: its growth is counted by the day, and must not be counted
    twice."""
    passed = draft.saved_at - opened_at + CLOCK_MARGIN
    return max(draft.active_seconds, min(reported, int(passed.total_seconds())))
