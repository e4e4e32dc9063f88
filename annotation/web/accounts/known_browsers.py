"""Browsers in which somebody has logged in before («device cookies»): what strangers guess does not
count against them, and what they guess counts against them alone.

The cookie holds a random name of the browser and a keyed digest over it, the account and its
password's hash: nothing that tells whose it is, and nothing after a new password.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt
from django.conf import settings
from django.core import signing
from django.db.models import QuerySet, Sum
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.crypto import constant_time_compare, salted_hmac

from annotation.models import User

COOKIE = "bareme_known"
# Half a year from the last log-in.
AGE_SECONDS = 180 * 24 * 3600
_SALT = "annotation.known_browser"
# Stands for the browser's own name for itself in what the throttle counts of a known one.
_MARK = "known browser "


def browser_remember(response: HttpResponse, user: User) -> None:
    """Know this browser again when somebody logs in as this person; a new name at each log-in."""
    name = secrets.token_urlsafe(16)
    signed = signing.TimestampSigner(salt=_SALT).sign(f"{name}.{_digest(name, user)}")
    response.set_cookie(
        COOKIE,
        signed,
        max_age=AGE_SECONDS,
        samesite="Strict",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
    )


def browser_known(request: HttpRequest, username: str) -> str:
    """The name of this browser, if that account has logged in here before with the password that it
    has; else nothing."""
    # Asked several times of one attempt, in whose course a hash of the password may be renewed.
    browser_names: dict[str, str] = request.__dict__.setdefault("_known_browser", {})
    if username not in browser_names:
        browser_names[username] = _known(request.COOKIES.get(COOKIE, ""), username)
    return browser_names[username]


def _known(cookie: str, username: str) -> str:
    try:
        value = signing.TimestampSigner(salt=_SALT).unsign(cookie, max_age=AGE_SECONDS)
    except signing.BadSignature:
        return ""
    name, _dot, digest = value.partition(".")
    user = User.objects.filter(email=username).first() if username else None
    return name if user and constant_time_compare(digest, _digest(name, user)) else ""


def _digest(name: str, user: User) -> str:
    signed_text = f"{name}:{user.pk}:{user.password}"
    return salted_hmac(_SALT, signed_text, algorithm="sha256").hexdigest()


class KnownBrowsers(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Counts wrong passwords of a known browser by that browser; those of strangers by account and
    network address, and by account over all addresses."""

    def filter_user_attempts(
        self, request: HttpRequest, credentials: dict[str, Any] | None = None
    ) -> list[QuerySet[AccessAttempt]]:
        username = get_client_username(request, credentials)
        if name := browser_known(request, username):
            return [AccessAttempt.objects.filter(username=username, user_agent=_MARK + name)]
        return [
            attempts.exclude(user_agent__startswith=_MARK)
            for attempts in super().filter_user_attempts(request, credentials)
        ]

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        failures: int = super().get_failures(request, credentials)
        username = get_client_username(request, credentials)
        if not username or browser_known(request, username):
            return failures
        since = request.axes_attempt_time - settings.AXES_COOLOFF_TIME  # type: ignore[attr-defined]  # set by axes
        of_strangers = AccessAttempt.objects.filter(
            username=username, attempt_time__gte=since
        ).exclude(user_agent__startswith=_MARK)
        total = of_strangers.aggregate(total=Sum("failures_since_start"))["total"] or 0
        # As many as lock one address, since axes knows one limit.
        is_too_many = total >= settings.STRANGERS_LIMIT
        return max(failures, settings.AXES_FAILURE_LIMIT) if is_too_many else failures

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: Any = None, **kwargs: Any
    ) -> None:
        if request is not None:
            name = browser_known(request, get_client_username(request, credentials))
            agent: str = request.axes_user_agent
            if name:
                request.axes_user_agent = _MARK + name
            elif agent.startswith(_MARK):
                # Nobody gets out of the strangers' count by what their browser calls itself.
                request.axes_user_agent = f"({agent})"[:255]
        with _nothing_noted(request):
            super().user_login_failed(sender, credentials, request, **kwargs)


@contextmanager
def _nothing_noted(request: HttpRequest | None) -> Iterator[None]:
    """Axes stores what was given with a wrong password, in the clear but for a field that is called
    «password»: what somebody chooses as their new one, and codes."""
    if request is None:
        yield
        return
    given, posted = request.GET, request.POST
    request.GET, request.POST = QueryDict(), QueryDict()
    try:
        yield
    finally:
        request.GET, request.POST = given, posted
