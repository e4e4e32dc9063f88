"""A person asks to be forgotten; somebody who answers for their data decides; what can be erased is
erased for good.

Whoever may decide: an admin, or a lead of every study in which the person has or had a part. Nobody
decides on themselves. The audit trail says that it happened and to which account, never to whom.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.access import erasures_to_decide
from annotation.errors import RuleError
from annotation.models import Assignment, ErasureRequest, Job, Lead, Study, User
from annotation.selectors.privacy.erasure_places import (
    Edit,
    Place,
    choices_of,
    edits,
    places,
    shown,
)
from annotation.selectors.privacy.identity import Identity, had_part
from annotation.services.base.standings import assignments_hold
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.counting import pairs_hold, withdrawal_recount
from annotation.services.platform.events import event_record
from annotation.services.privacy.erased_rows import (
    account_empty,
    belongings_remove,
    export_jobs,
    mentions_remove,
    parts_close,
)
from annotation.services.privacy.erasure_list import erasure_note
from annotation.services.publishing.exports import export_folder


@transaction.atomic
def erasure_request(*, actor: User | None, user: User, wish: str) -> ErasureRequest:
    """Ask that the user's account be erased: by themselves, or (None) by a command for them.
    ``wish``: what should become of their judgments.

    Raises ``RuleError``: no such wish, a request waits already.
    """
    _known(wish, "wish")
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if ErasureRequest.objects.filter(user=user, state=ErasureRequest.State.OPEN).exists():
        raise RuleError.single(
            "wish",
            "already",
            "Votre demande attend déjà une décision.",
            "Your request waits for a decision already.",
        )
    request = ErasureRequest.objects.create(user=user, wish=wish)
    event_record(actor=actor, verb="erasure_requested", target=request, wish=wish)
    return request


@transaction.atomic
def erasure_cancel(*, actor: User, request: ErasureRequest) -> ErasureRequest:
    """Take one's own request back. Raises ``RuleError`` where it was decided already."""
    request = _open(request)
    request.state = ErasureRequest.State.CANCELLED
    request.save(update_fields=["state"])
    event_record(actor=actor, verb="erasure_cancelled", target=request)
    return request


@transaction.atomic
def erasure_refuse(*, actor: User | None, request: ErasureRequest, reason: str) -> ErasureRequest:
    """Leave everything as it is, and say why: the law knows reasons. Raises ``RuleError``: no
    reason, decided already, not the actor's to decide."""
    request = _decidable(actor, request, reason)
    request.state, request.reason = ErasureRequest.State.REFUSED, reason.strip()
    request.decided_by, request.decided_at = actor, timezone.now()
    request.save(update_fields=["state", "reason", "decided_by", "decided_at"])
    event_record(actor=actor, verb="erasure_refused", target=request)
    return request


@transaction.atomic
def erasure_place_decide(
    *, actor: User | None, request: ErasureRequest, key: str, shown: str, take: bool, reason: str
) -> ErasureRequest:
    """Keep one mention out of the erasure, or have it taken out although it may be a word like any
    other. Nothing else changes: the erasure is carried out when it is granted. ``shown``: which
    text the actor saw; "" for any.

    Raises ``RuleError``: no reason where a mention is kept, no such mention (any more), decided
    already, not theirs.
    """
    request = _decidable(actor, request, reason if not take else "-")
    found = erasure_places(actor, request)
    place = next((one for one in found if one.key == key and shown in ("", one.shown)), None)
    if place is None:
        raise _changed(0, 1)
    # The place goes by the text that was read: what is written there afterwards is decided anew.
    decided = {"take": take, "reason": reason.strip(), "stamp": place.stamp}
    request.places = {**request.places, key: decided}
    request.save(update_fields=["places"])
    event_record(
        actor=actor, verb="erasure_place_decided", target=request, column=place.column, out=take
    )
    return request


def erasure_places_repeat(*, request: ErasureRequest, decided: Mapping[str, bool]) -> None:
    """Take over what was decided by hand when the same person was erased before; the reasons stayed
    with that."""
    request.places = {
        key: {"take": take, "reason": "", "stamp": ""} for key, take in decided.items()
    }
    request.save(update_fields=["places"])


def erasure_places(actor: User | None, request: ErasureRequest) -> list[Place]:
    """Every mention of the person as it stands now, with what was decided about it; for whoever
    decides."""
    everywhere = actor is None or actor.is_admin
    return places(Identity.of(request.user), choices_of(request), everywhere=everywhere)


@transaction.atomic
def erasure_grant(
    *,
    actor: User | None,
    request: ErasureRequest,
    judgments: str,
    reason: str,
    seen: Collection[str] | None = None,
) -> ErasureRequest:
    """Erase the account, irreversibly; ``statement`` of the returned request says what went and
    what stayed.

    ``judgments``: "keep" under the pseudonym, or "leave_out" of every later release. ``reason``: on
    what ground, for instance the consent under which the data was given. ``seen``: the mentions
    that the actor was shown (see ``Place.shown``); None where nobody looked at a list.

    Raises ``RuleError``: no reason, no such choice, decided already, not the actor's to decide, an
    admin, the last lead of a study, mentions that are others than those that were shown.
    """
    _known(judgments, "judgments")
    request = _decidable(actor, request, reason)
    user = request.user
    held = _hold(had_part(user))
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    _check_replaceable(user)
    identity = Identity.of(user)
    found = erasure_places(actor, request)
    if seen is not None and shown(found) != set(seen):
        raise _changed(len(shown(found) - set(seen)), len(set(seen) - shown(found)))
    standing = edits(identity)
    jobs = export_jobs(identity, user)
    request.state = ErasureRequest.State.RUNNING  # what the triggers of the audit trail look for
    request.save(update_fields=["state"])
    mentions = mentions_remove(place for place in found if place.is_taken)
    annotated = {*user.annotates.values_list("study", flat=True)}
    removed = belongings_remove(user)
    kept = parts_close(user, judgments)
    for study in (study for study in held if study.pk in annotated):
        withdrawal_recount(study)
        if study.open_rounds:
            # Where the plan asks for so many people per pair, others take over what was not
            # submitted or is left out.
            assignments_fill(actor=actor, study=study)
    account_empty(user)
    Job.objects.filter(pk__in=[job.pk for job in jobs]).delete()
    removed |= {"exports": len(jobs), "mentions": mentions}
    request.statement = {"removed": removed, "kept": kept} | _left(identity, found, standing)
    request.places = {
        key: held | {"reason": identity.cleaned(str(held["reason"]))}
        for key, held in request.places.items()
    }
    request.state, request.decision = ErasureRequest.State.GRANTED, judgments
    request.reason = identity.cleaned(reason.strip())
    request.decided_by, request.decided_at = actor, timezone.now()
    request.save()
    event_record(actor=actor, verb="erasure_granted", target=request, judgments=judgments)
    transaction.on_commit(partial(erasure_note, request))
    for job in jobs:
        transaction.on_commit(
            partial(shutil.rmtree, export_folder(job.public_id), ignore_errors=True)
        )
    return request


def _hold(studies: Collection[int]) -> list[Study]:
    """Make everybody who saves or submits in these studies wait: what is read of their texts holds
    until the end.

    Returns them, in the order in which everything locks them: study, pairs, assignments.
    """
    held = list(Study.objects.select_for_update(no_key=True).filter(pk__in=studies).order_by("pk"))
    for study in held:
        pairs_hold(study)
    assignments_hold(Assignment.objects.filter(annotator__study__in=studies))
    return held


def _left(identity: Identity, found: list[Place], standing: list[Edit]) -> dict[str, Any]:
    """For the statement: mentions that stay, by where they are and why, and those that a person has
    to mend. Nobody's words, and no name."""
    left = [
        {
            "column": place.column,
            "pk": str(place.pk),
            "why": identity.cleaned(place.choice.reason) if place.choice else place.doubt,
            "by_hand": place.choice is not None,
        }
        for place in found
        if not place.is_taken
    ]
    edit = [{"column": one.column, "pk": str(one.pk), "study": one.study} for one in standing]
    return {"left": left, "to_edit": edit}


def _changed(new: int, gone: int) -> RuleError:
    return RuleError.single(
        "places",
        "changed",
        f"La liste des mentions a changé depuis que vous l'avez lue ({new} de plus, {gone} de "
        "moins) : rien n'est effacé. Relisez-la, les nouvelles sont signalées.",
        f"The list of mentions has changed since you read it ({new} more, {gone} fewer): nothing "
        "is erased. Read it again; the new ones are marked.",
    )


def _known(judgments: str, field: str) -> None:
    if judgments not in ErasureRequest.Judgments.values:
        raise RuleError.single(
            field,
            "required",
            "Choisissez ce que deviennent les jugements.",
            "Choose what becomes of the judgments.",
        )


def _open(request: ErasureRequest) -> ErasureRequest:
    request = ErasureRequest.objects.select_for_update().get(pk=request.pk)
    if request.state != ErasureRequest.State.OPEN:
        raise RuleError.single(
            "request",
            "decided",
            "Cette demande n'attend plus de décision.",
            "This request does not wait for a decision any more.",
        )
    return request


def _decidable(actor: User | None, request: ErasureRequest, reason: str) -> ErasureRequest:
    if not reason.strip():
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")
    request = _open(request)
    if actor is not None and not erasures_to_decide(actor).filter(pk=request.pk).exists():
        raise RuleError.single(
            "request",
            "not_yours",
            "Cette décision revient à une autre personne.",
            "This decision is somebody else's.",
        )
    return request


def _check_replaceable(user: User) -> None:
    if user.is_admin:
        raise RuleError.single(
            "user",
            "admin",
            "Cette personne administre : retirez-lui d'abord ce rôle.",
            "This person is an admin: take that role from them first.",
        )
    for lead in Lead.objects.filter(user=user).select_related("study"):
        if not Lead.objects.filter(study=lead.study_id).exclude(pk=lead.pk).exists():
            raise RuleError.single(
                "user",
                "last_lead",
                (
                    f"Cette personne est la seule à diriger l'étude {lead.study.key} : ajoutez-y "
                    "d'abord quelqu'un."
                ),
                (
                    f"This person is the only lead of the study {lead.study.key}: add another one "
                    "first."
                ),
            )
