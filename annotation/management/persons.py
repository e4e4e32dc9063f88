"""People that commands are told of by their address."""

from __future__ import annotations

from django.core.management.base import CommandError

from annotation.models import User


def existing_person(email: str) -> User:
    """The account with this address. Raises ``CommandError`` where there is none."""
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is None:
        raise CommandError(
            "No account has this address. Check its spelling; an erased account has none any more."
        )
    return user
