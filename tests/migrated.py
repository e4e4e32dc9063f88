"""A migrated SQLite database, kept from run to run: to migrate an empty one takes four seconds in
each test process.

It is good for as long as nothing has changed that a migration could see: the migrations, the models
and their triggers, the settings, the protocols, the pinned libraries. What is tested is a copy, on
which ``migrate`` runs once more.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEEN = (
    "annotation/migrations",
    "annotation/models",
    "annotation/config",
    "annotation/protocols",
    "tests/protocols/samples",
    "tests/settings.py",
    "annotation/apps.py",
    "requirements.txt",
)


def fingerprint() -> str:
    """Of everything that a migration could see."""
    digest = hashlib.sha256(sqlite3.sqlite_version.encode())
    for name in SEEN:
        place = ROOT / name
        files = [*place.rglob("*.py"), *place.rglob("*.json")] if place.is_dir() else [place]
        for path in sorted(files):
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:32]


def take(folder: Path, to: Path) -> bool:
    """Copy the kept database to where a test process wants its own; whether there is one."""
    try:
        shutil.copyfile(folder / f"{fingerprint()}.sqlite3", to)
    except FileNotFoundError:
        return False
    return True


def keep(folder: Path, database: Path) -> None:
    """Keep a copy of this database, which was just migrated and is empty, in the place of any
    before it."""
    kept = folder / f"{fingerprint()}.sqlite3"
    whole = kept.with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM INTO ?", [str(whole)])
    whole.replace(kept)  # other processes read it, or do not find it
    for former in folder.glob("*.sqlite3"):
        if former != kept:
            former.unlink(missing_ok=True)
