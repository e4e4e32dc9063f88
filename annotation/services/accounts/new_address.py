"""Another address for an account: whoever has the account shows that they read what is sent there,
or whoever holds the machine answers for it.

The former address is told, and stays known for releases and erasures (``AddressChange``).
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from annotation.errors import RuleError
from annotation.models import AddressChange, User
from annotation.selectors.accounts.new_address import address_change_waiting
from annotation.services.accounts.accounts import address
from annotation.services.accounts.letter_counts import letter_may_go
from annotation.services.accounts.still_in import still_in
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import (
    address_letter,
    letter_send_later,
    mail_configured,
    security_letter_later,
)

CODE_DIGITS = 8
CODE_TRIES = 5
CODE_HOLDS = timedelta(days=1)
"""As long as a link for a new password."""
_SALT = "annotation.services.accounts.new_address"


@transaction.atomic
def address_change_begin(*, actor: User, email: str, session: str | None = None) -> AddressChange:
    """Send a code to the address that the account is to have; whatever waited for one before waits
    no more. ``actor``: as they were when they asked; ``session``: the key of their log-in.

    An address that has an account already gets a letter that says so, and no code: nobody learns
    here which addresses have one. Raises ``RuleError``: for what is no address, or the one that
    they have; ``no_mail``; ``too_many`` letters within an hour; ``changed`` where that log-in does
    not hold any more.
    """
    still_in(actor, field="email", session=session)
    email = address(email)
    if email == actor.email:
        raise RuleError.single(
            "email",
            "same",
            "C'est déjà l'adresse de votre compte.",
            "This is the address of your account already.",
        )
    if actor.is_demo or not mail_configured():
        raise RuleError.single(
            "email",
            "no_mail",
            "Ce serveur n'envoie pas de courriel : demandez à qui s'en occupe de la changer.",
            "This server sends no mail: ask whoever looks after it to change it.",
        )
    if not letter_may_go("address", actor):
        raise RuleError.single(
            "email",
            "too_many",
            "Trois codes ont été envoyés depuis une heure : attendez avant d'en demander un autre.",
            "Three codes were sent within the hour: wait before you ask for another.",
        )
    address_change_waiting(actor).delete()
    is_free = not User.objects.filter(email=email).exists()
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    change = AddressChange.objects.create(
        user=actor,
        before=actor.email,
        email=email,
        code_digest=_digest(actor, email, code) if is_free else "",
    )
    event_record(actor=actor, verb="address_code_sent", target=actor)
    letter = address_letter(user=actor, email=email, code=code if is_free else "")
    transaction.on_commit(lambda: letter_send_later(letter))
    return change


def address_change_finish(*, actor: User, code: str, session: str | None = None) -> User:
    """Give the account the address that the code was sent to, and tell the former one.

    Raises ``RuleError``: ``none`` where nothing waits, or has for more than a day; ``wrong``, which
    counts, also while another answer is given; ``too_many`` wrong ones; ``taken`` where somebody
    has an account under it since; ``changed`` where that log-in does not hold any more.
    """
    # Not atomic as a whole: a wrong code that was not counted could be tried for ever.
    with transaction.atomic():
        still_in(actor, field="code", session=session)
        change = address_change_waiting(actor).select_for_update(no_key=True).first()
        if change is None or change.requested_at < timezone.now() - CODE_HOLDS:
            raise RuleError.single(
                "code",
                "none",
                "Aucun code n'est attendu, ou il a plus d'un jour : demandez-en un autre.",
                "No code is awaited, or it is more than a day old: ask for another.",
            )
        if change.tries < CODE_TRIES:
            typed = _digest(actor, change.email, "".join(code.split()))
            if constant_time_compare(typed, change.code_digest):
                return _take(change, actor=actor)
            AddressChange.objects.filter(pk=change.pk).update(tries=change.tries + 1)
    if change.tries + 1 < CODE_TRIES:
        raise RuleError.single(
            "code",
            "wrong",
            "Ce n'est pas le code qui a été envoyé.",
            "This is not the code that was sent.",
        )
    raise RuleError.single(
        "code",
        "too_many",
        "Trop de codes faux : demandez-en un autre.",
        "Too many wrong codes: ask for another.",
    )


def address_code_holds(change: AddressChange) -> bool:
    """Whether the code that was sent for it is still taken: not after a day, nor after as many
    wrong ones."""
    return change.tries < CODE_TRIES and change.requested_at >= timezone.now() - CODE_HOLDS


@transaction.atomic
def address_change_cancel(*, actor: User) -> bool:
    """Await no code any more; whether one was awaited."""
    return bool(address_change_waiting(actor).delete()[0])


@transaction.atomic
def address_change_answered_for(*, user: User, email: str, reason: str) -> User:
    """What whoever holds the machine changes, who answers for whose the new address is. Raises
    ``RuleError``: no reason, no address, the same, ``taken``, a closed account."""
    if not reason.strip():
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")
    email = address(email)
    held = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if not held.is_active:
        raise RuleError.single("email", "closed", "Ce compte est fermé.", "This account is closed.")
    if held.email == email:
        raise RuleError.single(
            "email",
            "same",
            "C'est déjà l'adresse de ce compte.",
            "This is the address of that account already.",
        )
    address_change_waiting(held).delete()
    change = AddressChange.objects.create(user=held, before=held.email, email=email)
    return _take(change, actor=None, reason=reason.strip())


def address_changes_expire() -> int:
    """Remove changes whose code holds no longer; how many. Nobody has shown that the address is
    theirs."""
    before = timezone.now() - CODE_HOLDS
    return AddressChange.objects.filter(taken_at__isnull=True, requested_at__lt=before).delete()[0]


def _digest(user: User, email: str, code: str) -> str:
    return salted_hmac(_SALT, f"{user.pk}:{email}:{code}", algorithm="sha256").hexdigest()


def _take(change: AddressChange, *, actor: User | None, reason: str = "") -> User:
    # As read before the change: the letter goes to the former address.
    security_letter_later(user=User.objects.get(pk=change.user_id), change="address_changed")
    user = User.objects.select_for_update(no_key=True).get(pk=change.user_id)
    try:
        with transaction.atomic():
            user.email = change.email
            user.save(update_fields=["email"])
    except IntegrityError as error:
        raise RuleError.single(
            "email",
            "taken",
            "Un autre compte a cette adresse.",
            "Another account has this address.",
        ) from error
    change.code_digest, change.taken_at = "", timezone.now()
    change.save(update_fields=["code_digest", "taken_at"])
    because: dict[str, Any] = {"reason": reason} if reason else {}
    event_record(actor=actor, verb="address_changed", target=user, **because)
    return user
