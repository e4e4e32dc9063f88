"""``manage.py migrate`` in the case where every start tells to run it, a protocol came or went; and
while people work."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from annotation.management.commands import migrate
from annotation.models import triggers
from tests import migrated

SAMPLE = "tests.protocols.samples.plain"
OWN = "annotation"


# Each command as ``manage.py`` runs it, which asks the checks; what each ended with, on a line.
# Back goes Django's own alone.
COMMANDS = """
import sys
from django.core.management import call_command, execute_from_command_line
from django.core.management.commands.migrate import Command
for command in sys.argv[1:]:
    try:
        if command.startswith("back to "):
            call_command(Command(), "annotation", command.split()[-1], verbosity=0)
        else:
            execute_from_command_line(["manage.py", *command.split()])
    except SystemExit as ended:
        print("ENDED", ended.code)
    else:
        print("ENDED", 0)
"""
MIGRATE, CHECK = "migrate --verbosity 0", "check --database default"


@pytest.mark.slow
def test_migrate_is_not_held_up_by_the_lack_of_rules_that_it_mends(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """In processes, because protocols are read once in each: one for all that is asked of the
    same."""
    database = tmp_path / "own.sqlite3"
    if cache := getattr(pytestconfig, "cache", None):
        migrated.take(cache.mkdir("databases"), database)  # or it is made from nothing

    def ended(protocols: str, *commands: str) -> tuple[list[str], str]:
        own = {
            "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
            "DATABASE_URL": f"sqlite:///{database}",
            "BAREME_DATA_DIR": str(tmp_path),
            "BAREME_DEMO": "1",
            "BAREME_PROTOCOLS": protocols,
            "PYTHONPATH": str(Path.cwd()),
        }
        done = subprocess.run(
            [sys.executable, "-c", COMMANDS, *commands],
            env=os.environ | own,
            capture_output=True,
            text=True,
            check=True,
        )
        lines = done.stdout.splitlines()
        return [line for line in lines if line.startswith("ENDED")], done.stderr

    assert ended("", MIGRATE, CHECK) == (["ENDED 0"] * 2, "")
    for protocols in (SAMPLE, ""):
        codes, said = ended(protocols, CHECK, MIGRATE, CHECK)
        assert codes == ["ENDED 1", "ENDED 0", "ENDED 0"], said
        assert said.count("bareme.E007") == 1


def test_a_protocol_that_is_a_file_is_brought_up_from_before_people_could_install_any(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """And back: what is asked before and after migrations knows only columns that there are."""
    database = tmp_path / "own.sqlite3"
    if cache := getattr(pytestconfig, "cache", None):
        migrated.take(cache.mkdir("databases"), database)
    file = Path(__file__).parents[1] / "protocols" / "samples" / "bracketed.json"
    own = {
        "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
        "DATABASE_URL": f"sqlite:///{database}",
        "BAREME_DATA_DIR": str(tmp_path),
        "BAREME_DEMO": "1",
        "BAREME_PROTOCOLS": str(file),
        "PYTHONPATH": str(Path.cwd()),
    }
    former = "back to 0046_protocol_drafts"
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, MIGRATE, former, MIGRATE, CHECK],
        env=os.environ | own,
        capture_output=True,
        text=True,
        check=True,
    )
    codes = [line for line in done.stdout.splitlines() if line.startswith("ENDED")]
    assert codes == ["ENDED 0"] * 4, done.stderr


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "target", [("annotation", "0001"), ("annotation", "zero"), ("contenttypes", "zero")]
)
def test_what_is_applied_is_undone_by_a_restore_alone(target: tuple[str, str]) -> None:
    """It undid 26 migrations and ended at one that cannot be undone."""
    before = MigrationRecorder(connection).applied_migrations()
    with pytest.raises(CommandError, match="Only a restore undoes a migration"):
        call_command("migrate", *target, verbosity=0)
    assert MigrationRecorder(connection).applied_migrations() == before


@pytest.mark.django_db(transaction=True)
def test_a_target_that_is_reached_or_is_none_is_as_ever() -> None:
    last = max(
        name for app, name in MigrationRecorder(connection).applied_migrations() if app == OWN
    )
    call_command("migrate", OWN, last, verbosity=0)
    plan = io.StringIO()
    call_command("migrate", OWN, "0001", plan=True, stdout=plan)
    assert "Undo" in plan.getvalue()
    with pytest.raises(CommandError, match="Cannot find a migration"):
        call_command("migrate", OWN, "9999", verbosity=0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_nobody_waits_for_a_migration_that_waits_for_somebody(monkeypatch, capsys):
    """Somebody has written and is not done (a backup, an import); the migration cannot have the
    table, and whoever judges meanwhile still can."""
    monkeypatch.setattr(migrate, "_WAIT_MILLISECONDS", 100)
    monkeypatch.setattr(migrate, "_FIRST_PAUSE", 0.1)
    first, other = connection.copy(), connection.copy()
    judging = f"LOCK TABLE {triggers.JUDGMENT} IN ROW EXCLUSIVE MODE"
    tried = threading.Event()

    def oldest(_: Any) -> str:
        tried.set()
        return " (somebody)"

    monkeypatch.setattr(migrate, "_oldest", oldest)
    try:
        first.set_autocommit(False)
        first.cursor().execute(judging)
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(_migrated)
            assert tried.wait(60), done
            other.set_autocommit(False)
            other.cursor().execute("SET LOCAL lock_timeout = '20s'")
            other.cursor().execute(judging)
            assert not done.done()
            other.rollback()
            first.rollback()
            assert done.result(60) == "0"
    finally:
        first.close()
        other.close()
    assert "Tables are in use (somebody): it is tried again in 0 s" in capsys.readouterr().err


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_a_migration_that_never_gets_its_table_says_who_has_it(monkeypatch):
    monkeypatch.setattr(migrate, "_WAIT_MILLISECONDS", 100)
    monkeypatch.setattr(migrate, "_GIVEN_UP_SECONDS", -60)
    holder = connection.copy()
    try:
        holder.set_autocommit(False)
        holder.cursor().execute("SET LOCAL application_name = 'a long import'")
        holder.cursor().execute(f"LOCK TABLE {triggers.JUDGMENT} IN ROW EXCLUSIVE MODE")
        with pytest.raises(CommandError, match=r"in use for -1 minutes \(a long import from "):
            call_command("migrate", verbosity=0)
    finally:
        holder.close()


def _migrated() -> str:
    """In a thread, with a connection of its own; the wait for locks that it leaves behind."""
    try:
        call_command("migrate", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            return str(cursor.fetchone()[0])
    finally:
        connection.close()
