"""What a database holds, table by table: how many rows, and a digest that is the same whatever
their order. By it a rehearsal sees that what comes out of a backup is what went in.

The digest is the sum of a hash of each row; it tells a copy from what is none, and is no seal (that
is the signature's part). Those of one kind of database mean nothing to another, but for those of a
portable dump, which goes from one to the other.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection

Contents = dict[str, list[Any]]
"""By table: the number of rows, and the digest."""

# How PostgreSQL writes values as text, whoever asks.
_WRITTEN = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
}


def of_sqlite(database: sqlite3.Connection) -> Contents:
    """Every table but SQLite's own."""
    cursor = database.cursor()
    names = cursor.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
        "ESCAPE '\\' ORDER BY name"
    ).fetchall()
    tables: Contents = {}
    for (name,) in names:
        total = _Sum()
        for row in cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}"):  # noqa: S608
            total.add(repr(tuple(row)).encode())
        tables[name] = total.count_and_sum()
    return tables


def of_postgresql(cursor: Any) -> Contents:
    """Every table of the schema, summed up by the server; within the caller's transaction."""
    for setting, value in _WRITTEN.items():
        cursor.execute(f"SET LOCAL {setting} = '{value}'")
    tables: Contents = {}
    for name in sorted(connection.introspection.table_names(cursor)):
        cursor.execute(
            "SELECT count(*), coalesce(sum(('x' || substr(md5(one::text), 1, 15))::bit(60)"  # noqa: S608
            f"::bigint), 0)::text FROM {connection.ops.quote_name(name)} AS one"
        )
        rows, digest = cursor.fetchone()
        tables[name] = [rows, digest]
    return tables


def of_lines(path: Path) -> Contents:
    """Of a portable dump: by model, each line a row, the same from whichever database: PostgreSQL
    keeps JSON by its value, its keys in an order of its own."""
    return _of_lines(path, lambda _line, row: json.dumps(_by_value(row), sort_keys=True).encode())


def of_lines_as_written(path: Path) -> Contents:
    """The same as earlier versions wrote it down: of the text of each line."""
    return _of_lines(path, lambda line, _row: line.rstrip(b"\n"))


def _of_lines(path: Path, word: Callable[[bytes, Any], bytes]) -> Contents:
    sums: dict[str, _Sum] = {}
    with path.open("rb") as file:
        for line in file:
            row = json.loads(line)
            sums.setdefault(row["model"], _Sum()).add(word(line, row))
    return {name: sums[name].count_and_sum() for name in sorted(sums)}


def _by_value(value: Any) -> Any:
    """With a whole number as one: 1e16 comes back from PostgreSQL as 10000000000000000."""
    if isinstance(value, dict):
        return {key: _by_value(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_by_value(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _Sum:
    def __init__(self) -> None:
        self._rows = self._total = 0

    def add(self, row: bytes) -> None:
        self._rows += 1
        self._total += int.from_bytes(hashlib.sha256(row).digest()[:8], "big")

    def count_and_sum(self) -> list[Any]:
        return [self._rows, str(self._total % 2**64)]
