"""Whether the parts that Barème stands on are there: asked often, so each in a few milliseconds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotation import sharing
from annotation.selectors.platform.broker import broker_answers


def parts_failing() -> list[str]:
    """Names of the parts that do not work: ``database``, ``migrations``, ``broker``, ``storage``
    (the data folder), ``bucket``."""
    parts: dict[str, Callable[[], bool]] = {
        "broker": broker_answers,
        "storage": storage_writable,
        "bucket": bucket_answers,
    }
    failing = [name for name, works in parts.items() if not works()]
    try:
        pending = migrations_pending()
        is_writable = database_writable()
    except (DatabaseError, InterfaceError):
        return ["database", *failing]
    if not is_writable:
        return ["database", *failing]
    return ["migrations", *failing] if pending else failing


def database_writable() -> bool:
    """Whether it takes what is stored: a replica that took its server's place answers, and does
    not. Raises ``DatabaseError`` where it does not answer. Of SQLite's file, the data folder
    tells."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('transaction_read_only')")
        return bool(cursor.fetchone()[0] == "off")


def storage_writable() -> bool:
    """Whether a file can be written to the data folder: not on a full disk, nor on one mounted to
    be read only."""
    try:
        with tempfile.TemporaryFile(prefix=".ready-", dir=settings.DATA_DIR) as file:
            # A whole block: a full disk still takes a few bytes.
            file.write(bytes(4096))
            file.flush()
    except OSError:
        return False
    return True


def bucket_answers() -> bool:
    """Whether files can be had from the bucket, where there is one."""
    return not sharing.bucket_refusal()


def migrations_applied() -> list[str]:
    """What the database has, as ``app.name``. Raises ``DatabaseError`` where it does not answer."""
    return sorted(
        f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations()
    )


@cache
def migrations_known() -> tuple[str, ...]:
    """What this version brings: files, read once in a process."""
    return tuple(sorted(f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations))


def migrations_pending() -> list[str]:
    """What this version brings and the database has not. A database that is ahead is in order: an
    older version keeps running beside a newer one while it is replaced."""
    return sorted(set(migrations_known()) - set(migrations_applied()))
