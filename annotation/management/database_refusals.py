"""Why a command could not use the database, in words with a remedy, where one of these is why: it
is not reached, takes nothing, or its tables are not those of this version."""

from __future__ import annotations

from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.db.migrations.executor import MigrationExecutor

from annotation.room import is_read_only
from annotation.selectors.platform.system import database_place


def is_behind() -> bool:
    """Whether migrations of this version wait to be applied.

    Raises ``DatabaseError`` where the database is not reached.
    """
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


_MIGRATING = {"migrate", "serve", "stack"}
"""They apply what waits themselves: an error on the way is theirs."""


def database_refusal(error: DatabaseError, command: str) -> str | None:
    """What to do about ``error``; ``None`` where it is a fault of the command itself."""
    if connection.vendor == "postgresql" and is_read_only(error):
        return (
            f"The database ({database_place()}) only lets itself be read: what was under way was "
            "not stored. It is a replica, a recovery that has not ended, or was made so "
            "(default_transaction_read_only). Make it take what it is told, or mend DATABASE_URL."
        )
    try:
        behind = is_behind()
    except DatabaseError:
        return (
            f"The database cannot be used ({database_place()}). Start it, or mend DATABASE_URL.\n"
            f"{str(error).strip()}"
        )
    is_of_tables = isinstance(error, OperationalError | ProgrammingError)
    if not behind or not is_of_tables or command in _MIGRATING:
        return None
    return (
        f"The database ({database_place()}) lacks what this version keeps: {str(error).strip()}. "
        "Run `manage.py migrate` first; `manage.py serve` does so itself. If you expected data "
        "there, look at BAREME_DATA_DIR and DATABASE_URL."
    )
