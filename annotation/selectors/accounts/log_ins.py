"""Somebody's log-ins, as the sessions keep them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from django.contrib.sessions.models import Session

from annotation.models import User


def sessions_of(user: User) -> Iterator[Session]:
    """Their log-ins that have not been cleared away. Whose a session is stands inside it,
    signed."""
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            yield session


def moment(seconds: object) -> datetime | None:
    """What a session noted in seconds since 1970; None where a version before did not note it."""
    return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int) else None
