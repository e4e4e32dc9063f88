"""A study's row, held as a foreign key to it would hold it."""

from __future__ import annotations

from django.db import connection

from annotation.errors import StudyArchived
from annotation.models import Study

_READ = f"SELECT archived_at IS NULL FROM {Study._meta.db_table} WHERE id = %s"  # noqa: S608  (our own table)


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


def study_row_require(study: Study) -> None:
    """``study_row_share`` for a write that leaves no event behind. Raises ``StudyArchived`` where
    the study is archived, or was deleted, as of now: the caller may have read it long ago."""
    if not study_row_share(study.pk):
        raise StudyArchived(study)
