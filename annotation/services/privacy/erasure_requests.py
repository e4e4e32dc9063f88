"""A person asks to be forgotten, and somebody who answers for their data decides.

Whoever may decide: an admin, or a lead of every study in which the person has or had a part. Nobody
decides on themselves. Granting it is carrying it out: ``erasure_grant`` in
``services.privacy.erasure``.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from annotation.access import erasures_to_decide
from annotation.errors import RuleError
from annotation.models import ErasureRequest, User
from annotation.selectors.privacy.erasure_places import Place, choices_of, places
from annotation.selectors.privacy.identity import Identity
from annotation.services.platform.events import event_record


@transaction.atomic
def erasure_request(*, actor: User | None, user: User, wish: str) -> ErasureRequest:
    """Ask that the user's account be erased: by themselves, or (None) by a command for them.
    ``wish``: what should become of their judgments.

    Raises ``RuleError``: no such wish, a request waits already.
    """
    check_known(wish, "wish")
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
    request = request_decidable(actor, request, reason)
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
    request = request_decidable(actor, request, reason if not take else "-")
    mentions = erasure_places(actor, request)
    place = next(
        (mention for mention in mentions if mention.key == key and shown in ("", mention.shown)),
        None,
    )
    if place is None:
        raise places_changed(0, 1)
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


def request_decidable(actor: User | None, request: ErasureRequest, reason: str) -> ErasureRequest:
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


def check_known(judgments: str, field: str) -> None:
    if judgments not in ErasureRequest.Judgments.values:
        raise RuleError.single(
            field,
            "required",
            "Choisissez ce que deviennent les jugements.",
            "Choose what becomes of the judgments.",
        )


def places_changed(new: int, gone: int) -> RuleError:
    return RuleError.single(
        "places",
        "changed",
        f"La liste des mentions a changé depuis que vous l'avez lue ({new} de plus, {gone} de "
        "moins) : rien n'est effacé. Relisez-la, les nouvelles sont signalées.",
        f"The list of mentions has changed since you read it ({new} more, {gone} fewer): nothing "
        "is erased. Read it again; the new ones are marked.",
    )
