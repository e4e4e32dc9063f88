"""Traces for an OpenTelemetry collector (BAREME_TRACES_ENDPOINT): requests, jobs and the statements
that they put to the database, with how long each took.

Names of our own code, numbers and statements without their values; never an address, a header, a
body or what an exception says. Without the setting nothing of OpenTelemetry is imported. Whatever
becomes of the collector, nothing waits for it: spans are sent from a thread, and dropped where they
cannot be.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings

from annotation import __version__

if TYPE_CHECKING:
    from opentelemetry.trace import Span

_LONGEST_STATEMENT = 2000
# Values are not in a statement but beside it; constants of our own code need not leave either.
_CONSTANT = re.compile(r"'(?:[^']|'')*'|(?<![\w\"])\d+(?:\.\d+)?\b")
_LIST = re.compile(r"%s(?:, %s)+")
CARRIED = "traceparent"
"""The header of a message that says which span asked for the job (W3C Trace Context)."""


@dataclass(frozen=True)
class Traces:
    """The collector: its address, what is sent along, and of how many traces in a hundred."""

    endpoint: str
    headers: tuple[tuple[str, str], ...] = ()
    percent: int = 100


@contextmanager
def span(
    name: str, kind: str, attributes: Mapping[str, Any], *, parent: str | None = None
) -> Iterator[Span]:
    """A stretch of work; ``kind`` is one of OpenTelemetry's ("SERVER", "CONSUMER", "CLIENT").

    ``parent``: what ``carried`` gave where it was asked for; else it belongs to the span around it.
    An exception that passes through is noted by its kind.
    """
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    from annotation.tracing.collector import provider

    around = TraceContextTextMapPropagator().extract({CARRIED: parent}) if parent else None
    tracer = provider(os.getpid(), settings.TRACES).get_tracer("bareme", __version__)
    with tracer.start_as_current_span(
        name,
        around,
        SpanKind[kind],
        dict(attributes),
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield current
        except BaseException as error:
            failed(current, type(error).__name__)
            raise


def failed(current: Span, kind: str) -> None:
    """Mark a span: what went wrong is told by its kind alone, whose words may quote a text."""
    from opentelemetry.trace import StatusCode

    current.set_attribute("error.type", kind)
    current.set_status(StatusCode.ERROR)


def carried() -> dict[str, str]:
    """What a message carries so that its job belongs to the trace of who asked for it; empty where
    nothing is traced."""
    if settings.TRACES is None:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return {name: value for name, value in carrier.items() if name == CARRIED}


def end() -> None:
    """Send what this process has not sent yet, where it has traced anything. For one that ends
    without what Python does at the end of others."""
    from annotation.tracing.collector import end as end_all

    end_all()


def watch_statements(connection: Any, **_: Any) -> None:
    """Have a database connection's statements traced (a receiver of ``connection_created``)."""
    if _statement not in connection.execute_wrappers:
        connection.execute_wrappers.append(_statement)


def _statement(
    execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    from opentelemetry.trace import get_current_span

    # Only within a request or a job: what a command or a start asks is nobody's trace.
    if not get_current_span().is_recording():
        return execute(sql, params, many, context)
    text = str(sql)
    verb = text.split(maxsplit=1)[0].upper() if text.strip() else ""
    own = {
        "db.system.name": context["connection"].vendor,
        "db.operation.name": verb,
        "db.query.text": without_values(text),
    }
    with span(verb, "CLIENT", own):
        return execute(sql, params, many, context)


def without_values(sql: str) -> str:
    """A statement as it is sent to a collector: without constants, lists of any length alike."""
    return _LIST.sub("%s, …", _CONSTANT.sub("?", sql))[:_LONGEST_STATEMENT]
