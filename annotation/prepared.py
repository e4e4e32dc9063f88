"""Statements that the ORM composes once per process instead of at every request.

Composing a query with joins and conditional aggregates costs Django several times what running it
costs the database (docs/performance.md). The rules stay where they are, in querysets; only their
translation into SQL is kept. PostgreSQL can keep more, its own plan for carrying the statement out
(``plan_once``).

Rests on parts of Django that are nobody's to rely on: what a compiler holds once it has composed a
statement, and that a query takes the compiler that it is given (``_Composed``).

What would remove it: composing costs less than a tenth of a judgment, as it would where Django kept
compiled queries; for ``plan_once``, a driver that prepares statements by itself (psycopg 3). In a
study of 10,000 pairs x 25 on PostgreSQL, pair by pair in one run on a busy machine, a judgment by
the page cost the server and the database 60 ms of CPU with neither, 38 composed once, 29 planned
once too; by the API 44, 28 and 22.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar, cast
from uuid import UUID
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, QuerySet
from django.db.models.sql.compiler import SQLCompiler

READ_AGAINST = "5.2"
"""The Django that this was read against (``tests/house/test_read_against.py``)."""
STAND_IN = 2_000_000_001
"""A number that no row has: in a prepared query it stands where a row's key will."""
Row = TypeVar("Row")
Value = int | str | datetime | UUID


class Prepared(Generic[Row]):
    """A queryset with open places, composed at its first use.

    ``build`` makes the queryset from one stand-in value for each open place. ``stand_ins`` occur
    nowhere else in the query, and the column could hold them; every later value is handed to the
    database as it is, so it must be of the same kind and fit the column. Whatever else ``build``
    reads is read once: nothing in it may depend on the moment, the reader or the language. The
    number of values in a list is part of a statement too, and so is a boolean.

    ``plan_once``: let PostgreSQL keep its plan for as long as a connection lasts. For statements
    that join many tables and find their rows by keys: to plan them takes ten times as long as to
    carry them out, and no value asks for another plan.
    """

    def __init__(
        self,
        build: Callable[..., QuerySet[Any, Row]],
        *,
        plan_once: bool = False,
        **stand_ins: Value,
    ) -> None:
        self._build = build
        self._stand_ins = stand_ins
        self._plan_once = plan_once
        self._composed: _Composed[Row] | None = None

    def rows(self, **values: Value) -> list[Row]:
        """What the queryset finds for these values, one for each stand-in. Raises ``TypeError`` for
        others."""
        _expect(self._stand_ins, values)
        if self._composed is None:
            # Two threads at once compose the same.
            self._composed = self._compose()
        return self._composed.rows(values)

    def first(self, **values: Value) -> Row | None:
        """The first of ``rows``; None where there is none."""
        return next(iter(self.rows(**values)), None)

    def _compose(self) -> _Composed[Row]:
        queryset = self._build(**self._stand_ins)
        compiler = queryset.query.get_compiler(using=queryset.db)
        statement = _statement(compiler, self._stand_ins)
        columns = [column[0] for column in compiler.select[0 : compiler.col_count]]
        planned = self._plan_once and compiler.connection.vendor == "postgresql"
        plan = _Plan(statement, compiler.connection) if planned else None
        return _Composed(queryset, compiler, statement, plan, compiler.get_converters(columns))


def _expect(stand_ins: dict[str, Value], values: dict[str, Value]) -> None:
    if values.keys() != stand_ins.keys():
        raise TypeError(f"expected {sorted(stand_ins)}, got {sorted(values)}")


def _adapted(value: Value, connection: BaseDatabaseWrapper) -> Any:
    """What the database's driver takes for it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    return value


def _statement(compiler: SQLCompiler, stand_ins: dict[str, Value]) -> _Statement:
    sql, params = compiler.as_sql()
    names = {_adapted(stand_in, compiler.connection): name for name, stand_in in stand_ins.items()}
    # Only what could be a stand-in is looked up: True would be found as 1.
    places = [
        names.get(param) if isinstance(param, Value) and not isinstance(param, bool) else None
        for param in params
    ]
    if missing := stand_ins.keys() - set(places):
        raise LookupError(f"the query has no place for {sorted(missing)}")
    return _Statement(sql, tuple(params), places)


@dataclass(frozen=True)
class _Statement:
    """A composed statement. ``places`` name the open ones among its parameters."""

    sql: str
    kept: tuple[Any, ...]
    places: list[str | None]

    def params(self, values: dict[str, Value], connection: BaseDatabaseWrapper) -> tuple[Any, ...]:
        together: Iterable[tuple[str | None, Any]] = zip(self.places, self.kept, strict=True)
        return tuple(
            _adapted(values[name], connection) if name else kept for name, kept in together
        )


# What each connection has been told to keep. A new connection knows nothing.
_KEPT: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


class _Plan:
    """A statement that PostgreSQL keeps, with its plan, for one connection (SQL's PREPARE and
    EXECUTE)."""

    def __init__(self, statement: _Statement, connection: BaseDatabaseWrapper) -> None:
        self._open = sorted({name for name in statement.places if name})
        filled = tuple(
            f"${self._open.index(name) + 1}"
            if name
            else cast(Any, connection.ops).compose_sql("%s", [value])
            for name, value in zip(statement.places, statement.kept, strict=True)
        )
        self._text = statement.sql % filled
        # By its content: where a pooler lends a connection to several processes, a name may be
        # taken or unknown there, but never stand for another statement.
        self._name = f"bareme_{hashlib.sha256(self._text.encode()).hexdigest()[:24]}"
        self.sql = f"EXECUTE {self._name} ({', '.join(['%s'] * len(self._open))})"

    def params(self, values: dict[str, Value], connection: BaseDatabaseWrapper) -> tuple[Any, ...]:
        """For ``sql``, on a connection that keeps the statement afterwards."""
        # As Django does before each use: afterwards the connection is not replaced before the
        # statement is sent.
        connection.close_if_health_check_failed()
        connection.ensure_connection()
        kept = _KEPT.setdefault(connection.connection, set())
        if self._name not in kept:
            with connection.wrap_database_errors, connection.connection.cursor() as cursor:
                cursor.execute(f"PREPARE {self._name} AS {self._text}")
            kept.add(self._name)
        return tuple(_adapted(values[name], connection) for name in self._open)


@dataclass(frozen=True)
class _Composed(Generic[Row]):
    """The compiler that has composed the statement knows its columns too, and how they become
    objects."""

    queryset: QuerySet[Any, Row]
    compiler: SQLCompiler
    statement: _Statement
    plan: _Plan | None
    converters: dict[int, tuple[list[Callable[..., Any]], Expression]]

    def rows(self, values: dict[str, Value]) -> list[Row]:
        connection = connections[self.queryset.db]
        statement = (
            self.plan if self.plan and settings.BAREME_PREPARED_STATEMENTS else self.statement
        )
        params = statement.params(values, connection)
        # Connections belong to threads, and the statement is the process's.
        compiler = copy.copy(self.compiler)
        compiler.connection = connection
        compiler.as_sql = lambda *_args, **_options: (statement.sql, params)  # type: ignore[method-assign]
        # Of a statement's columns too: from the database's values to the fields' own.
        compiler.get_converters = lambda *_columns: self.converters  # type: ignore[method-assign]
        queryset = self.queryset.all()
        queryset.query.get_compiler = lambda *_args, **_options: compiler  # type: ignore[method-assign]
        return list(queryset)
