"""What sends spans to the collector. Imported with the first span alone: its libraries are an
extra."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Sequence
from functools import cache

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from annotation import __version__
from annotation.tracing import Traces

log = logging.getLogger(__name__)
# For one batch. A process that ends tries once: a collector that hangs must not hold it up.
_PATIENCE_SECONDS = 2
_OPEN: list[tuple[Telling, TracerProvider]] = []


class Telling(SpanExporter):
    """Sends spans, and says once that the collector takes none, and once that it does again."""

    def __init__(self, traces: Traces) -> None:
        self._exporter = OTLPSpanExporter(
            traces.endpoint, headers=dict(traces.headers), timeout=_PATIENCE_SECONDS
        )
        self._is_refused = False
        self.is_ending = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self.is_ending and self._is_refused:
            return SpanExportResult.FAILURE
        result = self._exporter.export(spans)
        is_refused = result is not SpanExportResult.SUCCESS
        if is_refused and not self._is_refused:
            log.warning("the collector takes no traces: they are dropped until it does")
        elif self._is_refused and not is_refused:
            log.warning("the collector takes traces again")
        self._is_refused = is_refused
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]


@cache
def provider(process: int, traces: Traces) -> TracerProvider:
    """Made by each process at its first span, after the last fork: it has a thread of its own."""
    # Its own lines name the collector's address, which may hold a key.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    telling = Telling(traces)
    made = TracerProvider(
        sampler=ParentBased(TraceIdRatioBased(traces.percent / 100)),
        resource=Resource.create({"service.name": "bareme", "service.version": __version__}),
        shutdown_on_exit=False,
    )
    made.add_span_processor(BatchSpanProcessor(telling))
    _OPEN.append((telling, made))
    return made


@atexit.register
def end() -> None:
    """Send what is left, once."""
    while _OPEN:
        telling, made = _OPEN.pop()
        telling.is_ending = True
        made.shutdown()
