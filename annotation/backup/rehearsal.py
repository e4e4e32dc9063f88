"""Whether a backup would do: restored into a database of its own, compared, brought to this
version, and thrown away: also where somebody gave the database for it, which was empty. The real
database and its folder are never within reach of it.

Restoring happens in a process that is told another database and another folder, and nothing else of
this installation.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import DatabaseError, connection

from annotation.backup import archive, contents, database
from annotation.backup.contents import Contents
from annotation.backup.errors import BackupError
from annotation.backup.whole import beside, unpack
from annotation.pooling import is_lent

# What the process needs of this one's environment; nothing that leads to the real installation.
_PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "TMPDIR", "TZ")
_PROCESS = "import django; django.setup(); from annotation.backup import rehearsal; rehearsal.{}()"
# In the folder of the process: that the database given for it held nothing, so that all it holds
# from then on is ours.
_BEGUN = "begun"
_SHOWN = 5


@dataclass(frozen=True)
class Rehearsed:
    """What came out. ``compared``: how many tables are as they were; None for a backup of a version
    that did not write down what went in."""

    made_at: str
    kind: str
    signed_by: str
    files: int
    rows: int
    compared: int | None


@database.own_server()
def rehearse(
    source: Path,
    *,
    identity: Path | None = None,
    unsigned_ok: bool = False,
    scratch: str = "",
) -> Rehearsed:
    """Restore a backup elsewhere and compare it table by table with what went in.

    ``scratch``: the URL of an empty database for it; else SQLite in a folder that goes, or a new
    database on this server. Raises ``BackupError`` for a backup that would not do, and says why.
    """
    with (
        beside(settings.DATA_DIR) as folder,
        archive.unsealed(source, identity, folder) as plain,
        archive.opened(plain, unsigned_ok=unsigned_ok) as (backup, manifest),
    ):
        kind = manifest["kind"]
        name = database.NAMES.get(kind, "")
        if name not in manifest["files"]:
            raise BackupError("The backup holds no database that this version knows.")
        unpack(backup, manifest, folder)
        with _scratch(kind, scratch, folder) as url:
            tables = _restored(kind, folder / name, manifest["migrations"], url)
        if "tables" in manifest:
            _compare(_went_in(manifest, folder / name), tables)
        return Rehearsed(
            made_at=manifest["made_at"],
            kind=kind,
            signed_by=manifest["signed_by"],
            files=len(manifest["files"]) - 1,
            rows=sum(rows for rows, _digest in tables.values()),
            compared=len(tables) if "tables" in manifest else None,
        )


def _went_in(manifest: dict[str, Any], file: Path) -> Contents:
    """What the manifest says; of a portable dump of an earlier version, which had hashed its text,
    in the words of this one."""
    tables: Contents = manifest["tables"]
    if manifest["kind"] == database.PORTABLE and tables == contents.of_lines_as_written(file):
        return contents.of_lines(file)
    return tables


def _compare(before: Contents, after: Contents) -> None:
    """Raises ``BackupError`` that names the tables that differ."""
    names = sorted(set(before) | set(after))
    if other := [name for name in names if before.get(name) != after.get(name)]:
        differences = "; ".join(
            f"{name}: {_rows(before, name)} rows went in, {_rows(after, name)} came out"
            for name in other[:_SHOWN]
        )
        raise BackupError(
            f"What comes out of the backup is not what went in, in {len(other)} of {len(names)} "
            f"tables ({differences}). Do not rely on it: make another."
        )


def _rows(tables: Contents, name: str) -> int:
    return int(tables[name][0]) if name in tables else 0


@contextmanager
def _scratch(kind: str, given: str, folder: Path) -> Iterator[str]:
    """The URL of a database that holds nothing; gone afterwards, or empty again if it was given."""
    if given:
        try:
            yield given
        finally:
            if (_own(folder) / _BEGUN).exists():
                _emptied(given, folder)
    elif kind != database.POSTGRESQL:
        yield f"sqlite:///{folder / 'scratch.sqlite3'}"
    else:
        with _scratch_postgresql() as url:
            yield url


@contextmanager
def _scratch_postgresql() -> Iterator[str]:
    if connection.vendor != "postgresql":
        raise BackupError(
            "The backup is of PostgreSQL, and DATABASE_URL names another kind of database. Give an "
            "empty one with --scratch postgres://…"
        )
    database.refuse_pooled(database.POSTGRESQL)
    name = f"bareme_rehearsal_{uuid.uuid4().hex[:12]}"
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    except DatabaseError as error:
        raise BackupError(
            f"No database could be made for it on this server ({str(error).strip()}). Let one be "
            "made, and give it with --scratch postgres://…"
        ) from error
    try:
        yield _beside_ours(name)
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _beside_ours(name: str) -> str:
    """The address of this database of the server that ours is on."""
    connection_settings = connection.settings_dict
    options = {
        key: str(value)
        for key, value in connection_settings["OPTIONS"].items()
        if isinstance(value, str)
    }
    login = quote(str(connection_settings["USER"]), safe="")
    if connection_settings["PASSWORD"]:
        login += f":{quote(str(connection_settings['PASSWORD']), safe='')}"
    options |= {
        key: str(connection_settings[setting])
        for key, setting in (("host", "HOST"), ("port", "PORT"))
        if connection_settings[setting]
    }
    return f"postgres://{login}@/{name}?{urlencode(options)}"


def _restored(kind: str, file: Path, migrations: list[str], url: str) -> Contents:
    """What the database holds after the file was put into it. Raises ``BackupError``."""
    migrations_json = json.dumps(migrations)
    code, said, complaint = _process(
        "main", kind, str(file), given=migrations_json, url=url, folder=file.parent
    )
    if code:
        raise BackupError(f"The backup could not be restored: {_said(complaint, url)}")
    tables: Contents = json.loads(said.splitlines()[-1])
    return tables


def _emptied(url: str, folder: Path) -> None:
    """Whatever became of the rehearsal. Raises ``BackupError``: what stays there is everything."""
    code, _said_here, complaint = _process("clear", given="", url=url, folder=folder)
    if code:
        raise BackupError(
            "The database given for it could not be emptied again and holds what was restored, "
            f"names and answers included: {_said(complaint, url)} Remove it by hand."
        )


def _own(folder: Path) -> Path:
    """The data folder of the process."""
    return folder / "rehearsal"


def _process(
    work: str, *arguments: str, given: str, url: str, folder: Path
) -> tuple[int, str, str]:
    """Let a function of this module work on that database, in a process of its own: its exit
    status, and what it said on both ways. Where this one is told to end meanwhile, so is that, with
    the programs of PostgreSQL that it runs."""
    _own(folder).mkdir(exist_ok=True)
    environment = {name: os.environ[name] for name in _PASSED if name in os.environ} | {
        "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
        "BAREME_DATA_DIR": str(_own(folder)),
        "BAREME_PROTOCOLS": ",".join(settings.PROTOCOLS),
        "DATABASE_URL": url,
    }
    with subprocess.Popen(
        [sys.executable, "-c", _PROCESS.format(work), *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            said, complaint = process.communicate(given)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, said, complaint


def _said(stderr: str, url: str) -> str:
    """The last line, without the address, which may hold a password."""
    last = (stderr.strip().splitlines() or ["its process ended without a word"])[-1]
    return last.replace(url, "…")


def main() -> None:
    """What the process of its own does: told a kind, a file and (on standard input) its migrations,
    it prints what came out of it; or why nothing did, in one line."""
    try:
        tables = _put(sys.argv[1], Path(sys.argv[2]), json.load(sys.stdin))
    except Exception as error:
        raise SystemExit(" ".join(str(error).split()) or type(error).__name__) from error
    sys.stdout.write(json.dumps(tables) + "\n")


def clear() -> None:
    """The other thing that it does, last: the database given for it is as empty as before."""
    try:
        database.clear()
    except Exception as error:
        raise SystemExit(" ".join(str(error).split()) or type(error).__name__) from error


def _put(kind: str, file: Path, migrations: list[str]) -> Contents:
    """Put the file into the database, which must be empty; what it holds then. And bring it to this
    version, which a restore would do next."""
    if kind == database.POSTGRESQL and is_lent():
        raise BackupError(
            "The database given for it is behind a pooler. Give the server's own address with "
            "--scratch."
        )
    database.refuse_misfit(kind, migrations)
    if database.has_tables():
        raise BackupError("The database given for it is not empty. Give one without any table.")
    (_own(file.parent) / _BEGUN).touch()
    database.put(kind, file)
    tables = database.contents_now(kind, file.parent)
    database.bring_up()
    return tables
