"""The database into a file and back, each kind by its own means."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction

from annotation.backup import contents, portable
from annotation.backup.contents import Contents
from annotation.backup.errors import BackupError
from annotation.models import User, triggers
from annotation.models.descriptions import backup_put_back
from annotation.pooling import ANOTHER_REMEDY, is_lent, leads_elsewhere, server_itself
from annotation.selectors.platform.parts import migrations_known

SQLITE, POSTGRESQL, PORTABLE = "sqlite", "postgresql", "portable"
NAMES = {SQLITE: "database.sqlite3", POSTGRESQL: "database.pgdump", PORTABLE: "database.jsonl"}
_VENDORS = {SQLITE: "SQLite", POSTGRESQL: "PostgreSQL"}
# What DATABASE_URL may say of a connection, as PostgreSQL's programs read it.
_OPTIONS = {
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslcrl": "PGSSLCRL",
    "channel_binding": "PGCHANNELBINDING",
    "gssencmode": "PGGSSENCMODE",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
    "connect_timeout": "PGCONNECT_TIMEOUT",
    "options": "PGOPTIONS",
}
_IS_POOLED = (
    "is the address of a pooler that gives each transaction another connection, and what "
    "PostgreSQL's programs set there would break the pages of others."
)
DIRECT_REMEDY = "Set BAREME_DATABASE_DIRECT_URL to the server's own address."
# The head of a dump: comments, psql's own words and settings, before the first statement that makes
# something.
_SETTING = re.compile(rb"SET (\w+) = ")
_HEAD = re.compile(rb"\s*$|--|\\|SET |SELECT pg_catalog\.set_config")


def best_kind() -> str:
    """The database's own format where its tools are here, else the one that needs none."""
    if connection.vendor == "sqlite":
        return SQLITE
    return PORTABLE if tools_lacking() else POSTGRESQL


def dump(kind: str, target: Path) -> Contents:
    """Write the database as it stands at one moment, while others go on writing; what was in it
    then."""
    dumps: dict[str, Callable[[Path], Contents]] = {
        SQLITE: _dump_sqlite,
        POSTGRESQL: _dump_postgresql,
        PORTABLE: _dump_portable,
    }
    return dumps[kind](target)


def put(kind: str, source: Path) -> None:
    """Replace the database by what the file holds, as it is there."""
    restore: dict[str, Callable[[Path], None]] = {
        SQLITE: _load_sqlite,
        POSTGRESQL: _load_postgresql,
        PORTABLE: _load_portable,
    }
    restore[kind](source)
    connection.close()


def load(kind: str, source: Path) -> None:
    """Replace the database, bring it to this version and make its triggers again."""
    put(kind, source)
    bring_up()
    _count_rows()


def _count_rows() -> None:
    """Tell PostgreSQL how many rows there are now: until it counts by itself, a minute later or
    more, it plans as if all tables were empty, and whoever judges meanwhile waits for minutes."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def bring_up() -> None:
    """Bring what was put back to this version. Raises ``BackupError`` where that leaves rules
    out."""
    with backup_put_back():
        call_command("migrate", interactive=False, verbosity=0)
    if missing := triggers.missing(connection):
        raise BackupError(
            f"The restored database lacks rules: {', '.join(sorted(missing))}. Run `manage.py "
            "migrate`."
        )


def refuse_misfit(kind: str, applied: list[str]) -> None:
    """Raise ``BackupError`` for a backup that cannot go into this database, before anything is
    touched."""
    if kind not in NAMES:
        raise BackupError("The backup's database is of a kind that this version does not know.")
    if kind in _VENDORS and connection.vendor != kind:
        raise BackupError(
            f"The backup is of {_VENDORS[kind]}, and DATABASE_URL names another kind of database. "
            "Make the backup with --portable to go from one to the other."
        )
    known = set(migrations_known())
    if later := sorted(set(applied) - known):
        raise BackupError(
            f"The backup is of a later version (it has {later[-1]}). Restore it with that version."
        )
    if kind == PORTABLE and set(applied) != known:
        raise BackupError(
            "A portable backup is restored by the version that made it; then upgrade."
        )
    if kind == POSTGRESQL and not all(shutil.which(tool) for tool in ("pg_restore", "psql")):
        raise BackupError(
            "The backup needs pg_restore and psql. Install PostgreSQL's client programs."
        )
    refuse_pooled(kind)


@contextmanager
def own_server() -> Iterator[None]:
    """Within, this thread reaches this database by the server's own address (``server_itself``).
    Raises ``BackupError`` where that leads to another one."""
    if wrong := leads_elsewhere():
        raise BackupError(wrong)
    with server_itself():
        yield


def refuse_pooled(kind: str) -> None:
    """Raise ``BackupError`` where PostgreSQL's programs would go through a pooler: they leave their
    settings to the connections that others get next."""
    if kind == POSTGRESQL and is_lent():
        raise BackupError(" ".join(pooled()))


def pooled() -> tuple[str, str]:
    """That they would, by which address; and what to set."""
    if settings.DATABASE_DIRECT:
        return f"BAREME_DATABASE_DIRECT_URL {_IS_POOLED}", ANOTHER_REMEDY
    return f"DATABASE_URL {_IS_POOLED}", DIRECT_REMEDY


def others_connected() -> list[str]:
    """Who else is connected to this database: program and place of each. SQLite's tell nobody:
    there the lock of the data folder counts.

    Looked at for two seconds: the server lets go of a program that has just ended, such as pg_dump,
    a moment later.
    """
    if connection.vendor != "postgresql":
        return []
    for _ in range(20):
        if not (others := _connections_of_others()):
            break
        time.sleep(0.1)
    return others


def _connections_of_others() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid, coalesce(nullif(application_name, ''), 'a program'), "
            "coalesce(host(client_addr), 'this machine') "
            "FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY pid"
        )
        return [f"{name} from {place} (pid {pid})" for pid, name, place in cursor.fetchall()]


def is_empty() -> bool:
    """Whether nobody would miss this database: no tables, or no person in them."""
    if User._meta.db_table not in connection.introspection.table_names():
        return True
    return not User.objects.exists()


def has_tables() -> bool:
    """Whether it holds anything at all, be it somebody else's."""
    return bool(_relations(include_views=True))


def _relations(*, include_views: bool) -> list[str]:
    """Names of tables, without those of PostgreSQL's extensions (``pg_stat_statements``,
    ``postgis``): they come and go with these, and nobody keeps anything in them."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor, include_views=include_views)
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT c.relname FROM pg_class c JOIN pg_depend d ON d.objid = c.oid "
                "WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'e'"
            )
            names = sorted({*names} - {name for (name,) in cursor.fetchall()})
    return names


def clear() -> None:
    """Drop everything. For a database that was given to be filled and held nothing."""
    if connection.vendor == "sqlite":
        name = str(connection.settings_dict["NAME"])
        connection.close()
        for end in ("", "-wal", "-shm", "-journal"):
            Path(name + end).unlink(missing_ok=True)
        return
    # What was filling it may just have been ended, and its connection not yet.
    others_connected()
    statements = _clearing()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statements)


def contents_now(kind: str, folder: Path) -> Contents:
    """What the database holds, in the words of a backup of this kind; ``folder`` for what has to be
    written for that."""
    if kind == POSTGRESQL:
        with transaction.atomic(), connection.cursor() as cursor:
            return contents.of_postgresql(cursor)
    return dump(kind, folder / f"again.{NAMES[kind]}")


def _dump_portable(target: Path) -> Contents:
    portable.dump(target)
    return contents.of_lines(target)


def _dump_sqlite(target: Path) -> Contents:
    connection.ensure_connection()
    with closing(sqlite3.connect(target)) as copy:
        connection.connection.backup(copy)
        # The copy travels as one file.
        copy.execute("PRAGMA journal_mode=DELETE")
        return contents.of_sqlite(copy)


def _load_sqlite(source: Path) -> None:
    with closing(sqlite3.connect(source)) as copy:
        try:
            sound = copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        except sqlite3.DatabaseError:
            sound = False
        if not sound:
            raise BackupError("The backup's database fails SQLite's own check. Take another copy.")
        connection.ensure_connection()
        # One transaction of the target: it holds the old rows or the new ones, whatever happens in
        # between.
        copy.backup(connection.connection)


def tools_lacking() -> str:
    """Why the database cannot be written in PostgreSQL's own format, and the remedy: pg_dump or
    pg_restore is not here, or older than the server, which it would refuse; "" where it can, and
    on SQLite.

    Raises ``DatabaseError`` where the database is not reached.
    """
    if connection.vendor != "postgresql":
        return ""
    connection.ensure_connection()
    server = connection.connection.server_version // 10000
    remedy = f"Install PostgreSQL's client programs, version {server} or later."
    if not (shutil.which("pg_dump") and shutil.which("pg_restore")):
        return f"There is no pg_dump or no pg_restore here. {remedy}"
    said = subprocess.run(
        ["pg_dump", "--version"],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
    ).stdout
    major = "".join(said.split("PostgreSQL)")[-1].split())[:2]
    if major.isdigit() and int(major) >= server:
        return ""
    version = f"version {major}" if major.isdigit() else "an unknown version"
    return f"pg_dump here is {version}, and the server is version {server}. {remedy}"


def _dump_postgresql(target: Path) -> Contents:
    """Dump and contents of the same moment: pg_dump looks through this transaction's eyes."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # It waits for pg_dump, however long that takes.
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        [snapshot] = cursor.fetchone()
        tables = contents.of_postgresql(cursor)
        _postgresql_tool(
            "pg_dump",
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            f"--snapshot={snapshot}",
            f"--file={target}",
        )
    return tables


def _load_postgresql(source: Path) -> None:
    """In one transaction: the database holds the old rows or the new ones, also when a row cannot
    be put back."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        clearing, script = Path(folder, "clearing.sql"), Path(folder, "script.sql")
        clearing.write_text(_clearing(), encoding="utf-8")
        _postgresql_tool(
            "pg_restore", "--no-owner", "--no-privileges", f"--file={script}", str(source)
        )
        _fit_settings(script)
        connection.close()
        once = (
            "--no-psqlrc",
            "--quiet",
            "--single-transaction",
            "--set=ON_ERROR_STOP=1",
            "--output=/dev/null",
        )
        _postgresql_tool("psql", *once, f"--file={clearing}", f"--file={script}")


def _load_portable(source: Path) -> None:
    with backup_put_back():
        call_command("migrate", interactive=False, verbosity=0)
    portable.load(source)


def _clearing() -> str:
    """Statements that drop everything, whichever version made it: its leftovers would stand in the
    backup's way."""
    quoted = connection.ops.quote_name
    tables = _relations(include_views=False)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
            "WHERE n.nspname = current_schema() AND p.proname LIKE 'bareme\\_%'"
        )
        functions = [name for (name,) in cursor.fetchall()]
    drops = [f"DROP TABLE IF EXISTS {quoted(table)} CASCADE;" for table in tables]
    drops += [f"DROP FUNCTION IF EXISTS {quoted(name)}() CASCADE;" for name in functions]
    return "\n".join(drops) + "\n"


def _fit_settings(script: Path) -> None:
    """Leave out what the server does not know of the settings at the script's head: programs newer
    than the server (17 for one of 14 to 16) begin with some of theirs, and the first would end the
    restore."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_settings")
        known = {str(name) for (name,) in cursor.fetchall()}
    fitted = script.with_suffix(".fitted")
    with script.open("rb") as source, fitted.open("wb") as target:
        for line in source:
            setting = _SETTING.match(line)
            if setting is None or setting[1].decode() in known:
                target.write(line)
            if not _HEAD.match(line):
                break
        shutil.copyfileobj(source, target, 1024 * 1024)
    fitted.replace(script)


def _postgresql_tool(tool: str, *arguments: str) -> None:
    """The password goes by the environment: arguments are for everybody on the machine to read."""
    connection_settings = connection.settings_dict
    names = {
        "PGHOST": "HOST",
        "PGPORT": "PORT",
        "PGUSER": "USER",
        "PGPASSWORD": "PASSWORD",
        "PGDATABASE": "NAME",
    }
    login = {
        name: str(connection_settings[setting])
        for name, setting in names.items()
        if connection_settings[setting]
    }
    login |= {
        name: str(connection_settings["OPTIONS"][option])
        for option, name in _OPTIONS.items()
        if option in connection_settings["OPTIONS"]
    }
    done = subprocess.run(
        [tool, *arguments], env=os.environ | login, check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise BackupError(f"{tool} could not do it: {done.stderr.strip()[-500:]}")
