"""What statements read: rows on PostgreSQL, which says of each part of a plan how many it gave or
threw away; on SQLite hundreds of instructions, which grow as rows do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

_EVERY = 50
"""SQLite tells of every so many instructions."""


class Reading:
    """What the statements of a step read: rows on PostgreSQL, hundreds of instructions on
    SQLite."""

    def __init__(self) -> None:
        self.read = 0

    def explained(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        is_explained = sql.lstrip().split(" ", 1)[0].upper() in (
            "SELECT",
            "UPDATE",
            "DELETE",
            "INSERT",
            "EXECUTE",
        )
        if is_explained and not many:
            with connection.cursor() as cursor:
                cursor.execute("SAVEPOINT explained")
                cursor.cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
                plan = cursor.fetchone()[0]
                cursor.execute("ROLLBACK TO SAVEPOINT explained")
            plan = json.loads(plan) if isinstance(plan, str) else plan
            self.read += sum(_rows(plan[0]["Plan"]))
        return execute(sql, params, many, context)

    def stepped(self) -> int:
        self.read += 1
        return 0


def _rows(plan: dict[str, Any]) -> Iterator[int]:
    gone = sum(
        plan.get(f"Rows Removed by {name}", 0)
        for name in ("Filter", "Join Filter", "Index Recheck")
    )
    yield round((plan["Actual Rows"] + gone) * plan["Actual Loops"])
    for part in plan.get("Plans", []):
        yield from _rows(part)


@contextmanager
def reading() -> Iterator[Reading]:
    counter = Reading()
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        connection.connection.set_progress_handler(counter.stepped, _EVERY)
        try:
            yield counter
        finally:
            connection.connection.set_progress_handler(None, 0)
        return
    with connection.execute_wrapper(counter.explained):
        yield counter
