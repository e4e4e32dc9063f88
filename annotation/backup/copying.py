"""Rows of a portable backup into PostgreSQL by COPY: what Django's serializer writes of a value is,
but for a few kinds, what PostgreSQL reads of it.

Through models, each value is read, checked and written again: five times the work, for rows that
were all of this when they were stored.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from io import StringIO
from typing import Any

from django.db import connection, models

# As COPY's text format has it (PostgreSQL's documentation, "COPY", "Text Format").
_NOTHING = r"\N"
_ESCAPED = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
# Fields of which a line holds what PostgreSQL reads: a number, yes or no, or a text.
_AS_IT_STANDS = frozenset(
    {
        "AutoField",
        "BigAutoField",
        "BigIntegerField",
        "BooleanField",
        "CharField",
        "DateField",
        "DateTimeField",
        "DecimalField",
        "FileField",
        "FloatField",
        "ForeignKey",
        "GenericIPAddressField",
        "IntegerField",
        "OneToOneField",
        "PositiveBigIntegerField",
        "PositiveIntegerField",
        "PositiveSmallIntegerField",
        "SlugField",
        "SmallIntegerField",
        "TextField",
        "UUIDField",
    }
)


def suits(model: type[models.Model]) -> bool:
    """Whether this database takes a model's rows so: PostgreSQL, and every field of Django's own
    and of a kind that is known here."""
    return (
        connection.vendor == "postgresql"
        and not model._meta.local_many_to_many
        and all(_reader(field) is not None for field in _fields(model))
    )


def copy(cursor: Any, model: type[models.Model], rows: Iterable[Mapping[str, Any]]) -> None:
    """Add rows, each {"pk", "fields"}, of a model that ``suits``. Raises ``TypeError`` for
    another."""
    fields = _fields(model)
    readers = {field.name: reader for field in fields if (reader := _reader(field))}
    if len(readers) < len(fields):
        raise TypeError(f"{model.__name__} has fields that do not go by COPY")
    lines = StringIO()
    for row in rows:
        held = row["fields"] | {model._meta.pk.name: row["pk"]}
        lines.write("\t".join(_cell(reader, held[name]) for name, reader in readers.items()))
        lines.write("\n")
    lines.seek(0)
    quoted = connection.ops.quote_name
    columns = ", ".join(quoted(str(field.column)) for field in fields)
    cursor.copy_expert(f"COPY {quoted(model._meta.db_table)} ({columns}) FROM STDIN", lines)


def _fields(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    """Those that are stored; the database itself computes the others."""
    return [field for field in model._meta.local_concrete_fields if not field.generated]


def _reader(field: models.Field[Any, Any]) -> Callable[[Any], str] | None:
    """What makes a value of a line a text that PostgreSQL reads; None for a field that may read and
    write otherwise than Django's own."""
    if not type(field).__module__.startswith("django."):
        return None
    kind = field.get_internal_type()
    if kind in _AS_IT_STANDS:
        return str
    others: dict[str, Callable[[Any], str]] = {"JSONField": json.dumps, "BinaryField": _bytes}
    return others.get(kind)


def _cell(reader: Callable[[Any], str], value: Any) -> str:
    return _NOTHING if value is None else reader(value).translate(_ESCAPED)


def _bytes(value: str) -> str:
    return r"\x" + base64.b64decode(value).hex()
