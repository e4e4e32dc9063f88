"""Somebody who was invited and never came wants their address gone: there is no account whose
request for erasure it could be."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from annotation.errors import RuleError
from annotation.models import Invitation, User
from annotation.privacy.folding import fold
from annotation.privacy.names import Person
from annotation.selectors.privacy.erasure_places import ANSWER, Place, places
from annotation.selectors.privacy.identity import Identity
from annotation.selectors.privacy.personal import access_of
from annotation.services.accounts.accounts import address
from annotation.services.platform.events import event_record
from annotation.services.platform.left_bytes import log_cut


def address_is_invited(email: str) -> bool:
    """Whether no account has this address, and somebody was invited by it or tried to log in."""
    email = email.strip().lower()
    if User.objects.filter(email=email).exists():
        return False
    return Invitation.objects.filter(email=email).exists() or any(
        rows.exists() for rows in access_of(email)
    )


def address_held(email: str) -> dict[str, int]:
    """How many invitations and records of log-ins an erasure of this address would remove. Raises
    ``RuleError``: an account has it."""
    email = _of_nobody(email)
    return {
        "invitations": Invitation.objects.filter(email=email).count(),
        "access_records": sum(rows.count() for rows in access_of(email)),
    }


def _of_nobody(email: str) -> str:
    email = address(email)
    if User.objects.filter(email=email).exists():
        raise RuleError.single(
            "email",
            "has_account",
            "Un compte a cette adresse : c'est lui qu'on efface, à la demande de la personne.",
            "An account has this address: erase that account, at its person's request.",
        )
    return email


def address_places(email: str) -> list[Place]:
    """Where an address that no account has stands in what people typed. What stands before its @
    may be anybody's word; answers kept for programs go by themselves (``idempotency.KEPT``)."""
    email = address(email)
    return [
        place
        for place in places(Identity(Person("", email)))
        if place.column != ANSWER and fold(place.text[place.start : place.end]) == fold(email)
    ]


@transaction.atomic
def address_erase(*, actor: User | None, email: str, reason: str) -> dict[str, Any]:
    """Remove every invitation to an address that no account has (the link of an open one opens
    nothing any more) and what the throttle of log-ins noted under it. The statement: how many of
    each went, and where the address stands in what people typed, for a person to edit.

    Raises ``RuleError``: no reason, an account has this address, there is nothing to remove.
    """
    email = _of_nobody(email)
    if not reason.strip():
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")
    removed = {
        "invitations": Invitation.objects.filter(email=email).delete()[0],
        "access_records": sum(rows.delete()[0] for rows in access_of(email)),
    }
    if not any(removed.values()):
        raise RuleError.single(
            "email",
            "not_invited",
            "Personne n'a été invité à cette adresse, et personne n'a tenté de s'y connecter.",
            "Nobody was invited by this address, and nobody tried to log in with it.",
        )
    left = [{"column": place.column, "pk": str(place.pk)} for place in address_places(email)]
    # Nothing names them any more, the reason neither.
    said = Identity(Person("", email)).cleaned(reason.strip())
    event_record(
        actor=actor, verb="address_erased", invitations=removed["invitations"], reason=said
    )
    transaction.on_commit(log_cut)
    return {"removed": removed, "left": left}
