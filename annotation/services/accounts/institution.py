"""Logging in with an account of one's institution (OpenID Connect): whose account here it is.

It lets in whoever has an account here, and makes none: who takes part is invited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from django.db import IntegrityError, transaction

from annotation.errors import RuleError
from annotation.models import Event, InstitutionAccount, User
from annotation.selectors.accounts.unproven import is_unproven
from annotation.services.accounts.open_sessions import ways_in_end
from annotation.services.accounts.still_in import still_in
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import security_letter_later

_LINKED, _UNLINKED = "institution_linked", "institution_unlinked"
LONGEST_SUBJECT = 255
"""Of OpenID Connect Core 1.0, section 2."""
_REFUSALS = {
    "closed": (
        "Ce compte est fermé. Parlez-en à la personne qui vous a invité·e.",
        "This account is closed. Speak to whoever invited you.",
    ),
    "no_account": (
        "Aucun compte d'ici ne va avec celui de votre établissement. Suivez d'abord le lien de "
        "votre invitation; si votre compte d'ici a une autre adresse, connectez-vous avec son mot "
        "de passe, puis reliez les deux sous « Votre accès ».",
        "No account here goes with the one of your institution. Follow the link of your invitation "
        "first; if your account here has another address, log in with its password, then link the "
        "two under “Your way in”.",
    ),
    "unproven": (
        "Votre compte d'ici n'est pas encore relié à celui de votre établissement. Connectez-vous "
        "avec votre mot de passe, puis reliez les deux sous « Votre accès ».",
        "Your account here is not linked to the one of your institution yet. Log in with your "
        "password, then link the two under “Your way in”.",
    ),
    "another": (
        "Le compte d'ici qui a cette adresse est relié à un autre compte de votre établissement. "
        "S'il est à vous, connectez-vous avec son mot de passe et reliez-les de nouveau sous "
        "« Votre accès ».",
        "The account here that has this address is linked to another account of your institution. "
        "If it is yours, log in with its password and link them anew under “Your way in”.",
    ),
    "taken": (
        "Ce compte de votre établissement est relié à un autre compte d'ici.",
        "This account of your institution is linked to another account here.",
    ),
    "linked": (
        "Votre compte est déjà relié à votre établissement.",
        "Your account is linked to your institution already.",
    ),
}


@dataclass(frozen=True)
class Vouched:
    """Whom an institution says that it has before it. ``email``: an address of theirs that it has
    verified, "" for none."""

    issuer: str
    subject: str
    email: str


@transaction.atomic
def institution_user(vouched: Vouched) -> User:
    """Whose account here it is; linked the first time, where the address says so for certain.

    Raises ``RuleError``: ``no_account``, ``closed``; ``unproven`` where the address says it no
    more, or where somebody else may have made the account under it; ``another`` where the
    institution has given the address to somebody else since.
    """
    known = _known(vouched)
    user = known.user if known else _addressed(vouched)
    if not user.is_active:
        _refuse("closed")
    return user


@transaction.atomic
def institution_link(
    *, actor: User, vouched: Vouched, session: str | None = None
) -> InstitutionAccount:
    """Let who is logged in log in with that account from now on, whatever address it has; one of an
    institution that was before goes. ``actor``: as they were when they asked; ``session``: the key
    of the log-in by which they did.

    Raises ``RuleError``: ``taken``, ``linked``, ``changed`` where they have a new password, or that
    log-in was ended, since.
    """
    still_in(actor, field="institution", session=session)
    linked = institution_account(actor)
    if linked is not None and linked.issuer == vouched.issuer:
        _refuse("linked")
    if _known(vouched) is not None:
        _refuse("taken")
    if linked is not None:
        linked.delete()
    return _link(actor, vouched)


@transaction.atomic
def institution_unlink(*, actor: User | None, user: User, reason: str = "") -> bool:
    """Let them log in by the password alone; whether there was anything to undo. Their address
    links nothing again.

    Where an admin does it, log-ins and API tokens end, linked or not any more: they may be somebody
    else's, who unlinks it a moment before. Raises ``RuleError`` where an admin gives no reason.
    """
    by_admin = actor is not None and actor != user
    if by_admin and not reason.strip():
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    linked = institution_account(user)
    if linked is not None:
        linked.delete()
    elif not by_admin:
        return False
    because: dict[str, Any] = {"reason": reason.strip()} if by_admin else {}
    event_record(actor=actor, verb=_UNLINKED, target=user, **because)
    if by_admin:
        ways_in_end(actor=actor, user=user)
    security_letter_later(user=user, change="institution_ended" if by_admin else _UNLINKED)
    return linked is not None


@transaction.atomic
def institution_close(*, actor: User | None, user: User, reason: str) -> None:
    """With an account its link is closed: reopened, it asks for the password. Whoever took the
    account over may have made it."""
    linked = institution_account(user)
    if linked is not None:
        linked.delete()
        event_record(actor=actor, verb=_UNLINKED, target=user, reason=reason.strip())


def institution_account(user: User) -> InstitutionAccount | None:
    """The one that they can log in with; None for none."""
    return InstitutionAccount.objects.filter(user=user).first()


def institution_knows(issuer: str, subject: str) -> bool:
    """Whether somebody here is meant by that name."""
    return InstitutionAccount.objects.filter(issuer=issuer, subject=subject).exists()


def _known(vouched: Vouched) -> InstitutionAccount | None:
    accounts = InstitutionAccount.objects.select_related("user")
    return accounts.filter(issuer=vouched.issuer, subject=vouched.subject).first()


def _addressed(vouched: Vouched) -> User:
    """Who has proven here the address that it has verified; linked by it, once and for all."""
    users = User.objects.select_for_update(no_key=True)
    address = vouched.email.strip().lower()
    user = users.filter(email=address, is_demo=False).first() if address else None
    if user is None:
        _refuse("no_account")
    if (known := _known(vouched)) is not None:
        return known.user  # at the same moment, in another window
    if institution_account(user) is not None:
        _refuse("another")
    # Whoever has unlinked it, or has a new password, did not mean to be let in by an address.
    was_linked = Event.objects.filter(actor=user, verb=_LINKED).exists()
    if was_linked or is_unproven(user, to=None):
        _refuse("unproven")
    if user.is_active:
        _link(user, vouched)
    return user


def _link(user: User, vouched: Vouched) -> InstitutionAccount:
    try:
        with transaction.atomic():
            linked = InstitutionAccount.objects.create(
                user=user, issuer=vouched.issuer, subject=vouched.subject
            )
    except IntegrityError:
        _refuse("taken")  # at the same moment
    event_record(actor=user, verb=_LINKED, target=user)
    security_letter_later(user=user, change=_LINKED)
    return linked


def _refuse(code: str) -> NoReturn:
    raise RuleError.single("institution", code, *_REFUSALS[code])
