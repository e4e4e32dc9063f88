"""Somebody's own keys, as their list shows them."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import ApiToken, User


def own_tokens(user: User) -> QuerySet[ApiToken]:
    """The user's keys, the newest first; never a secret, which is not there to be read."""
    return ApiToken.objects.filter(user=user)


def has_tokens(user: User) -> bool:
    """Whether some key of the user still opens anything."""
    return own_tokens(user).filter(revoked_at__isnull=True, expires_at__gt=timezone.now()).exists()
