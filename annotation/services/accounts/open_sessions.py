"""Open log-ins: one's own seen and ended; all of somebody's ended with their account."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from annotation.models import User
from annotation.selectors.accounts.log_ins import moment, sessions_of
from annotation.services.accounts.tokens import tokens_revoke
from annotation.services.platform.events import event_record


@dataclass(frozen=True)
class OpenSession:
    """A log-in that has not ended. ``ref`` names it without giving its key away; times are None
    where a version before did not note them."""

    ref: str
    began_at: datetime | None
    used_at: datetime | None
    browser: str
    is_this: bool


def open_sessions(user: User, *, this: str | None) -> list[OpenSession]:
    """Those of a person that still let somebody in, the one with the key ``this`` first, then the
    latest."""
    sessions = []
    valid = {user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()}
    for session in sessions_of(user):
        held = session.get_decoded()
        # One that is past its time, or of a password before, has not been cleared away.
        if session.expire_date <= timezone.now() or held.get(HASH_SESSION_KEY) not in valid:
            continue
        sessions.append(
            OpenSession(
                ref=session_ref(session.session_key),
                began_at=moment(held.get("began_at")),
                used_at=moment(held.get("renewed_at")),
                browser=str(held.get("browser", "")),
                is_this=session.session_key == this,
            )
        )
    return sorted(
        sessions,
        key=lambda session: (
            not session.is_this,
            -(session.used_at.timestamp() if session.used_at else 0.0),
        ),
    )


@transaction.atomic
def sessions_end(
    *, actor: User | None, user: User, this: str | None = None, ref: str | None = None
) -> int:
    """End the log-in of a person that is named ``ref``, or all but the one with the key ``this``;
    how many ended. What they have typed there stays in that browser, and is sent when they log in
    again."""
    ended = 0
    for session in list(sessions_of(user)):
        if session.session_key != this and ref in (None, session_ref(session.session_key)):
            ended += Session.objects.filter(pk=session.pk).delete()[0]
    if ended:
        event_record(actor=actor, verb="sessions_ended", target=user, count=ended)
    return ended


@transaction.atomic
def ways_in_end(*, actor: User | None, user: User) -> None:
    """End every log-in of a person and revoke their API tokens. To refuse them while the account is
    closed is not enough: one that somebody stole would open it again with the account."""
    sessions_end(actor=actor, user=user)
    tokens_revoke(actor=actor, user=user)


def sessions_expire() -> int:
    """Remove log-ins whose time is over; how many. When, and with which browser, somebody was here
    is kept no longer than the log-in lasts."""
    return Session.objects.filter(expire_date__lt=timezone.now()).delete()[0]


def session_ref(key: str) -> str:
    """A name for a session: its key is what lets somebody in."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]
