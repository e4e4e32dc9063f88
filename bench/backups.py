"""Backups at the size of an institution.

``python -m bench.backups --judgments 1000000`` fills a database with judgments of 10,000 pairs,
backs it up (as the database does it, and portable), restores both into empty databases beside it,
and prints seconds, sizes and rows. On PostgreSQL: ``python -m tests.servers --postgres -- python -m
bench.backups``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.database import database_url, temporary_database
from bench.load import others_fill
from bench.record import record
from bench.stack import ROOT

_MEGABYTE = 10**6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    options = parser.parse_args()
    with temporary_database() as vendor, tempfile.TemporaryDirectory() as folder:
        others_fill(options.judgments)
        rows, size = rows_counted(), database_bytes(vendor)
        said = (
            f"{vendor}, {options.judgments:,} judgments: {rows:,} rows, {size / _MEGABYTE:,.0f} MB"
        )
        print(said, flush=True)
        for kind, flags in (("as it is", ()), ("portable", ("--portable",))):
            path = Path(folder, f"{kind.replace(' ', '-')}.zip")
            made = _seconds(partial(_manage, {}, "backup", "--output", str(path), *flags))
            with empty_database(vendor, Path(folder)) as elsewhere:
                back = _seconds(partial(_manage, elsewhere, "restore", str(path)))
            megabytes = path.stat().st_size / _MEGABYTE
            what = f"{options.judgments:,} judgments, {kind}"
            record(f"backup of {what}: {megabytes:.0f} MB", made, "s", database=vendor)
            record(f"restore of {what}", back, "s", database=vendor)


def rows_counted() -> int:
    from django.apps import apps

    return sum(
        model._base_manager.count() for model in apps.get_app_config("annotation").get_models()
    )


def database_bytes(vendor: str) -> int:
    from django.db import connection

    if vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).stat().st_size
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


@contextmanager
def empty_database(vendor: str, folder: Path) -> Iterator[dict[str, str]]:
    """What another installation's settings say: a data folder and a database of its own."""
    data = folder / uuid.uuid4().hex
    data.mkdir(mode=0o700)
    if vendor == "sqlite":
        yield {"BAREME_DATA_DIR": str(data), "DATABASE_URL": f"sqlite:///{data}/b.sqlite3"}
        return
    from django.db import connection

    name = f"bench_{uuid.uuid4().hex[:8]}"
    present = str(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    try:
        url = database_url().replace(f"/{present}?", f"/{name}?")
        yield {"BAREME_DATA_DIR": str(data), "DATABASE_URL": url}
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _manage(environment: dict[str, str], *arguments: str) -> None:
    where = {"DATABASE_URL": database_url(), **environment}
    command = [sys.executable, "manage.py", *arguments]
    subprocess.run(command, env=os.environ | where, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def _seconds(act: Callable[[], None]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
