"""Rows stored and changed by statements that are worded once per process.

What the ORM does for a row that is stored, most of it to word the statement, costs ten times what
the database does for it; a submission stores seven, an import twenty thousand. Here a model's
fields say what their columns hold, as everywhere, and nothing else of the ORM takes part: no
signals, no ``save`` of the model's own, no values that the database is to work out. Of parts of
Django that are nobody's to rely on there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, GeneratedField, Model

# Databases bound how many values a statement has: SQLite 32,766.
_AT_ONCE = 100


def rows_insert(*new: Model) -> None:
    """Store these rows, all of one model, a hundred with one statement; each knows its key
    afterwards. What they refer to is stored already. Within a transaction. Nothing of none."""
    for start in range(0, len(new), _AT_ONCE):
        _store(new[start : start + _AT_ONCE])


def columns_insert(
    model: type[Model], columns: Mapping[str, Sequence[Any]], **shared: Any
) -> list[Any]:
    """Store rows that nobody needs as objects, a hundred with one statement; their keys, in order.

    ``columns`` has each row's value by attribute (``item_id``), ``shared`` what is the same for all
    of them; every other field has its default. Within a transaction. Raises ``ValueError`` for
    columns of different lengths, ``TypeError`` for a name that is no field's.
    """
    _expect(model, {*columns, *shared})
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"columns of different lengths: {sorted(lengths)}")
    number = lengths.pop() if lengths else 0
    connection = connections[DEFAULT_DB_ALIAS]
    stored = []
    for field in _fields(model, keyed=False):
        if field.attname in columns:
            stored.append(_column(field, columns[field.attname], connection))
        else:
            value = shared[field.attname] if field.attname in shared else field.get_default()
            stored.append([field.get_db_prep_save(value, connection)] * number)
    rows = list(zip(*stored, strict=True))
    return [key for (key,) in _inserted(model, rows, connection, keyed=False)]


def _expect(model: type[Model], names: set[str]) -> None:
    if unknown := names - {field.attname for field in _fields(model, keyed=False)}:
        raise TypeError(f"{model._meta.label} has no {sorted(unknown)}")


def _store(new: Sequence[Model]) -> None:
    model, keyed = type(new[0]), new[0].pk is not None
    # The thread's own, looked up once: through ``django.db.connection`` every value of a row would.
    connection = connections[DEFAULT_DB_ALIAS]
    columns = [
        _column(field, [getattr(row, field.attname) for row in new], connection)
        for field in _fields(model, keyed=keyed)
    ]
    rows = list(zip(*columns, strict=True))
    for row, (key,) in zip(new, _inserted(model, rows, connection, keyed=keyed), strict=True):
        if row.pk is None:
            row.pk = key
        state = row._state  # noqa: SLF001  (documented by Django)
        state.adding, state.db = False, connection.alias


def _inserted(
    model: type[Model],
    rows: Sequence[tuple[Any, ...]],
    connection: BaseDatabaseWrapper,
    *,
    keyed: bool,
) -> Iterator[tuple[Any, ...]]:
    """Their keys, in order, as they are stored."""
    with connection.cursor() as cursor:
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            cursor.execute(_insert(model, len(some), keyed=keyed), [*chain.from_iterable(some)])
            yield from cursor.fetchall()


def row_update(row: Model, *names: str) -> None:
    """Store these fields of a row that is there and held. Within a transaction. Raises
    ``LookupError`` where it is gone."""
    statement, fields = _update(type(row), names)
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*(_stored(field, row, connection) for field in fields), row.pk])
        if cursor.rowcount != 1:
            raise LookupError(f"{row._meta.label} {row.pk} is not there")


def _column(
    field: Field[Any, Any], values: Sequence[Any], connection: BaseDatabaseWrapper
) -> list[Any]:
    """A field's value in each row as it is stored. What rows in a row share, a study or a moment,
    is made ready once."""
    if not values:
        return []
    column = [field.get_db_prep_save(values[0], connection)]
    for before, value in pairwise(values):
        is_same = value is before
        column.append(column[-1] if is_same else field.get_db_prep_save(value, connection))
    return column


def _stored(field: Field[Any, Any], row: Model, connection: BaseDatabaseWrapper) -> Any:
    return field.get_db_prep_save(getattr(row, field.attname), connection)


@cache
def _fields(model: type[Model], *, keyed: bool) -> list[Field[Any, Any]]:
    """What is stored of a new row; its key where it has one already."""
    return [
        field
        for field in model._meta.local_concrete_fields
        if not isinstance(field, GeneratedField) and (keyed or not field.primary_key)
    ]


@cache
def _insert(model: type[Model], number: int, *, keyed: bool) -> str:
    fields = _fields(model, keyed=keyed)
    table, key = _quoted(model._meta.db_table), _quoted(model._meta.pk.column)
    columns = ", ".join(_quoted(field.column) for field in fields)
    values = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * number)
    return f"INSERT INTO {table} ({columns}) VALUES {values} RETURNING {key}"  # noqa: S608  (names of our own)


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> tuple[str, list[Field[Any, Any]]]:
    named = {field.name: field for field in model._meta.local_concrete_fields}
    fields = [named[name] for name in names]
    table, key = _quoted(model._meta.db_table), _quoted(model._meta.pk.column)
    changed = ", ".join(f"{_quoted(field.column)} = %s" for field in fields)
    return f"UPDATE {table} SET {changed} WHERE {key} = %s", fields  # noqa: S608  (names of our own)


def _quoted(name: str | None) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(name or "")
