"""Log lines that carry ids and durations. What an exception says may quote a text or a row, so it
stays out."""

from __future__ import annotations

import json
import logging
import re
import traceback
from datetime import UTC, datetime
from typing import Any

from annotation import draining
from annotation.errors import request_reference
from annotation.selectors.platform.database_away import database_state_of

_STANDARD = set(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    "request",
    "status_code",
    "server_time",
    "data",
}

_INNERMOST_FRAMES = -12
_HEALTH = ("/servez", "/healthz")
# Whoever reads one of these from a log could accept the invitation or set the password.
_SECRET_PATH = re.compile(r"(/account/(?:invitation|password/reset)/)[^\s/][^\s\"']*")


def _stack(exc_info: Any) -> str:
    """Where it happened and of which kind: the exception's own words are left out."""
    kind, _error, trace = exc_info
    return "".join(traceback.format_tb(trace, limit=_INNERMOST_FRAMES)) + (
        kind.__name__ if kind else ""
    )


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """What the caller passed as ``extra``: numbers and short identifiers only."""
    extra = {name: value for name, value in vars(record).items() if name not in _STANDARD}
    return {
        name: value if isinstance(value, int | float) else str(value)[:100]
        for name, value in extra.items()
    }


class WithoutQuotes(logging.Filter):
    """Celery puts what a failed job's exception says, and the job's arguments, into the message
    itself. A database that is not reached, or takes nothing, is one line for each job, without its
    stack."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, dict) and "exc" in record.args:
            # Once: a record passes each handler's filters.
            if record.exc_info and (state := database_state_of(record.exc_info[1])):
                record.exc_info = record.exc_text = None
                record.msg = f"Task %(name)s[%(id)s] ({state})"
            record.args = {
                **record.args,
                **dict.fromkeys(("exc", "traceback", "args", "kwargs"), "(left out)"),
            }
        return True


class WithoutSecretPaths(logging.Filter):
    """Django names the address in its lines about refused requests; those of links are keys."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                _SECRET_PATH.sub(r"\1(left out)", arg) if isinstance(arg, str) else arg
                for arg in record.args
            )
        return True


class WithoutPlannedStops(logging.Filter):
    """Django calls each answer from 500 on an error. That a server which is told to stop says so at
    ``/servez`` and ``/healthz``, again and again, is none."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        is_asked = getattr(request, "path", "") in _HEALTH
        return not (is_asked and getattr(record, "status_code", 0) == 503 and draining.has_begun())


class WithoutStacksOfNoDatabase(logging.Filter):
    """A database that is not reached, takes nothing, or holds for somebody else what is asked for,
    is one line for each request. Every page would bring the stack of wherever it asks first, which
    is no news."""

    def filter(self, record: logging.LogRecord) -> bool:
        state = getattr(getattr(record, "request", None), "database_state", "")
        # Once: a logger keeps a filter for each time that logging was set up.
        if state and record.exc_info:
            record.exc_info = None
            record.msg = f"{record.msg} ({state})"
        return True


class WithReference(logging.Filter):
    """Each line of a request carries its number, the one that its error page shows."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Django logs some answers after the request's own context has ended; the request itself
        # still knows.
        of_request = getattr(getattr(record, "request", None), "reference", "")
        if reference := of_request or request_reference.get():
            record.reference = reference
        return True


class TextLines(logging.Formatter):
    """For a person at a terminal."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  (the name is logging's)
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        return super().formatMessage(record) + fields

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return _stack(ei)


class JsonLines(logging.Formatter):
    """For a log collector: one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["stack"] = _stack(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
