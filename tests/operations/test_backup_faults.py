"""Backups while folders come and go, and PostgreSQL's programs that are newer than the server."""

from __future__ import annotations

import errno
import io
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.backup import archive, database, erasures, whole
from annotation.backup.errors import BackupError
from annotation.management.commands import backup
from annotation.models import Event, User
from annotation.services.privacy.erasure_list import erasures_file
from tests.factories import make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("alone")]


@pytest.fixture
def folder() -> Path:
    """A folder among those of a backup, beside a file that stays."""
    path = Path(settings.DATA_DIR) / "files" / "going"
    path.mkdir(parents=True)
    (path.parent / "stays.txt").write_text("x")
    return path


def scandir_that(monkeypatch: pytest.MonkeyPatch, folder: Path, happens: Any) -> None:
    real = os.scandir

    def scandir(path: Any) -> Any:
        if str(path) == str(folder):
            happens()
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)


def test_a_folder_that_goes_while_it_is_looked_through(folder, monkeypatch):
    scandir_that(monkeypatch, folder, folder.rmdir)
    assert list(dict(archive.files_under(settings.DATA_DIR))) == ["files/stays.txt"]


def test_a_folder_that_cannot_be_read_is_not_left_out_in_silence(folder, monkeypatch):
    def refuse() -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    scandir_that(monkeypatch, folder, refuse)
    with pytest.raises(PermissionError):
        list(archive.files_under(settings.DATA_DIR))


@pytest.mark.postgres
def test_settings_that_the_server_does_not_know_are_left_out_at_the_head_alone(tmp_path):
    """pg_restore 17 begins with `SET transaction_timeout`, which PostgreSQL 14 to 16 refuse."""
    head = "--\n-- Dump\n--\n\n\\restrict abc\n\nSET statement_timeout = 0;\n"
    rest = "SELECT pg_catalog.set_config('search_path', '', false);\n\nCREATE TABLE x (y text);\n"
    data = "COPY x FROM stdin;\nSET of_no_server = 1;\n\\.\n"
    script = tmp_path / "script.sql"
    script.write_text(f"{head}SET of_no_server = 0;\n{rest}{data}")
    database._fit_settings(script)
    assert script.read_text() == head + rest + data
    assert list(tmp_path.iterdir()) == [script]


def test_programs_connect_as_the_address_says(monkeypatch):
    """Certificates too: with `verify-full` alone they would look for one in the home folder."""
    options = {"sslmode": "verify-full", "sslrootcert": "/ca.pem", "application_name": "x"}
    database_settings = {
        "HOST": "db",
        "PORT": "",
        "USER": "u",
        "PASSWORD": "p",
        "NAME": "n",
        "OPTIONS": options,
    }
    given: dict[str, Any] = {}

    def run(arguments: list[str], *, env: dict[str, str], **_: Any) -> Any:
        given.update(arguments=arguments, env=env)
        return type("Done", (), {"returncode": 0})

    monkeypatch.setattr("annotation.backup.database.subprocess.run", run)
    with monkeypatch.context() as patch:  # before the test's own end needs the connection again
        for name, value in database_settings.items():
            patch.setitem(connection.settings_dict, name, value)
        database._postgresql_tool("pg_dump", "--format=custom")
    assert given["arguments"] == ["pg_dump", "--format=custom"], "no password among them"
    assert given["env"]["PGPASSWORD"] == "p"
    assert given["env"]["PGSSLROOTCERT"] == "/ca.pem"
    assert given["env"]["PGSSLMODE"] == "verify-full"


def test_a_full_disk_is_said_in_a_sentence(monkeypatch, tmp_path):
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(backup, "make", full)
    with pytest.raises(CommandError, match=r"The disk is full: no backup was made"):
        call_command("backup", output=str(tmp_path / "b.zip"))


def test_what_sqlite_refuses_is_said_in_a_sentence(monkeypatch, tmp_path):
    def refuse(*_: Any, **__: Any) -> Any:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(backup, "make", refuse)
    with pytest.raises(CommandError, match="unable to open database file"):
        call_command("backup", output=str(tmp_path / "b.zip"))


@pytest.mark.skipif(connection.vendor != "sqlite", reason="pg_restore says it in its own words")
def test_a_disk_that_fills_while_rows_are_put_back_is_said_in_a_sentence(monkeypatch, tmp_path):
    """There was room for what the backup holds, and none for the rows beside the former ones."""
    make_user("lead")
    path = tmp_path / "b.zip"
    call_command("backup", output=str(path), stdout=io.StringIO())

    def full(_source: Path) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(database, "_load_sqlite", full)
    with pytest.raises(CommandError, match=r"A disk is full .* Make room"):
        call_command("restore", str(path), replace=True)
    assert User.objects.filter(email__startswith="lead").exists()


def test_one_of_a_database_that_only_lets_itself_be_read_is_made(tmp_path, capsys):
    """Of a replica: that it could not be written down there unmakes no backup."""
    is_sqlite = connection.vendor == "sqlite"
    setting = "PRAGMA query_only" if is_sqlite else "SET default_transaction_read_only"
    make_user("lead")
    path = tmp_path / "b.zip"
    with connection.cursor() as cursor:
        cursor.execute(f"{setting} = on")
        try:
            call_command("backup", output=str(path))
        finally:
            cursor.execute(f"{setting} = off")
    said = capsys.readouterr()
    assert f"{path}: database" in said.out
    assert "only lets itself be read" in said.err
    with archive.opened(path) as (_zip, manifest):
        assert manifest["tables"]
    assert not Event.objects.filter(verb="backup_made").exists()


@pytest.mark.parametrize("fixed", ["mount", "rights"])
def test_files_that_cannot_be_exchanged_stop_it_before_the_database_is(
    monkeypatch, tmp_path, folder, fixed
):
    """Else the rows of then would stand there, sessions and whoever was erased since with them."""
    path = tmp_path / "b.zip"
    call_command("backup", output=str(path), stdout=io.StringIO())
    make_user("later")
    if fixed == "mount":
        monkeypatch.setattr(Path, "is_mount", lambda self: self == folder.parent)
    else:
        monkeypatch.setattr(whole.os, "access", lambda place, _mode: Path(place) != folder.parent)
    with pytest.raises(CommandError, match=f"{folder.parent}.* cannot be"):
        call_command("restore", str(path), replace=True)
    assert User.objects.filter(email__startswith="later").exists()


def test_files_that_could_not_be_exchanged_are_said(monkeypatch, tmp_path):
    make_user("lead")
    path = tmp_path / "b.zip"
    call_command("backup", output=str(path), stdout=io.StringIO())

    def busy(_folder: Path) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy", "files")

    monkeypatch.setattr(whole, "_exchange", busy)
    with pytest.raises(CommandError, match=r"database is the backup's now.* again with --replace"):
        call_command("restore", str(path), replace=True)


def test_a_place_that_cannot_take_it_is_said_with_what_to_name(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=r"file is a file, not a folder\. Name a file in a"):
        call_command("backup", output=str(tmp_path / "file" / "move.zip"))
    with pytest.raises(CommandError, match=r"/proc/x\.zip cannot be written: .* Name a file in a"):
        call_command("backup", output="/proc/x.zip")


@pytest.mark.parametrize("command", ["restore", "verify_backup"])
def test_a_folder_is_no_backup(tmp_path, command):
    with pytest.raises(CommandError, match=r"as a backup: it is a folder\. Name a file"):
        call_command(command, str(tmp_path))


def test_a_list_of_erasures_that_cannot_be_read_is_said_with_what_to_do():
    erasures_file().write_bytes(b"\xff")
    with pytest.raises(BackupError, match=r"\(no text\).* Make it readable"):
        erasures.gather()
    erasures_file().unlink()
    erasures_file().mkdir()
    try:
        with pytest.raises(BackupError, match=r"\(Is a directory\).* Make it readable"):
            erasures.gather()
    finally:
        erasures_file().rmdir()
