"""The database as lines of JSON through Django: for a PostgreSQL without its own tools, and from
one kind to the other.

A line is one row as Django's own serializer writes it. Read back, rows go in as they are: no
signal, no ``save``, and on PostgreSQL by COPY, which takes most of what a line holds as it stands.
"""

from __future__ import annotations

import json
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core import serializers
from django.core.management.color import no_style
from django.core.serializers.base import DeserializedObject
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction

from annotation.backup import copying
from annotation.models import triggers

_ROWS_AT_ONCE = 2000
_STATEMENT_ROWS = 500


class _Exact(DjangoJSONEncoder):
    """Django's own encoder cuts times to milliseconds; the database has microseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def dump(target: Path) -> None:
    """Every row as it stands at one moment."""
    with transaction.atomic(), target.open("w", encoding="utf-8") as file:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                # The default shows each statement another moment, and rows would not fit together.
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for model in _models():
            rows = _every(model).order_by("pk").iterator(chunk_size=_STATEMENT_ROWS)
            serializers.serialize("jsonl", rows, stream=file, cls=_Exact)


def load(source: Path) -> None:
    """Put the rows in place of whatever the migrated database holds: all of them, or none."""
    # In this order: SQLite cannot put its checks aside once a transaction has begun.
    with connection.constraint_checks_disabled(), transaction.atomic():
        triggers.drop()
        _empty()
        with source.open(encoding="utf-8") as file:
            for name, rows in groupby(map(json.loads, file), key=itemgetter("model")):
                model = apps.get_model(name)
                put = _copy if copying.suits(model) else _insert
                while chunk := list(islice(rows, _ROWS_AT_ONCE)):
                    put(model, chunk)
        connection.check_constraints()
        _renew_sequences()
        triggers.create()
    ContentType.objects.clear_cache()


def _copy(model: type[models.Model], rows: list[dict[str, Any]]) -> None:
    with connection.cursor() as cursor:
        copying.copy(cursor, model, rows)


def _insert(model: type[models.Model], plain: list[dict[str, Any]]) -> None:
    rows: list[DeserializedObject] = list(serializers.deserialize("python", plain))
    # Django sets these to now whenever a row is added.
    stamped = [field.attname for field in model._meta.local_fields if _stamps_itself(field)]
    then = [[getattr(row.object, name) for name in stamped] for row in rows]
    _every(model).bulk_create([row.object for row in rows], batch_size=_STATEMENT_ROWS)
    if stamped:
        for row, values in zip(rows, then, strict=True):
            for name, value in zip(stamped, values, strict=True):
                setattr(row.object, name, value)
        _every(model).bulk_update([row.object for row in rows], stamped, batch_size=_STATEMENT_ROWS)
    for row in rows:
        for name, related in (row.m2m_data or {}).items():
            if related:
                getattr(row.object, name).set(related)


def _stamps_itself(field: models.Field[Any, Any]) -> bool:
    return bool(getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False))


def _every(model: type[models.Model]) -> models.Manager[Any]:
    """All its rows, whatever its own manager leaves out."""
    return model._base_manager


def _models() -> list[type[models.Model]]:
    managed = [
        model for model in apps.get_models() if model._meta.managed and not model._meta.proxy
    ]
    return sorted(managed, key=lambda model: model._meta.label)


def _empty() -> None:
    tables = [
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed
    ]
    with connection.cursor() as cursor:
        quoted = [connection.ops.quote_name(name) for name in sorted(set(tables))]
        if connection.vendor == "postgresql":
            cursor.execute(f"TRUNCATE {', '.join(quoted)} CASCADE")
        else:
            for name in quoted:
                cursor.execute(f"DELETE FROM {name}")  # noqa: S608  (tables of our own models)


def _renew_sequences() -> None:
    """The next row must not take a number that a restored one has."""
    everything: Any = list(apps.get_models(include_auto_created=True))
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), everything):
            cursor.execute(statement)
