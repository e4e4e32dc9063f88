"""A study's row, locked for a change of it, or held as a foreign key to it would hold it."""

from __future__ import annotations

from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.db.models import Model, QuerySet
from django.http import Http404

from annotation.errors import StudyArchived
from annotation.models import Study

_READ = f"SELECT archived_at IS NULL FROM {Study._meta.db_table} WHERE id = %s"  # noqa: S608  (our own table)

Row = TypeVar("Row", bound=Model)


def study_row_lock(key: int, *, no_key: bool = False) -> Study:
    """The study as of now, locked until this transaction ends; ``no_key``: whoever shares it goes
    on. Raises ``Http404`` where it was deleted since the caller read it."""
    return row_lock(Study.objects.select_for_update(no_key=no_key), key)


def study_row_lock_open(key: int, *, no_key: bool = False) -> Study:
    """``study_row_lock`` for a write whose refusals would come before its event, which asks. Raises
    ``StudyArchived`` as well."""
    study = study_row_lock(key, no_key=no_key)
    if study.archived_at is not None:
        raise StudyArchived(study)
    return study


def row_lock(rows: QuerySet[Row], key: object) -> Row:
    """The row of ``rows``, which lock. Raises ``Http404`` where somebody deleted it since the
    caller read it, as its address answers from then on."""
    try:
        return rows.get(pk=key)
    except ObjectDoesNotExist as error:
        raise Http404("deleted in the meantime") from error


def share_lock() -> str:
    """What a statement that reads a study's row says in order to share it until its transaction
    ends; nothing where there is one writer at a time."""
    return " FOR KEY SHARE" if connection.features.has_select_for_update else ""


def study_row_share(key: int) -> bool:
    """Let nobody archive, delete or close the study, or change its rules, until this transaction
    ends; whoever else shares it goes on. Whether it is there and not archived, as of now.

    All that happens under ``FOR UPDATE``, which waits for this lock and is waited for by it;
    Django's ORM knows the exclusive locks only. SQLite has one writer at a time.
    """
    with connection.cursor() as cursor:
        cursor.execute(_READ + share_lock(), [key])
        row = cursor.fetchone()
    return row is not None and bool(row[0])


def study_row_require(study: Study, *, archived_too: bool = False) -> None:
    """``study_row_share`` for a write whose event does not ask. Raises ``StudyArchived`` where the
    study is archived, unless ``archived_too``, and ``Http404`` where it was deleted, as of now: the
    caller may have read it long ago."""
    if study_row_share(study.pk):
        return
    if not Study.objects.filter(pk=study.pk).exists():
        raise Http404("deleted in the meantime")
    if not archived_too:
        raise StudyArchived(study)
