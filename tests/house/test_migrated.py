"""The database that test processes begin with is kept for as long as it is what migrations would
make."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests import conftest, migrated


def made(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE kept (id)")
    return path


def test_a_copy_is_taken_of_what_was_kept(tmp_path: Path):
    assert not migrated.take(tmp_path, tmp_path / "own"), "nothing was kept yet"
    migrated.keep(tmp_path, made(tmp_path / "first"))
    assert migrated.take(tmp_path, tmp_path / "own")
    with closing(sqlite3.connect(tmp_path / "own")) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("kept",)]


def test_what_was_migrated_otherwise_is_not_taken_and_goes(tmp_path: Path, monkeypatch):
    migrated.keep(tmp_path, made(tmp_path / "first"))
    root = tmp_path / "root"
    for name in migrated.SEEN:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("changed") if "." in name else (root / name).mkdir(parents=True)
    before = migrated.fingerprint()
    monkeypatch.setattr(migrated, "ROOT", root)
    first = migrated.fingerprint()
    assert first != before
    assert not migrated.take(tmp_path, tmp_path / "own")
    (root / "annotation" / "models" / "new.py").write_text("")
    assert migrated.fingerprint() != first
    migrated.keep(tmp_path, made(tmp_path / "second"))
    assert [path.stem for path in tmp_path.glob("*.sqlite3")] == [migrated.fingerprint()]


def test_nothing_is_kept_where_pytest_keeps_nothing():
    without: Any = SimpleNamespace()  # what a run with ``-p no:cacheprovider`` has
    assert conftest._kept_databases(without) is None
