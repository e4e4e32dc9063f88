"""Logging in with an account of one's institution (OpenID Connect): whose account here it is.

It lets in whoever has an account here, and makes none: who takes part is invited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from django.db import IntegrityError, transaction

from annotation.errors import RuleError
from annotation.models import InstitutionAccount, User
from annotation.selectors.accounts.unproven import is_unproven
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import security_letter_later

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
        "Parlez-en à la personne qui administre.",
        "The account here that has this address is linked to another account of your institution. "
        "Speak to an admin.",
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

    Raises ``RuleError``: ``no_account``, ``closed``; ``unproven`` where somebody else may have made
    the account under that address; ``another`` where the institution has given the address to
    somebody else since.
    """
    known = _known(vouched)
    user = known.user if known else _addressed(vouched)
    if not user.is_active:
        _refuse("closed")
    if known is None:
        _link(user, vouched)
    return user


@transaction.atomic
def institution_link(*, actor: User, vouched: Vouched) -> InstitutionAccount:
    """Let who is logged in log in with that account from now on, whatever address it has. Raises
    ``RuleError``: ``taken``, ``linked``."""
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)
    if institution_account(actor) is not None:
        _refuse("linked")
    if _known(vouched) is not None:
        _refuse("taken")
    return _link(actor, vouched)


@transaction.atomic
def institution_unlink(*, actor: User | None, user: User) -> bool:
    """Let them log in by the password alone; whether there was anything to undo."""
    linked = institution_account(user)
    if linked is None:
        return False
    linked.delete()
    event_record(actor=actor, verb="institution_unlinked", target=user)
    security_letter_later(user=user, change="institution_unlinked")
    return True


def _known(vouched: Vouched) -> InstitutionAccount | None:
    accounts = InstitutionAccount.objects.select_related("user")
    return accounts.filter(issuer=vouched.issuer, subject=vouched.subject).first()


def institution_account(user: User) -> InstitutionAccount | None:
    """The one that they can log in with; None for none."""
    return InstitutionAccount.objects.filter(user=user).first()


def _addressed(vouched: Vouched) -> User:
    address = vouched.email.strip().lower()
    users = User.objects.select_for_update(no_key=True)
    user = users.filter(email=address, is_demo=False).first() if address else None
    if user is None:
        _refuse("no_account")
    if not user.is_active:
        _refuse("closed")
    if institution_account(user) is not None:
        _refuse("another")
    if is_unproven(user, to=None):
        _refuse("unproven")
    return user


def _link(user: User, vouched: Vouched) -> InstitutionAccount:
    try:
        with transaction.atomic():
            linked = InstitutionAccount.objects.create(
                user=user, issuer=vouched.issuer, subject=vouched.subject
            )
    except IntegrityError:
        _refuse("taken")  # at the same moment
    event_record(actor=user, verb="institution_linked", target=user)
    security_letter_later(user=user, change="institution_linked")
    return linked


def _refuse(code: str) -> NoReturn:
    raise RuleError.single("institution", code, *_REFUSALS[code])
