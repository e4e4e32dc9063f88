"""Workers while the database is away, or takes nothing: one line for each job, and a pause before
the next. Without it a queue of thousands is taken in seconds, each message with a stack in the
log."""

from __future__ import annotations

import json
import logging
import sys
from types import SimpleNamespace

import psycopg2  # type: ignore[import-untyped]
import pytest
from django.db import InternalError, OperationalError

from annotation.config.logs import JsonLines, WithoutQuotes
from workers import celery


def raised(driver: Exception) -> OperationalError:
    error = OperationalError(str(driver))
    error.__cause__ = driver
    return error


AWAY = raised(psycopg2.OperationalError("no server"))
READ_ONLY = type("Coded", (psycopg2.InternalError,), {"pgcode": "25006"})
DEADLOCK = type("Coded", (psycopg2.OperationalError,), {"pgcode": "40P01"})


def read_only() -> InternalError:
    """Of a replica that took its server's place."""
    error = InternalError("refused")
    error.__cause__ = READ_ONLY("refused")
    return error


def line(error: Exception) -> dict[str, str]:
    """What a collector gets of a job that failed by this."""
    try:
        raise error
    except (InternalError, OperationalError):
        context = {"name": "workers.tasks.export", "id": "a1", "exc": "refused"}
        record = logging.LogRecord(
            "celery.app.trace",
            logging.ERROR,
            "",
            1,
            "Task %(name)s[%(id)s] raised unexpected: %(exc)s",
            (context,),
            sys.exc_info(),
        )
    # A record passes the filters of each handler.
    assert WithoutQuotes().filter(record)
    assert WithoutQuotes().filter(record)
    read: dict[str, str] = json.loads(JsonLines().format(record))
    return read


def test_a_database_that_is_away_is_one_line_for_each_job():
    said = line(AWAY)
    assert said["message"] == "Task workers.tasks.export[a1] (the database is not reached)"
    assert "stack" not in said


def test_so_is_one_that_takes_nothing():
    said = line(read_only())
    assert said["message"] == "Task workers.tasks.export[a1] (the database takes nothing now)"
    assert "stack" not in said


def test_another_failure_keeps_its_stack():
    said = line(raised(DEADLOCK("refused")))
    assert said["message"] == "Task workers.tasks.export[a1] raised unexpected: (left out)"
    assert "OperationalError" in said["stack"]


@pytest.mark.parametrize(
    ("error", "is_eager", "pauses"),
    [
        (AWAY, False, [5.0]),
        (AWAY, True, []),
        (read_only(), False, [5.0]),
        (raised(DEADLOCK("refused")), False, []),
        (ValueError("a defect"), False, []),
    ],
)
def test_a_worker_waits_before_it_takes_the_next(monkeypatch, error, is_eager, pauses):
    waited: list[float] = []
    monkeypatch.setattr(celery.time, "sleep", waited.append)
    job = SimpleNamespace(request=SimpleNamespace(is_eager=is_eager))
    celery.wait_for_the_database(sender=job, exception=error)
    assert waited == pauses
