"""Two writes of which one is under way and not committed when the other begins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection, transaction
from django.http import Http404

from annotation.errors import RuleError, StudyClosed
from tests.processes import PATIENCE, until


def overlapping(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """What ``second`` gave or raised, begun when ``first`` was done. That is committed once the
    second waits for it, or has ended because it did not have to."""
    done, waiting, outcome = threading.Event(), threading.Event(), []

    def run_first() -> None:
        try:
            with transaction.atomic():
                first()
                done.set()
                assert until(lambda: waiting.is_set() or _somebody_waits_for_us())
        finally:
            done.set()
            connection.close()

    def begins(execute: Any, sql: str, *rest: Any) -> Any:
        """SQLite lets one write after another, and tells nobody who waits."""
        if connection.vendor == "sqlite" and not sql.startswith("SELECT"):
            waiting.set()
        return execute(sql, *rest)

    thread = threading.Thread(target=run_first)
    thread.start()
    assert done.wait(PATIENCE)
    try:
        with connection.execute_wrapper(begins):
            outcome.append(second())
    except (RuleError, StudyClosed, Http404) as error:
        outcome.append(error)
    finally:
        waiting.set()
    thread.join()
    return outcome[0]


def _somebody_waits_for_us() -> bool:
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = "
            "ANY(pg_blocking_pids(pid))"
        )
        return cursor.fetchone() != (0,)
