"""SELECT statements that the ORM composes once per process instead of at every request.

Composing a query with joins and conditional aggregates costs Django several times what running it costs the database
(docs/performance.md). The rules stay where they are, in querysets; only their translation into SQL is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connections
from django.db.models import QuerySet
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row")


class Prepared(Generic[Row]):
    """A queryset with open places, composed at its first use.

    ``build`` makes the queryset from one stand-in value for each open place. ``stand_ins`` are numbers or texts that
    occur nowhere else in the query and that the column could hold; every later value is handed to the database as it
    is, so it must be of the same kind and fit the column. Whatever else ``build`` reads is read once: nothing in it may
    depend on the moment, the reader or the language. The number of values in a list is part of a statement too.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], **stand_ins: int | str) -> None:
        self._build = build
        self._stand_ins = stand_ins
        self._composed: _Composed[Row] | None = None

    def rows(self, **values: int | str) -> list[Row]:
        """What the queryset finds for these values, one for each stand-in. Raises ``TypeError`` for others."""
        if values.keys() != self._stand_ins.keys():
            raise TypeError(f"expected {sorted(self._stand_ins)}, got {sorted(values)}")
        if self._composed is None:
            # Two threads at once compose the same.
            self._composed = self._compose()
        return self._composed.rows(values)

    def first(self, **values: int | str) -> Row | None:
        """The first of ``rows``; None where there is none."""
        return next(iter(self.rows(**values)), None)

    def _compose(self) -> _Composed[Row]:
        queryset = self._build(**self._stand_ins)
        compiler = queryset.query.get_compiler(using=queryset.db)
        sql, params = compiler.as_sql()
        names = {stand_in: name for name, stand_in in self._stand_ins.items()}
        places = [names.get(param) if isinstance(param, int | str) else None for param in params]
        if missing := self._stand_ins.keys() - set(places):
            raise LookupError(f"the query has no place for {sorted(missing)}")
        return _Composed(queryset, compiler, sql, params, places)


@dataclass(frozen=True)
class _Composed(Generic[Row]):
    """The compiler that has composed the statement knows its columns too, and how they become objects."""

    queryset: QuerySet[Any, Row]
    compiler: SQLCompiler
    sql: str
    params: tuple[Any, ...]
    places: list[str | None]

    def rows(self, values: dict[str, int | str]) -> list[Row]:
        params = tuple(values[name] if name else kept for name, kept in zip(self.places, self.params, strict=True))
        # Connections belong to threads, and the statement is the process's.
        compiler = copy.copy(self.compiler)
        compiler.connection = connections[self.queryset.db]
        compiler.as_sql = lambda *_args, **_options: (self.sql, params)  # type: ignore[method-assign]
        queryset = self.queryset.all()
        queryset.query.get_compiler = lambda *_args, **_options: compiler  # type: ignore[method-assign]
        return list(queryset)
