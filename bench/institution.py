"""An institution's installation: what 20 studies × 200 people with 1,000,000 judgments take.

``python -m bench.institution`` fills a PostgreSQL database (a server of its own, as it comes;
DATABASE_URL's where that is set) with studies in which everybody has judged every pair, and records
the database's size and its largest tables; a backup, its check by ``verify_backup`` and its restore
into an empty database; the pages that leads and admins read, the first time and again; what 20
people at once cost who judge one more study of as many people, by the page and by the API, and what
that adds to the database; the memory of the web processes and of PostgreSQL after it; an export and
an agreement report of one study. Answers are as long as FrJUDGE's; what a person's own submission
leaves besides (revision, receipt, event) is in the figure of what is added.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import psutil

from annotation.management.embedded import PrivateRedis
from bench.backups import database_bytes, empty_database, rows_counted
from bench.database import database_url, temporary_database
from bench.load import Level, people_of, warm
from bench.over_http import Client, postgresql_processes, timed, web
from bench.record import record
from bench.stack import ROOT, postgresql
from bench.startup import megabytes
from tests.servers import programs

_MEGABYTE = 10**6
_AT_ONCE, _JUDGED = 20, 400
# Between the keys of one study's rows and those of the next.
_APART = 10**8
_OF_A_STUDY = ("", "people/", "items/", "agreement/", "systems/", "remarks/", "watch/", "events/")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=20)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bareme-")))
        if not os.environ.get("DATABASE_URL"):
            os.environ["DATABASE_URL"] = stack.enter_context(postgresql(folder / "pg"))
            os.environ["PATH"] = os.pathsep.join([str(programs()), os.environ["PATH"]])
        if not os.environ.get("REDIS_URL"):
            redis = PrivateRedis(folder)
            redis.start()
            stack.callback(redis.stop)
            os.environ["REDIS_URL"] = redis.url
        vendor = stack.enter_context(temporary_database())
        _fill(options)
        _sizes(vendor)
        _backup(folder, vendor)
        _pages(vendor)
        _load(options.people, options.judgments // options.studies // options.people, vendor)
        _read(vendor)


def _fill(options: argparse.Namespace) -> None:
    from annotation.models import Study
    from tests.bulk import fill_study

    pairs = options.judgments // options.studies // options.people
    begun = time.perf_counter()
    study = Study.objects.create(key="study-1", title="Study 1", state="main")
    fill_study(study, pairs=pairs, annotators=options.people)
    for number in range(2, options.studies + 1):
        _copy(number)
    what = f"{options.studies} studies × {options.people} people × {pairs} pairs"
    record(f"filling {what}", time.perf_counter() - begun, "s")


def _copy(number: int) -> None:
    """The first study again, with rows of its own. By the database: through models it would take
    hours. Row by row triggers and references have nothing to find, and are left out; the role has
    to be a superuser's."""
    from django.db import connection, transaction

    quoted, more = connection.ops.quote_name, number * _APART
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table, columns, own in _tables():
            names = ", ".join(quoted(column) for column in columns)
            values = ", ".join(
                f"{quoted(column)} + {more}" if column in own else quoted(column)
                for column in columns
            )
            if table == "annotation_study":
                values = values.replace(quoted("key"), f"'study-{number}'")
            cursor.execute(
                f"INSERT INTO {quoted(table)} ({names}) SELECT {values} "  # noqa: S608
                f"FROM {quoted(table)} WHERE {quoted(columns[0])} < {_APART}"
            )
            if "id" in columns:
                last = "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)"
                cursor.execute(last, [table, more + _APART])


def _tables() -> list[tuple[str, list[str], set[str]]]:
    """Each table that a filled study has rows in, after those that it refers to: its name, its
    columns with the key first, and those of them that are keys of such tables."""
    from annotation import models

    filled = [
        *(models.Study, models.GuideVersion, models.Annotator, models.Item, models.Simplification),
        *(models.Assignment, models.Judgment, models.Rating, models.SideAnswer),
        *(models.ErrorDeduction, models.Tally, models.StudySize),
    ]
    tables = []
    for model in filled:
        written = [field for field in model._meta.concrete_fields if not field.generated]
        fields = sorted(written, key=lambda field: not field.primary_key)
        columns = {field.name: str(field.column) for field in fields}
        own = {
            columns[field.name]
            for field in fields
            if field.primary_key or field.related_model in filled
        }
        tables.append((model._meta.db_table, [*columns.values()], own))
    return tables


def _sizes(vendor: str) -> None:
    from django.db import connection

    record("rows", rows_counted(), "rows", database=vendor)
    record("database", database_bytes(vendor) / _MEGABYTE, "MB", database=vendor)
    if vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute(
            "SELECT relname, pg_total_relation_size(oid), pg_indexes_size(oid) FROM pg_class "
            "WHERE relkind = 'r' ORDER BY 2 DESC LIMIT 6"
        )
        for name, whole, indexes in cursor.fetchall():
            note = f"{indexes / _MEGABYTE:.0f} of them indexes"
            record(f"table {name}", whole / _MEGABYTE, "MB", database=vendor, note=note)


def _load(people: int, pairs: int, vendor: str) -> None:
    """Judging beside all of it, and what holds memory then."""
    with web(2) as (server, port):
        warm(port)
        for way in ("page", "API"):
            study = people_of(f"load-{way.lower()}", people, max(pairs, _JUDGED // _AT_ONCE))
            before, rows = database_bytes(vendor), rows_counted()
            Level(way, _AT_ONCE, pairs).measure(server, port, study, _JUDGED, vendor)
            grown = (database_bytes(vendor) - before) / 1000
            more = (rows_counted() - rows) / _JUDGED
            note = f"{more:.1f} rows"
            record(
                f"a judgment by the {way} adds", grown / _JUDGED, "kB", database=vendor, note=note
            )
        for process in server.children():
            record("memory of a web process after that", megabytes([process]), "MB")
        record("memory of their parent", megabytes([server]), "MB")
        family = [
            two for process in postgresql_processes() for two in (process, *process.children())
        ]
        if family:
            record(f"memory of PostgreSQL, {len(family)} processes", megabytes(family), "MB")


def _pages(vendor: str) -> None:
    """Pages of one study, and of all, for somebody who sees everything. A page that keeps what it
    computed is asked first on a server that has kept nothing."""
    from django.conf import settings
    from django.test import Client as Visitor

    from annotation.models import User

    visitor = Visitor()
    visitor.force_login(User.objects.create_user("admin@example.org", is_admin=True))
    session = visitor.cookies[settings.SESSION_COOKIE_NAME].value
    with web(1) as (_server, port):
        client = Client(port, session=session)
        client.ask("/people/")
        for path in ("/", *(f"/studies/study-2/{page}" for page in _OF_A_STUDY), "/system/"):
            first, *more = (timed(partial(client.ask, path))[0] for _ in range(4))
            note = f"the first time {first:.0f}"
            record(f"GET {path}", min(more), "ms", database=vendor, note=note)
        client.close()


def _read(vendor: str) -> None:
    """What leads ask for, of one study."""
    with tempfile.TemporaryDirectory() as folder:
        export = ["export_study", "study-1", "--layout", "long", "--output", f"{folder}/long.jsonl"]
        for name, arguments in (
            ("export of a study, long", export),
            ("agreement of a study", ["agreement", "study-1"]),
        ):
            seconds, most = _peak(arguments)
            record(name, seconds, "s", database=vendor, note=f"at most {most:.0f} MB of memory")


def _backup(folder: Path, vendor: str) -> None:
    path = folder / "backup.zip"
    seconds, most = _peak(["backup", "--output", str(path)])
    record("backup", seconds, "s", database=vendor, note=f"at most {most:.0f} MB of memory")
    record("backup", path.stat().st_size / _MEGABYTE, "MB", database=vendor)
    seconds, most = _peak(["verify_backup", str(path)])
    record("verify_backup", seconds, "s", database=vendor, note=f"at most {most:.0f} MB of memory")
    with empty_database(vendor, folder) as elsewhere:
        seconds, most = _peak(["restore", str(path)], elsewhere)
        _all_there(elsewhere["DATABASE_URL"])
    record("restore", seconds, "s", database=vendor, note=f"at most {most:.0f} MB of memory")


def _all_there(url: str) -> None:
    """Raises ``RuntimeError`` where the restored database lacks a judgment."""
    import psycopg2  # type: ignore[import-untyped]

    from annotation.models import Judgment

    with psycopg2.connect(url) as there, there.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM annotation_judgment")
        (count,) = cursor.fetchone()
    there.close()
    if count != (wanted := Judgment.objects.count()):
        raise RuntimeError(f"{count:,} judgments of {wanted:,} came back")
    record("judgments that came back", count, "rows")


def _peak(arguments: list[str], environment: dict[str, str] | None = None) -> tuple[float, float]:
    """Seconds of a command of manage.py, and the most megabytes that it held by itself."""
    where = {"DATABASE_URL": database_url(), **(environment or {})}
    command = [sys.executable, "manage.py", *arguments]
    begun, most = time.perf_counter(), 0.0
    started = subprocess.Popen(command, env=os.environ | where, cwd=ROOT, stdout=subprocess.DEVNULL)
    process = psutil.Process(started.pid)
    while started.poll() is None:
        try:
            most = max(most, process.memory_info().rss / _MEGABYTE)
        except psutil.Error:
            break
        time.sleep(0.05)
    if started.wait():
        raise RuntimeError(f"{' '.join(arguments)}: {started.returncode}")
    return time.perf_counter() - begun, most


if __name__ == "__main__":
    main()
