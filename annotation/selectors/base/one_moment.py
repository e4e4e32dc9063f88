"""Several queries that see the same moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from annotation.models.composed import former_moment


@contextmanager
def one_moment() -> Iterator[None]:
    """Read the database as it stands now, whatever is written meanwhile; nobody who writes has to
    wait.

    Writing inside is an error on PostgreSQL and must not be tried on SQLite. Within a transaction
    that is open already, that transaction's view of the database is kept.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with _deferred(), transaction.atomic(), former_moment():
            yield
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                # What is read is found by its keys. Right after an import PostgreSQL has no
                # statistics, and later it knows how much an item or a person of any study has on
                # average: it would read whole tables instead, of all studies together.
                # Nor is a batch worth compiling: versions before 18 take what they are kept from
                # for very dear, and compile it, a fifth of an export of 50,000 judgments.
                cursor.execute(
                    "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET "
                    "LOCAL enable_seqscan = off; SET LOCAL jit = off"
                )
            with former_moment():
                yield


@contextmanager
def _deferred() -> Iterator[None]:
    """SQLite's transactions take the write lock at once here (see config.env). One that only reads
    must not: in WAL mode it then stands in nobody's way."""
    connection.ensure_connection()
    sqlite: Any = connection  # the attribute is of SQLite's wrapper alone
    mode, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = mode
