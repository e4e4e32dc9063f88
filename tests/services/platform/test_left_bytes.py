"""What SQLite's files hold of a row that is gone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler
from django.test.utils import CaptureQueriesContext

from annotation.config.env import env_database
from annotation.services.platform.left_bytes import log_cut

pytestmark = pytest.mark.django_db
NAME = "Zeltane Quorivaux"


@pytest.fixture
def database(tmp_path: Path, monkeypatch) -> Iterator[BaseDatabaseWrapper]:
    """As the installation opens its own, with a name that was written and deleted."""
    monkeypatch.setenv("LEFT_URL", f"sqlite:///{tmp_path}/left.sqlite3")
    opened = ConnectionHandler({"default": env_database("LEFT_URL", tmp_path / "x")})["default"]
    with opened.cursor() as cursor:
        cursor.execute("CREATE TABLE people (name TEXT)")
        cursor.execute("INSERT INTO people VALUES (%s)", [NAME])
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute("INSERT INTO people VALUES (%s)", [NAME + " encore"])
        cursor.execute("DELETE FROM people")
    yield opened
    opened.close()


def holding(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if NAME.encode() in path.read_bytes())


def test_nothing_is_left_of_what_was_deleted(database, tmp_path):
    assert holding(tmp_path) == ["left.sqlite3", "left.sqlite3-wal"]
    log_cut(database)
    assert holding(tmp_path) == []
    with database.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)


def test_whoever_reads_is_not_waited_for_for_long(database, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("annotation.services.platform.left_bytes._WAIT_MS", 1)
    other = sqlite3.connect(tmp_path / "left.sqlite3", isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM people").fetchall()
    log_cut(database)
    assert "is being read" in caplog.text
    other.close()


def test_in_a_transaction_it_is_said_and_nothing_breaks(database, caplog):
    database.set_autocommit(False)
    with database.cursor() as cursor:
        cursor.execute("INSERT INTO people VALUES ('x')")
    log_cut(database)
    assert "could not be cut" in caplog.text
    database.rollback()
    database.set_autocommit(True)


@pytest.mark.django_db(transaction=True)
def test_on_the_database_of_the_tests(caplog):
    with CaptureQueriesContext(connection) as statements:
        log_cut(connection)
    assert bool(statements.captured_queries) == (connection.vendor == "sqlite")
    assert "could not be cut" not in caplog.text
