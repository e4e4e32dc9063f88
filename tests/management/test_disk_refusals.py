"""A command without room, or without rights, says what to do, not where it was in the code."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from annotation.errors import StorageAway
from annotation.management import disk_refusals
from annotation.management.disk_refusals import disk_refusal
from tests.management.test_database_refusals import run


def of_sqlite(code: int, text: str) -> OperationalError:
    """As Django raises what SQLite says."""
    cause = sqlite3.OperationalError(text)
    cause.sqlite_errorcode = code
    error = OperationalError(text)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        of_sqlite(sqlite3.SQLITE_FULL, "database or disk is full"),
        of_sqlite(sqlite3.SQLITE_IOERR_SHMSIZE, "disk I/O error"),
    ],
)
def test_a_full_disk(error: Exception, settings: Any) -> None:
    refusal = str(disk_refusal(error))
    assert refusal.startswith("A disk is full")
    assert str(settings.DATA_DIR) in refusal
    assert "Make room" in refusal


def test_a_bucket_that_does_not_answer() -> None:
    refusal = str(disk_refusal(StorageAway("the bucket bareme does not answer (EndpointError)")))
    assert "the bucket bareme does not answer (EndpointError)" in refusal
    assert "BAREME_STORAGE" in refusal


def test_a_disk_that_is_read_only() -> None:
    """Under a service that sees its code so, static files next to it cannot be collected."""
    error = OSError(errno.EROFS, "Read-only file system", "/opt/bareme/collected/x.css")
    refusal = str(disk_refusal(error))
    assert refusal.startswith("/opt/bareme/collected/x.css is on a file system that is read only")
    assert "BAREME_STATIC_DIR" in refusal


class TestRights:
    @pytest.fixture(autouse=True)
    def _somebody_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Tests may run as root, whom no rights keep out."""
        owner = os.geteuid()
        names = {owner + 1: "me", owner: "owner"}
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
        monkeypatch.setattr(disk_refusals, "_name", names.__getitem__)

    def test_of_a_file_in_the_data_folder(self, settings: Any, tmp_path: Path) -> None:
        settings.DATA_DIR = tmp_path
        lock = tmp_path / "serve.lock"
        lock.touch(mode=0o444)
        refusal = str(disk_refusal(PermissionError(errno.EACCES, "Permission denied", str(lock))))
        assert f"{lock} (-r--r--r--) cannot be used: it belongs to owner" in refusal
        assert "runs as me" in refusal
        assert f"chown -R me {tmp_path}" in refusal

    def test_of_the_folder_where_there_is_no_file(self, settings: Any, tmp_path: Path) -> None:
        settings.DATA_DIR = tmp_path / "data"
        error = PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "a" / "b"))
        refusal = str(disk_refusal(error))
        assert f"{tmp_path} (d" in refusal
        assert "chown" not in refusal, "a folder that is not Barème's"

    def test_of_the_database(
        self, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "b.sqlite3"
        path.touch()
        monkeypatch.setitem(settings.DATABASES["default"], "NAME", str(path))
        error = of_sqlite(sqlite3.SQLITE_READONLY, "attempt to write a readonly database")
        assert disk_refusal(error) is None, "nothing keeps this process out"
        monkeypatch.setattr(os, "access", lambda name, mode: Path(name) != path)
        assert f"{path} (" in str(disk_refusal(error))


def test_what_its_own_user_may_not_use(tmp_path: Path) -> None:
    refusal = disk_refusal(PermissionError(errno.EACCES, "Permission denied", str(tmp_path)))
    assert "its rights keep its own user" in str(refusal)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EIO, "Input/output error"),
        PermissionError(errno.EPERM, "Operation not permitted"),
        OperationalError("no such table: x"),
    ],
)
def test_what_is_of_another_kind_is_left_alone(error: Exception) -> None:
    assert disk_refusal(error) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="no rights keep root out")
def test_a_command_says_so(tmp_path: Path) -> None:
    (tmp_path / "serve.lock").touch(mode=0o444)
    done = run(tmp_path, "serve")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert f"{tmp_path}/serve.lock (-r--r--r--) cannot be used" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_command_whose_output_finds_no_room_says_so(tmp_path: Path) -> None:
    done = run(tmp_path, "shell", "--command", "print('x', file=open('/dev/full', 'w', 1))")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "A disk is full" in done.stderr


def test_a_disk_that_is_full_while_settings_are_read_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A demonstration keeps its key in the data folder."""
    (tmp_path / "sitecustomize.py").write_text(
        "import errno, os\n"
        "def full(*_): raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "os.link = full\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = run(tmp_path / "data", "serve")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert done.stderr.startswith("A disk is full")
