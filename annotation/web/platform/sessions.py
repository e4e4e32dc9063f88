"""How long a log-in lasts: use prolongs it, asking about it does not."""

from __future__ import annotations

import time
from typing import cast

from django.conf import settings
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from annotation.room import is_disk_full, is_read_only
from annotation.web.platform.lock_waits import is_database_busy
from annotation.web.platform.session_store import SessionStore

_RENEWED_AT = "renewed_at"
# A session is written at most ten times in its life by being used, not at every request.
_RENEWALS = 10

# The first mark that a browser's own name for itself holds: most name others as well.
_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


class RoomySessionMiddleware(SessionMiddleware):
    """On a full disk, or where the database only lets itself be read or is busy for too long, a
    log-in is not prolonged, and what was asked for is answered all the same."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            return super().process_response(request, response)
        except SessionInterrupted as error:
            if not (is_disk_full(error) or is_read_only(error) or is_database_busy(error)):
                raise
            return response


def session_row_key(request: HttpRequest) -> str | None:
    """The key of the row that the session lies in, which its browser does not have."""
    return cast(SessionStore, request.session).row_key


def session_renew(request: HttpRequest) -> None:
    """Let the session last its full length again."""
    request.session[_RENEWED_AT] = int(time.time())


def session_begin(request: HttpRequest) -> None:
    """Note when and in which kind of browser somebody logged in, for their own list of open
    log-ins."""
    agent = request.headers.get("User-Agent", "")
    known = [
        next((name for mark, name in names if mark in agent), "") for names in (_BROWSERS, _SYSTEMS)
    ]
    request.session["browser"] = " · ".join(filter(None, known))
    request.session["began_at"] = int(time.time())
    session_renew(request)


def session_use(request: HttpRequest) -> None:
    """Renew the session if it was last renewed long enough ago to be worth a write."""
    elapsed = int(time.time()) - request.session.get(_RENEWED_AT, 0)
    if elapsed > settings.SESSION_COOKIE_AGE // _RENEWALS:
        session_renew(request)


def session_seconds_at_least(request: HttpRequest) -> int:
    """Seconds until the session ends if nothing renews it, without a query; possibly some more."""
    if request.session.modified:
        return request.session.get_expiry_age()
    elapsed: int = int(time.time()) - request.session.get(_RENEWED_AT, 0)
    return max(0, settings.SESSION_COOKIE_AGE - elapsed)


def session_seconds(request: HttpRequest) -> int:
    """Seconds until the session ends if nothing renews it."""
    if request.session.modified:
        return request.session.get_expiry_age()
    stored = Session.objects.filter(session_key=session_row_key(request)).values_list(
        "expire_date", flat=True
    )
    expires = stored.first()
    return max(0, int((expires - timezone.now()).total_seconds())) if expires else 0
