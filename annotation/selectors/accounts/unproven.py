"""Accounts that may be somebody else's than the person's whose address they bear.

The link of an invitation is shown to whoever makes it, mailed or not: they may have opened it
themselves and chosen the password. The audit trail says who made the link with which an account
began, and outlives the study of that link.
"""

from __future__ import annotations

from django.db.models import Q

from annotation.models import Event, Invitation, User

# What whoever holds the machine does to an account by a command: they answer for whose it is.
_BY_COMMAND = ("admin_granted", "password_changed", "address_vouched", "address_changed")


def is_unproven(user: User, *, to: User | None) -> bool:
    """Whether the account was made with a link that somebody else saw, and its address was never
    proven since, as far as ``to`` knows (None: whoever holds the machine).

    Whoever made the person a link that was accepted knows them, and so does whoever vouched for
    them. An admin needs nobody else's account to reach anything.
    """
    giver = _giver(user)
    if giver is None or giver == to or user.is_admin or (giver.is_admin and giver.is_active):
        return False
    if Invitation.objects.filter(accepted_by=user, created_by=to).exists():
        return False
    about = Q(target_type="user", target_id=str(user.pk))
    # A new password by link: mailed to the address, or handed over by an admin. It ends what
    # whoever knew the former one had open. Or a code that was mailed to a new address: whoever
    # reads what is sent there has the account.
    proofs = (
        Q(actor=user, verb__in=("password_reset", "address_changed"))
        | Q(about, actor=None, verb__in=_BY_COMMAND)
        | Q(about, actor=to, verb="address_vouched")
    )
    return not Event.objects.filter(proofs).exists()


def _giver(user: User) -> User | None:
    """Who made the link with which the account began; None for a command."""
    accepted = Event.objects.filter(actor=user, verb="invitation_accepted").order_by("pk").first()
    if accepted is None:
        return None
    created = Event.objects.filter(
        study=accepted.study_id,
        verb="invitation_created",
        target_type="invitation",
        target_id=accepted.target_id,
    )
    return User.objects.filter(pk__in=created.values("actor")).first()
