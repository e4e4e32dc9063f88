"""Requests counted for Prometheus, where a token is configured. Labels are names of our own code
and numbers.

Each web process counts in files of its own under ``settings.METRICS_DIR``; whichever process is
asked adds them up.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

from annotation.room import is_disk_full

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

log = logging.getLogger(__name__)

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MetricsMiddleware:
    """Counts each request by view, method and status, and how long it took. Not there without a
    token."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed("no BAREME_METRICS_TOKEN")
        metrics_folder()
        # Loaded by none who does not use it.
        from annotation.web.platform import metrics_counted

        self.get_response = get_response
        self.requests, self.seconds = metrics_counted.REQUESTS, metrics_counted.SECONDS

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = self.get_response(request)
        view, method = view_label(request), method_label(request)
        seconds = time.perf_counter() - begun
        try:
            self.requests.labels(view=view, method=method, status=response.status_code).inc()
            self.seconds.labels(view=view, method=method).observe(seconds)
        except OSError:
            # What was done is done, counted or not.
            log.warning("a request was not counted: is BAREME_METRICS_DIR gone?")
        return response


def view_label(request: HttpRequest) -> str:
    """The name of the address's pattern, never the address: that holds keys of studies, and links'
    secrets."""
    match = request.resolver_match
    return (match.view_name or "unnamed") if match else "none"


def method_label(request: HttpRequest) -> str:
    """The method, "other" where it is none that we answer: clients may send any word."""
    return request.method if request.method in _METHODS else "other"


def metrics_folder() -> Path:
    """Where web processes count: made where there is none, for this user alone. Raises
    ``ImproperlyConfigured`` where it cannot be used, or is somebody else's."""
    folder: Path = settings.METRICS_DIR
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        if is_disk_full(error):
            raise
        raise ImproperlyConfigured(
            f"BAREME_METRICS_DIR names {str(folder)!r}, which cannot be used "
            f"({error.strerror or error}). Set it to a folder that the user of this process may "
            "write to, best on no disk."
        ) from error
    # In a folder that everybody writes to, somebody may have been faster.
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise ImproperlyConfigured(
            f"{folder} is not this user's own. Set BAREME_METRICS_DIR to a folder that is, best on "
            "no disk."
        )
    return folder


def metrics_clean() -> None:
    """Forget what earlier processes counted, and nothing else that lies there. Called once, before
    the first web process starts."""
    if settings.METRICS_TOKEN:
        for counted_before in metrics_folder().glob("*.db"):
            counted_before.unlink(missing_ok=True)


def metrics_end() -> None:
    """Leave nothing of it in memory. Called once, after the last web process ended."""
    if settings.METRICS_TOKEN and settings.METRICS_DIR.is_dir():
        metrics_clean()
        with suppress(OSError):  # something else lies there too
            settings.METRICS_DIR.rmdir()


def counted() -> CollectorRegistry:
    """What all web processes of this machine counted, as a registry of its own."""
    from prometheus_client import REGISTRY, CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_DIR))  # type: ignore[no-untyped-call]
    return registry
