"""A study that is there, stored many times more by the database alone: a million judgments made one
by one take longer than everything that is measured beside them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, models, transaction

from annotation.models import (
    Annotator,
    Assignment,
    ErrorDeduction,
    GuideVersion,
    Item,
    Judgment,
    Rating,
    SideAnswer,
    Simplification,
    Study,
    StudySize,
    Tally,
    triggers,
)
from annotation.services.platform.row_counts import row_counts_refresh

# Each after what its rows refer to.
_MODELS: tuple[type[models.Model], ...] = (
    *(Study, GuideVersion, Item, Simplification, Annotator, Assignment, Judgment, Rating),
    *(ErrorDeduction, SideAnswer, Tally, StudySize),
)


def studies_multiply(times: int) -> None:
    """Store everything that the database holds of these tables ``times - 1`` times more, as studies
    of other names. What the copies hold is what was checked when the first was stored."""
    spans = {model: _span(model) for model in _MODELS}
    with _unchecked(), transaction.atomic(), connection.cursor() as cursor:
        for number in range(1, times):
            for model in _MODELS:
                cursor.execute(_copying(model, number, spans))
    for model in _MODELS:
        _numbers_follow(model)
    row_counts_refresh(*_MODELS)


def _span(model: type[models.Model]) -> int:
    """By how much a copy's keys are higher."""
    target = _refers_to(model._meta.pk)
    if target is not None:
        return _span(target)
    return model._base_manager.aggregate(most=models.Max("pk"))["most"] or 0


def _refers_to(field: Any) -> type[models.Model] | None:
    return field.related_model if field.is_relation and field.related_model in _MODELS else None


def _copying(model: type[models.Model], number: int, spans: dict[type[models.Model], int]) -> str:
    quoted = connection.ops.quote_name
    table, names, values = quoted(model._meta.db_table), [], []
    for field in model._meta.local_concrete_fields:
        if field.generated:
            continue
        name, target = quoted(str(field.column)), model if field.primary_key else None
        target = _refers_to(field) or target
        added = number * spans[target] if target else 0
        names.append(name)
        if model is Study and field.name == "key":
            values.append(f"{name} || '-{number}'")
        else:
            values.append(f"{name} + {added}" if added else name)
    most = spans[model]
    return (
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {table} "  # noqa: S608
        f"WHERE {quoted(str(model._meta.pk.column))} <= {most}"
    )


@contextmanager
def _unchecked() -> Iterator[None]:
    """Without triggers: each was asked when the first was stored."""
    if connection.vendor == "sqlite":
        triggers.drop()
        try:
            with connection.constraint_checks_disabled():
                yield
        finally:
            triggers.create()
        return
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = origin")


def _numbers_follow(model: type[models.Model]) -> None:
    """New rows get numbers after the copies'; SQLite sees to that itself."""
    if connection.vendor == "sqlite" or _refers_to(model._meta.pk):
        return
    table, key = model._meta.db_table, model._meta.pk.column
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{key}'), MAX({key})) FROM {table}"  # noqa: S608
        )
