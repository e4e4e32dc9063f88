"""Whether the web process is up, and whether everything that it needs is there."""

from __future__ import annotations

from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import draining
from annotation.selectors.platform.parts import parts_failing

_STOPPING = "stopping: send requests elsewhere\n"
_NO_DATABASE = "the database does not answer\n"


@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """200 "ok" while this process answers: nothing else is asked. For whoever restarts processes:
    no restart brings a database back."""
    return _ok()


@never_cache
@require_safe
def servez(request: HttpRequest) -> HttpResponse:
    """200 "ok" from when a query got through until this server is about to stop; 503 before and
    after. For proxies, which choose by it.

    A database that goes away afterwards is away for the others as well: sent nowhere, people would
    wait, and then read the proxy's words in place of the page's own.
    """
    if draining.has_begun():
        return _stopping()
    return _ok() if draining.has_reached_database() or _database_answers() else _no_database()


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 "ok" when a query gets through; 503 otherwise, and where this server is about to stop.
    For whoever waits for a start, or asks of the database."""
    if draining.has_begun():
        return _stopping()
    return _ok() if _database_answers() else _no_database()


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 "ok", or 503 with the names of the parts that fail. For whoever watches.

    A broker that is away is no reason to restart a web process, which stores answers without it: so
    it is told here and not by ``healthz``.
    """
    if failing := parts_failing():
        return HttpResponse(
            f"not ready: {', '.join(failing)}\n", status=503, content_type="text/plain"
        )
    return _ok()


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError):
        return False
    draining.database_reached()
    return True


def _ok() -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def _stopping() -> HttpResponse:
    return HttpResponse(_STOPPING, status=503, content_type="text/plain")


def _no_database() -> HttpResponse:
    return HttpResponse(_NO_DATABASE, status=503, content_type="text/plain")
