"""Requests counted for Prometheus, where a token is configured. Labels are names of our own code
and numbers.

Each web process counts in files of its own under ``settings.METRICS_DIR``; whichever process is
asked adds them up.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MetricsMiddleware:
    """Counts each request by view, method and status, and how long it took. Not there without a
    token."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed("no BAREME_METRICS_TOKEN")
        settings.METRICS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Loaded by none who does not use it.
        from annotation.web.platform import metrics_counted

        self.get_response = get_response
        self.requests, self.seconds = metrics_counted.REQUESTS, metrics_counted.SECONDS

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = self.get_response(request)
        view = view_label(request)
        method = request.method if request.method in _METHODS else "other"
        self.requests.labels(view=view, method=method, status=response.status_code).inc()
        self.seconds.labels(view=view, method=method).observe(time.perf_counter() - begun)
        return response


def view_label(request: HttpRequest) -> str:
    """The name of the address's pattern, never the address: that holds keys of studies, and links'
    secrets."""
    match = request.resolver_match
    return (match.view_name or "unnamed") if match else "none"


def metrics_clean() -> None:
    """Forget what earlier processes counted. Called once, before the first web process starts."""
    shutil.rmtree(settings.METRICS_DIR, ignore_errors=True)
    if settings.METRICS_TOKEN:
        settings.METRICS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)


def counted() -> CollectorRegistry:
    """What all web processes of this machine counted, as a registry of its own."""
    from prometheus_client import REGISTRY, CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_DIR))  # type: ignore[no-untyped-call]
    return registry
