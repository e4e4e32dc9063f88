"""Errors to Sentry (BAREME_SENTRY_DSN): each line of a log that says ERROR, by where it happened.

What leaves is named here one by one, and everything else stays: kinds of exceptions and places in
the code, never their words, variables or source; of a request its number alone; of who asked, what
they sent, and which machine answered nothing. Nothing is gathered on the way either: the client is
this handler's own, without integrations, so that no library adds to what it sends.
"""

from __future__ import annotations

import atexit
import logging
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from annotation import __version__

if TYPE_CHECKING:
    from sentry_sdk import Client

# Whose lines are constants, with what differs beside them: others may put a text into the line.
_OWN = ("annotation", "workers", "api")
_PLAIN = ("event_id", "timestamp", "platform", "level", "logger", "release", "environment")
_OF_A_FRAME = ("filename", "module", "function", "lineno", "in_app")
_LEVELS = {logging.CRITICAL: "fatal", logging.ERROR: "error"}
# What an ending process waits for, at most, to send what it has not sent yet.
_PATIENCE_SECONDS = 2


class Reports(logging.Handler):
    """Hands each record to Sentry's client, which sends it from a thread of its own: who logs does
    not wait, and an unreachable Sentry costs the report alone."""

    def __init__(self, dsn: str, environment: str) -> None:
        super().__init__(logging.ERROR)
        self._client = _client(dsn, environment)

    def emit(self, record: logging.LogRecord) -> None:
        from sentry_sdk.utils import capture_internal_exceptions, event_from_exception

        # A report that cannot be made must not become an error of whoever logged.
        with capture_internal_exceptions():
            event: dict[str, Any] = {}
            if record.exc_info and record.exc_info[0]:
                event, _hint = event_from_exception(  # type: ignore[assignment]
                    record.exc_info, client_options=self._client.options
                )
            event |= {
                "level": _LEVELS.get(record.levelno, "error"),
                "logger": record.name,
                "logentry": {"message": str(record.msg)},
                "tags": {"reference": getattr(record, "reference", "")},
            }
            self._client.capture_event(event)  # type: ignore[arg-type]


@cache
def _client(dsn: str, environment: str) -> Client:
    """One for a process and those that it forks; logging is set up more than once."""
    from sentry_sdk import Client

    client = Client(
        dsn=dsn,
        release=f"bareme@{__version__}",
        environment=environment,
        server_name="",
        before_send=scrubbed,
        default_integrations=False,
        auto_enabling_integrations=False,
        auto_session_tracking=False,
        send_client_reports=False,
        enable_backpressure_handling=False,
        enable_metrics=False,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        spotlight=False,
        # Personal data: off where nothing is said, and to say so is deprecated.
    )
    atexit.register(client.close, timeout=_PATIENCE_SECONDS)
    return client


def scrubbed(event: Any, hint: Any) -> Any:
    """What of an event may leave. Named one by one, so that what another version of the client
    adds stays as well."""
    kept = {name: event[name] for name in _PLAIN if name in event}
    sdk = event.get("sdk", {})
    kept["sdk"] = {name: sdk[name] for name in ("name", "version") if name in sdk}
    if reference := event.get("tags", {}).get("reference"):
        kept["tags"] = {"reference": reference}
    if event.get("logger", "").split(".")[0] in _OWN and "logentry" in event:
        kept["logentry"] = {"message": event["logentry"].get("message", "")}
    if raised := event.get("exception", {}).get("values"):
        kept["exception"] = {"values": [_kind_and_place(exception) for exception in raised]}
    return kept


def _kind_and_place(raised: dict[str, Any]) -> dict[str, Any]:
    frames = (raised.get("stacktrace") or {}).get("frames", [])
    return {
        "type": raised.get("type"),
        "module": raised.get("module"),
        "stacktrace": {"frames": [_frame(frame) for frame in frames]},
    }


def _frame(frame: dict[str, Any]) -> dict[str, Any]:
    kept = {name: frame[name] for name in _OF_A_FRAME if name in frame}
    name = kept.get("filename") or ""
    # Of a file outside Python's path, the whole path: it may name a person's folder.
    return kept | {"filename": PurePath(name).name if PurePath(name).is_absolute() else name}
