"""Pages and problem details for what goes wrong before a view is reached."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.template import loader
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import requires_csrf_token
from django.views.defaults import page_not_found

from annotation.access import NoLongerTheirs
from annotation.errors import StorageAway, request_reference
from annotation.room import is_disk_full, is_read_only
from annotation.selectors.platform.database_away import NOT_REACHED, TAKES_NOTHING, is_database_away
from annotation.web.platform.lock_waits import is_database_busy
from annotation.web.platform.problems import problem_response

# In the names of fields whose content no page gives back.
_SECRET = ("password", "code")
# A server that is started again takes about as long.
_AGAIN_SECONDS = 10

_DEFECT = "defect", gettext_lazy("Something broke on our side. Wait a moment, then try again.")
_FULL = (
    "storage_full",
    gettext_lazy(
        "The server has no room left: nothing of this was stored. Tell whoever runs Barème; "
        "what was saved before is safe."
    ),
)


_AWAY = (
    "storage_away",
    gettext_lazy(
        "The storage for files does not answer. Nothing of this was stored: wait a moment, then "
        "try again."
    ),
)


_DATABASE_AWAY = (
    "database_away",
    gettext_lazy(
        "The database is not reached: nothing of this was stored. Wait a moment, then try "
        "again; what was saved before is safe."
    ),
)


_BUSY = (
    "database_busy",
    gettext_lazy(
        "Something long is being stored in the same place: nothing of this was stored. Wait a "
        "moment, then try again; what was saved before is safe."
    ),
)


_READ_ONLY = (
    "database_read_only",
    gettext_lazy(
        "The database takes nothing now: nothing of this was stored. Wait a moment, then try "
        "again; what was saved before is safe."
    ),
)


_IN_THE_LOG = {
    "503_database.html": TAKES_NOTHING,
    "503_database_away.html": NOT_REACHED,
    "503_database_busy.html": "somebody else held the rows for too long",
}


def wants_json(request: HttpRequest) -> bool:
    """Whether a program sent this request, so that it gets problem details rather than a page."""
    return "json" in request.headers.get("content-type", "") or "json" in request.headers.get(
        "accept", ""
    )


def _what_broke(error: BaseException | None) -> tuple[int, str, tuple[str, Any]]:
    """The status, the page, and how a program is told."""
    if is_disk_full(error):
        return 507, "507.html", _FULL
    if is_read_only(error):
        return 503, "503_database.html", _READ_ONLY
    if is_database_away(error):
        return 503, "503_database_away.html", _DATABASE_AWAY
    if is_database_busy(error):
        return 503, "503_database_busy.html", _BUSY
    if isinstance(error, StorageAway):
        return 503, "503.html", _AWAY
    return 500, "500.html", _DEFECT


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Nothing is there for this reader. Who has withdrawn from a study is told so, as they know it
    themselves; everybody else learns nothing of it."""
    if isinstance(exception, NoLongerTheirs):
        return render(request, "judging/withdrawn.html", status=404)
    return page_not_found(request, exception)


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """What nobody foresaw: a page, or problem details for a program, with the number that the log
    line carries. Status 507 where there is no room left to store anything, 503 where the database
    is not reached, only lets itself be read or holds for somebody else what is asked for, or the
    bucket that files lie in does not answer."""
    reference = request_reference.get()
    # Django calls this while it handles what broke.
    error = sys.exception()
    status, name, problem = _what_broke(error)
    # Where in the code that was says nothing (annotation.config.logs).
    request.database_state = _IN_THE_LOG.get(name, "")  # type: ignore[attr-defined]
    if request.path.startswith("/api/") or wants_json(request):
        kind, title = problem
        response: HttpResponse = problem_response(status, kind, str(title), reference=reference)
    else:
        # Without the request: what broke may be what the page's frame would ask it for.
        page = loader.get_template(name).render({"reference": reference})
        response = HttpResponse(page, status=status)
    response["Cache-Control"] = "no-store"
    if status == 503:
        response["Retry-After"] = str(_AGAIN_SECONDS)
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The token was missing or old: after a log-in in another tab, for instance. Or no cookie came
    at all, of a browser that keeps none: there is no token then that could be right. What was typed
    is on the page, since it is nowhere else."""
    has_no_cookie = reason == REASON_NO_CSRF_COOKIE
    if wants_json(request):
        title = (
            _("Your browser sent no cookie. Allow cookies for this site, then reload the page.")
            if has_no_cookie
            else _("This page is older than your log-in. It will try again.")
        )
        return problem_response(403, "csrf_failed", title)
    fields = _fields_given_back(request)
    context = {
        "has_no_cookie": has_no_cookie,
        "words": [value for _name, value in fields if len(value.split()) > 1],
        "fields": fields if not has_no_cookie and _is_of_ours(request) else [],
        "path": request.get_full_path(),
    }
    return render(request, "403_csrf.html", context, status=403)


def _fields_given_back(request: HttpRequest) -> list[tuple[str, str]]:
    """What was posted, to stand in a form once more: nothing of one that holds a secret, or files,
    which no page can give back."""
    posted: Any = {}
    with suppress(UnreadablePostError):
        posted = {} if request.FILES else request.POST
    if any(secret in name.lower() for name in posted for secret in _SECRET):
        return []
    return [
        (name, value)
        for name, values in (posted.lists() if posted else ())
        for value in values
        if name != "csrfmiddlewaretoken"
    ]


def _is_of_ours(request: HttpRequest) -> bool:
    """Whether the form stood on one of our pages, as browsers say: one of another site must not
    have somebody press our button on what it filled in. What came with a wrong origin was refused
    for that; without one nothing is known."""
    own = f"{request.scheme}://{request.get_host()}"
    return request.headers.get("origin") in (own, *settings.CSRF_TRUSTED_ORIGINS)


def locked_out(
    request: HttpRequest, credentials: object = None, *args: object, **kwargs: object
) -> HttpResponse:
    """Too many wrong passwords (django-axes calls this)."""
    if wants_json(request):
        title = _("Too many attempts. Wait a quarter of an hour, then try again.")
        response: HttpResponse = problem_response(429, "locked_out", title)
    else:
        response = render(request, "accounts/locked.html", status=429)
    response["Retry-After"] = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
    return response
