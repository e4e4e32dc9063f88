"""``manage.py migrate``: Django's own, which is not held up by the lack of rules that it mends,
which nobody who works meanwhile waits for, and which undoes nothing of Barème's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.exceptions import AmbiguityError, NodeNotFoundError
from django.db.migrations.executor import MigrationExecutor

from annotation.checks import rules_are_made
from annotation.management.translations import compile_translations
from annotation.pooling import leads_elsewhere, server_itself

# A change of a table waits for whoever reads it, and all who come after wait for the change: behind
# a backup that is a minute and more. So it waits this long and lets them go first. Longer than the
# second after which PostgreSQL ends its own cleaning for the sake of somebody who waits.
_WAIT_MILLISECONDS = 1500
# Then it leaves everybody alone for a while, longer each time.
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 30.0
_GIVEN_UP_SECONDS = 30 * 60
_LOCK_NOT_AVAILABLE = "55P03"
_OURS = "annotation"
_OLDEST = """
SELECT coalesce(nullif(application_name, ''), 'a program'),
       coalesce(host(client_addr), 'this machine'), extract(epoch FROM now() - xact_start)::int
  FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
   AND backend_type = 'client backend'
 ORDER BY xact_start LIMIT 1
"""


class Command(migrate.Command):
    def check(self, *args: Any, **options: Any) -> None:
        with rules_are_made():
            super().check(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        """As Django's, by the server's own address where there is one: of this very database."""
        if wrong := leads_elsewhere():
            raise CommandError(wrong)
        with server_itself():
            _refuse_to_undo(options)
            self._migrate(*args, **options)
        if not (options["plan"] or options["check_unapplied"]):
            self._compile()

    def _compile(self) -> None:
        """What else new code needs once, and the service that runs it may not be able to write."""
        try:
            compile_translations(settings.LOCALE_PATHS[0])
        except CommandError as error:
            # The database is as it should be; `serve` refuses to start until this is done.
            self.stderr.write(str(error))

    def _migrate(self, *args: Any, **options: Any) -> None:
        """Again and again while tables are in use: what was done stays done."""
        connection = connections[options["database"]]
        until, pause = time.monotonic() + _GIVEN_UP_SECONDS, _FIRST_PAUSE
        while True:
            try:
                with _short_waits(connection):
                    super().handle(*args, **options)
                return
            except OperationalError as error:
                if not _is_wait_over(error) or connection.in_atomic_block:
                    raise
                who = _oldest(connection)
                if time.monotonic() > until:
                    raise CommandError(
                        f"Tables were in use for {_GIVEN_UP_SECONDS // 60} minutes{who}. What was "
                        "applied stays; end what uses them and run it again."
                    ) from error
            self.stderr.write(
                f"Tables are in use{who}: it is tried again in {pause:.0f} s, and nobody waits for "
                "it meanwhile."
            )
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _refuse_to_undo(options: dict[str, Any]) -> None:
    """Raise ``CommandError`` where the target is behind what is applied of Barème's own, before
    anything is touched: some of it cannot be undone, and that would be met half-way."""
    app, name = options["app_label"], options["migration_name"]
    if not name or options["plan"] or options["check_unapplied"] or options["fake"]:
        return
    executor = MigrationExecutor(connections[options["database"]])
    try:
        known = None if name == "zero" else executor.loader.get_migration_by_prefix(app, name).name
        plan = executor.migration_plan([(app, known)])
    except (AmbiguityError, KeyError, NodeNotFoundError):
        return  # no such migration: Django's own says so
    undone = [migration for migration, back in plan if back and migration.app_label == _OURS]
    if undone:
        raise CommandError(
            f"{app} {name} is behind what this database has ({undone[0].name}). Only a restore "
            "undoes a migration: of a backup from before it, by `manage.py restore`. Nothing was "
            "touched; the version of Barème before works on this database as it is."
        )


@contextmanager
def _short_waits(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Not through a pooler that gives each transaction another connection, where the server's own
    address is not known: the next one there would be somebody else's."""
    is_pooled = connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
    if connection.vendor != "postgresql" or is_pooled or connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {_WAIT_MILLISECONDS}")
    try:
        yield
    finally:
        if connection.connection is not None and connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")


def _is_wait_over(error: OperationalError) -> bool:
    return getattr(error.__cause__, "pgcode", None) == _LOCK_NOT_AVAILABLE


def _oldest(connection: BaseDatabaseWrapper) -> str:
    """Who has been in the middle of something for longest, in words."""
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST)
        oldest = cursor.fetchone()
    return f" ({oldest[0]} from {oldest[1]}, for {oldest[2]} s)" if oldest else ""
