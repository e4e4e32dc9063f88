"""Requests traced, where a collector is configured."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

from annotation.tracing import failed, span
from annotation.web.platform.metrics import method_label, view_label

# Asked every few seconds by whoever watches.
_PROBES = frozenset({"/livez", "/servez", "/healthz", "/readyz", "/metrics"})


class TracingMiddleware:
    """A trace for each request, by its view and never by its address. Not there without a
    collector.

    What a client says of a trace of its own is not looked at: it would decide what is sent.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if settings.TRACES is None:
            raise MiddlewareNotUsed("no BAREME_TRACES_ENDPOINT")
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info in _PROBES:
            return self.get_response(request)
        method = method_label(request)
        own = {"http.request.method": method, "bareme.reference": getattr(request, "reference", "")}
        with span(method, "SERVER", own) as request_span:
            response = self.get_response(request)
            view = view_label(request)
            request_span.update_name(f"{method} {view}")
            request_span.set_attributes(
                {"bareme.view": view, "http.response.status_code": response.status_code}
            )
            if response.status_code >= 500:
                failed(request_span, str(response.status_code))
        return response
