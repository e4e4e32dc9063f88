"""Poolers between here and PostgreSQL: what keeps to one connection, and what changes its settings,
goes by the server's own address.

A pooler that gives each transaction another connection (PgBouncer in transaction mode) hands on
what a program sets for its session: after pg_dump others find no table, because its search path was
empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

# A pooler may happen to give one client the same connection twice.
_TRIALS = 3
_PATIENCE_SECONDS = 5.0
_WHICH = (
    "SELECT pg_postmaster_start_time(), oid FROM pg_database WHERE datname = current_database()"
)
ANOTHER = "BAREME_DATABASE_DIRECT_URL leads to another database than DATABASE_URL."
ANOTHER_REMEDY = "Set it to the server's own address of the same database."


@contextmanager
def server_itself() -> Iterator[None]:
    """Within, this thread reaches the database by the server's own address, where one is set
    (``BAREME_DATABASE_DIRECT_URL``); what was open before is closed. Other threads go on as they
    did."""
    own = connection.settings_dict
    direct = settings.DATABASE_DIRECT
    if not direct or connection.vendor != "postgresql" or connection.in_atomic_block:
        yield
        return
    connection.close()
    # This thread's alone: the dictionary itself is shared by all of them.
    connection.settings_dict = own | direct | {"DISABLE_SERVER_SIDE_CURSORS": False}
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = own


def is_lent() -> bool:
    """Whether a pooler lends the server's connections for a transaction at a time. One that keeps
    them for whoever is connected does no harm.

    Raises ``DatabaseError`` where the database is not reached.
    """
    if connection.vendor != "postgresql":
        return False
    pid = _server_pid(connection)
    # By whom it was answered at the beginning: a pooler answers for itself.
    if pid == connection.connection.info.backend_pid:
        return False
    if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        return True
    return _is_shared(pid)


def _is_shared(pid: int) -> bool:
    """Whether another client gets the same connection while this one stays, or this one gets
    another in its next transaction."""
    others = [connection.copy() for _ in range(_TRIALS)]
    kept = 0
    try:
        # Each keeps what it was given while the next one asks.
        for other in others:
            if _server_pid_soon(other) == pid or _server_pid(connection) != pid:
                return True
            kept += 1
    except OperationalError:
        # All are taken, and whoever asks waits for its turn.
        pass
    finally:
        for other in others:
            other.close()
    # Where nobody else was given any, nothing is known: what must not be shared takes no chance.
    return not kept


def _server_pid_soon(other: BaseDatabaseWrapper) -> int:
    """The server's process that this connection keeps, in a transaction that stays open. Raises
    ``OperationalError`` where there is none to be had."""
    other.ensure_connection()
    other.set_autocommit(False)
    late = Timer(_PATIENCE_SECONDS, other.connection.cancel)
    late.start()
    try:
        return _server_pid(other)
    finally:
        late.cancel()


def _server_pid(wrapper: BaseDatabaseWrapper) -> int:
    """The server's process that carries out a statement now."""
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    return int(pid)


def direct_is_another() -> bool:
    """Whether the server's own address leads to another database than the usual one.

    Raises ``DatabaseError`` where one of them is not reached.
    """
    if not settings.DATABASE_DIRECT or connection.vendor != "postgresql":
        return False
    usual = _which()
    with server_itself():
        return _which() != usual


def leads_elsewhere() -> str:
    """What is wrong where the server's own address leads to another database, with the remedy; ""
    where it does not, or the usual one is not reached: a pooler may be stopped for a restore."""
    try:
        is_another = direct_is_another()
    except DatabaseError:
        return ""
    return f"{ANOTHER} {ANOTHER_REMEDY}" if is_another else ""


def _which() -> object:
    with connection.cursor() as cursor:
        cursor.execute(_WHICH)
        return cursor.fetchone()
