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
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 "ok" when a query gets through; 503 otherwise, and where this server is about to stop.
    For whoever waits for a start, or sends requests here."""
    if draining.has_begun():
        return HttpResponse(_STOPPING, status=503, content_type="text/plain")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError):
        return HttpResponse(_NO_DATABASE, status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 "ok", or 503 with the names of the parts that fail. For whoever sends requests here, or
    waits to.

    A broker that is away is no reason to restart a web process, which stores answers without it: so
    it is told here and not by ``healthz``.
    """
    if failing := parts_failing():
        return HttpResponse(
            f"not ready: {', '.join(failing)}\n", status=503, content_type="text/plain"
        )
    return HttpResponse("ok\n", content_type="text/plain")
