"""Links with which somebody chooses a new password: asked for by mail, or made by an admin to hand
over."""

from __future__ import annotations

from django.contrib.auth.tokens import PasswordResetTokenGenerator, default_token_generator
from django.db import transaction

from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import User
from annotation.services.platform.events import event_record

_BY = "~"


class _GivenBy(PasswordResetTokenGenerator):
    """Django's tokens, bound to the admin who made them as well."""

    key_salt = "annotation.services.accounts.password_links"

    def __init__(self, giver: User) -> None:
        super().__init__()
        self._giver = giver

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{self._giver.pk}"


class PasswordLinks:
    """What the page behind such a link asks. One that an admin made is worth as much as that admin
    is now: it opens somebody else's account."""

    def check_token(self, user: User | None, token: str | None) -> bool:
        """Whether the token opens a new password for ``user`` at this moment."""
        giver, by, given = (token or "").partition(_BY)
        if not by:
            return default_token_generator.check_token(user, token)
        admin = User.objects.filter(pk=whole(giver) or 0, is_active=True, is_admin=True).first()
        return admin is not None and _GivenBy(admin).check_token(user, given)


@transaction.atomic
def password_token_create(*, actor: User, user: User) -> str:
    """A token with which somebody chooses a new password, for an admin to hand over: where no mail
    is sent. Recorded, because it opens another person's account. Raises ``RuleError`` for a closed
    one."""
    if not user.is_active:
        raise RuleError.single(
            "user",
            "closed",
            "Ce compte est fermé : rouvrez-le d'abord.",
            "This account is closed: reopen it first.",
        )
    event_record(actor=actor, verb="password_link_created", target=user)
    return f"{actor.pk}{_BY}{_GivenBy(actor).make_token(user)}"
