"""A command without its database says what to do, not where it was in the code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import DatabaseError, OperationalError

from annotation.management import database_refusals
from annotation.management.database_refusals import database_refusal
from tests.services.platform.test_leases import read_only

PATIENCE = 60


def run(folder: Path, *arguments: str, database: str = "") -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("BAREME_")}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=own | {"BAREME_DATA_DIR": str(folder), "DATABASE_URL": database, "BAREME_DEMO": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_a_database_without_tables_is_said_with_what_to_run(tmp_path: Path) -> None:
    done = run(tmp_path, "check_positions")
    assert done.returncode == 1
    assert "manage.py migrate" in done.stderr
    assert "no such table" in done.stderr
    assert str(tmp_path) in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" in run(tmp_path, "check_positions", "--traceback").stderr


def test_a_server_that_is_not_reached_is_named_without_its_password(tmp_path: Path) -> None:
    address = "postgres://u:hush@127.0.0.1:1/studies"  # pragma: allowlist secret
    done = run(tmp_path, "check_positions", database=address)
    assert done.returncode == 1
    assert "127.0.0.1, studies" in done.stderr
    assert "DATABASE_URL" in done.stderr
    assert "Traceback" not in done.stderr
    assert "hush" not in done.stderr


def test_a_check_without_its_database_does_not_say_that_all_is_well(tmp_path: Path) -> None:
    address = "postgres://u:hush@127.0.0.1:1/studies"  # pragma: allowlist secret
    done = run(tmp_path, "check", "--database", "default", database=address)
    assert done.returncode == 1
    assert "bareme.E013" in done.stderr
    assert "127.0.0.1, studies" in done.stderr
    assert "DATABASE_URL" in done.stderr
    assert "no issues" not in done.stdout
    assert "hush" not in done.stderr


@pytest.mark.parametrize("command", [("check", "--database", "default"), ("migrate",)])
def test_a_file_in_a_folder_that_is_not_there(tmp_path: Path, command: tuple[str, ...]) -> None:
    file = tmp_path / "none" / "own.sqlite3"
    done = run(tmp_path, *command, database=f"sqlite:///{file}")
    assert done.returncode == 1
    assert str(file) in done.stderr
    assert "DATABASE_URL" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.postgres
@pytest.mark.parametrize("command", ["recovered", "serve", "migrate"])
def test_one_that_only_lets_itself_be_read(command: str) -> None:
    """A replica, or a recovery that stands still at its moment."""
    said = database_refusal(read_only(), command)
    assert said is not None
    assert "only lets itself be read" in said
    assert "a recovery that has not ended" in said


class TestWhoseErrorItIs:
    @pytest.fixture
    def error(self) -> DatabaseError:
        return OperationalError("no such table: x")

    def test_with_every_table_there_it_is_the_command_s(
        self, error: DatabaseError, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database_refusals, "is_behind", lambda: False)
        assert database_refusal(error, "check_positions") is None

    @pytest.mark.parametrize("command", ["migrate", "serve", "stack"])
    def test_who_applies_migrations_is_not_told_to(
        self, error: DatabaseError, command: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database_refusals, "is_behind", lambda: True)
        assert database_refusal(error, command) is None
        assert database_refusal(error, "check_positions") is not None
