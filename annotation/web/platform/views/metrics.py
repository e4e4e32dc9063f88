"""Metrics for Prometheus, for whoever has the token."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics as text. Without a token configured, or with another one, there is nothing
    here."""
    given = request.headers.get("authorization", "").encode()
    wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
    if not settings.METRICS_TOKEN or not hmac.compare_digest(given, wanted):
        raise Http404("no metrics")
    # Loaded by none who does not use it.
    from prometheus_client import CollectorRegistry
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

    from annotation.web.platform.metrics import counted
    from annotation.web.platform.metrics_state import StateCollector

    state = CollectorRegistry()
    state.register(StateCollector())
    body = generate_latest(counted()) + generate_latest(state)
    return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)
