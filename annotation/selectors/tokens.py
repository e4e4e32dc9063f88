"""Somebody's own keys, as their list shows them."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.models import ApiToken, User


def own_tokens(user: User) -> QuerySet[ApiToken]:
    """The user's keys, the newest first; never a secret, which is not there to be read."""
    return ApiToken.objects.filter(user=user)
