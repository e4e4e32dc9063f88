"""A rehearsal restores a backup elsewhere and compares it with what went in; nothing here is
touched."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import sqlite3
import time
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2  # type: ignore[import-untyped]
import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from annotation.backup import contents, database, rehearsal
from annotation.backup.errors import BackupError
from annotation.models import Event, Judgment, User
from tests.factories import make_user
from tests.operations.test_backup import (  # noqa: F401  (fixtures)
    backup,
    elsewhere,
    filled,
    of_a_later_version,
    of_no_kind,
    rewritten,
    without_a_database,
)
from tests.processes import until

pytestmark = pytest.mark.django_db(transaction=True)


def verified(path: Path, **options: Any) -> str:
    out = io.StringIO()
    call_command("verify_backup", str(path), stdout=out, **options)
    return out.getvalue()


def left() -> list[str]:
    """Folders and databases of rehearsals that stay. Other tests rehearse on the same server at the
    same time: theirs go."""
    until = time.monotonic() + 60
    while (leftovers := _there()) and time.monotonic() < until:
        time.sleep(0.2)
    return leftovers


def _there() -> list[str]:
    names = [path.name for path in Path(django_settings.DATA_DIR).glob(".backup-*")]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE 'bareme_rehears%'")
            names += [name for (name,) in cursor.fetchall()]
    return names


@pytest.fixture
def empty_database(child_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The address of a database that nobody else uses, of the kind that the tests run on."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('scratch') / 'given.sqlite3'}"
        return
    name = f"given_{uuid.uuid4().hex[:12]}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    own = re.escape(str(connection.settings_dict["NAME"]))
    yield re.sub(rf"/{own}(?=\?|$)", f"/{name}", child_database_url)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def execute(url: str, statement: str) -> list[str]:
    """What one statement gives there, by the database's own means."""
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        with closing(sqlite3.connect(file)) as database_there:
            rows = database_there.execute(statement).fetchall()
            database_there.commit()
        return [str(name) for (name,) in rows]
    with closing(psycopg2.connect(url)) as database_there, database_there.cursor() as cursor:
        cursor.execute(statement)
        rows = cursor.fetchall() if cursor.description else []
        database_there.commit()
    return [str(name) for (name,) in rows]


def names_in(url: str) -> list[str]:
    """What the database holds: tables, and functions of ours."""
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        return execute(url, "SELECT name FROM sqlite_master") if file.exists() else []
    return execute(
        url,
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace UNION ALL "
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
    )


class TestVerify:
    def test_what_went_in_comes_out_and_nothing_here_is_touched(self, backup):  # noqa: F811
        before = (Judgment.objects.count(), User.objects.count(), Event.objects.count())
        output = verified(backup)
        assert "can be restored: database" in output
        assert "2 files" in output
        assert "tables hold what went in" in output
        assert (Judgment.objects.count(), User.objects.count(), Event.objects.count()) == before
        assert left() == []

    def test_a_portable_one(self, filled, tmp_path_factory):  # noqa: F811
        path = tmp_path_factory.mktemp("backups") / "portable.zip"
        call_command("backup", output=str(path), portable=True, stdout=io.StringIO())
        assert "database (portable)" in verified(path)

    def test_a_portable_one_of_a_version_that_hashed_its_text(
        self,
        filled,  # noqa: F811
        tmp_path_factory,
        monkeypatch,
    ):
        path = tmp_path_factory.mktemp("backups") / "portable.zip"
        monkeypatch.setattr(contents, "of_lines", contents.of_lines_as_written)
        call_command("backup", output=str(path), portable=True, stdout=io.StringIO())
        monkeypatch.undo()
        assert "tables hold what went in" in verified(path)

    def test_rows_that_are_not_those_that_went_in(self, backup):  # noqa: F811
        def change(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
            rows, _digest = manifest["tables"]["annotation_judgment"]
            manifest["tables"]["annotation_judgment"] = [rows + 1, "1"]
            manifest["tables"]["annotation_gone"] = [3, "1"]

        with pytest.raises(CommandError) as caught:
            verified(rewritten(backup, change))
        assert "in 2 of" in str(caught.value)
        assert "annotation_gone: 3 rows went in, 0 rows" not in str(caught.value)
        assert "annotation_gone: 3 rows went in, 0 came out" in str(caught.value)

    def test_of_a_version_that_wrote_nothing_down(self, backup):  # noqa: F811
        def change(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
            del manifest["tables"]

        assert "nothing was compared" in verified(rewritten(backup, change))

    def test_a_database_inside_that_cannot_be_restored(self, backup):  # noqa: F811
        import hashlib

        def change(content: dict[str, bytes], manifest: dict[str, Any]) -> None:
            [name] = [member for member in content if member.startswith("database.")]
            content[name] = b"x" * 5000
            manifest["files"][name]["sha256"] = hashlib.sha256(content[name]).hexdigest()

        with pytest.raises(CommandError, match="The backup could not be restored: "):
            verified(rewritten(backup, change))
        assert left() == []

    def test_what_no_restore_would_take(self, backup):  # noqa: F811
        for change, why in (
            (of_a_later_version, "later version"),
            (of_no_kind, "no database that this version knows"),
            (without_a_database, "no database that this version knows"),
        ):
            with pytest.raises(CommandError, match=why):
                verified(rewritten(backup, change))

    def test_a_given_database_that_is_not_empty(self, backup, child_database_url):  # noqa: F811
        with pytest.raises(CommandError, match="is not empty") as caught:
            verified(backup, scratch=child_database_url)
        assert "://" not in str(caught.value)
        assert Judgment.objects.exists()

    def test_a_given_database_is_empty_again_and_ready_for_the_next(
        self,
        backup,  # noqa: F811
        empty_database,
    ):
        """It kept the whole study, names and addresses, and would do no second time."""
        for _week in range(2):
            assert "tables hold what went in" in verified(backup, scratch=empty_database)
            assert names_in(empty_database) == []

    def test_so_it_is_after_a_failure(self, backup, empty_database):  # noqa: F811
        def change(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
            manifest["tables"]["annotation_gone"] = [3, "1"]

        with pytest.raises(CommandError, match="in 1 of"):
            verified(rewritten(backup, change), scratch=empty_database)
        assert names_in(empty_database) == []

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_so_it_is_after_an_interruption(
        self,
        backup,  # noqa: F811
        empty_database,
        monkeypatch,
        request,
        number,
    ):
        # What was started in the background ignores it.
        former = signal.signal(signal.SIGINT, signal.default_int_handler)
        request.addfinalizer(lambda: signal.signal(signal.SIGINT, former))
        real = rehearsal.subprocess.Popen.communicate
        restoring: list[int] = []

        def interrupted(process: Any, *told: Any) -> Any:
            begun = Path(process.args[-1]).parent / "rehearsal" / rehearsal._BEGUN
            if restoring:
                return real(process, *told)
            restoring.append(process.pid)
            process.stdin.write(*told)
            process.stdin.close()
            assert until(lambda: begun.exists() and names_in(empty_database) != [])
            os.kill(os.getpid(), number)
            return time.sleep(60)

        monkeypatch.setattr(rehearsal.subprocess.Popen, "communicate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            verified(backup, scratch=empty_database)
        monkeypatch.undo()
        assert names_in(empty_database) == []
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert left() == []

    def test_what_somebody_else_keeps_there_is_left_alone(
        self,
        backup,  # noqa: F811
        empty_database,
    ):
        """A database without our people is not an empty one."""
        execute(empty_database, "CREATE TABLE somebody_elses (id integer)")
        with pytest.raises(CommandError, match="is not empty"):
            verified(backup, scratch=empty_database)
        assert names_in(empty_database) == ["somebody_elses"]

    def test_one_that_cannot_be_emptied_is_said(self, backup, empty_database, monkeypatch):  # noqa: F811
        real = rehearsal._process

        def fail(work: str, *arguments: str, **options: Any) -> tuple[int, str, str]:
            return real(work, *arguments, **options) if work == "main" else (1, "", "gone away.")

        monkeypatch.setattr(rehearsal, "_process", fail)
        with pytest.raises(CommandError, match=r"could not be emptied again .* gone away"):
            verified(backup, scratch=empty_database)

    def test_a_full_disk(self, backup, monkeypatch):  # noqa: F811
        def full(*_: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(rehearsal, "unpack", full)
        with pytest.raises(CommandError, match="The disk is full: the backup was not verified"):
            verified(backup)

    def test_its_process_knows_no_other_address(self, backup, monkeypatch):  # noqa: F811
        given: dict[str, Any] = {}
        real = rehearsal.subprocess.Popen

        def start(*arguments: Any, **options: Any) -> Any:
            given.update(options["env"])
            return real(*arguments, **options)

        monkeypatch.setenv("BAREME_EMAIL_HOST", "mail.example.org")
        monkeypatch.setenv("DATABASE_URL_FILE", "/run/secrets/real")
        monkeypatch.setattr(rehearsal.subprocess, "Popen", start)
        verified(backup)
        assert set(given) - set(os.environ) <= {
            "DJANGO_SETTINGS_MODULE",
            "BAREME_DATA_DIR",
            "BAREME_PROTOCOLS",
            "DATABASE_URL",
        }
        assert not {"BAREME_EMAIL_HOST", "DATABASE_URL_FILE", "REDIS_URL"} & set(given)
        assert ".backup-" in given["BAREME_DATA_DIR"]


@pytest.mark.postgres
class TestPostgresql:
    def test_who_may_make_no_database_is_told_of_scratch(self, backup):  # noqa: F811
        with connection.cursor() as cursor:
            cursor.execute("DROP ROLE IF EXISTS bareme_small")
            cursor.execute("CREATE ROLE bareme_small")
            cursor.execute("SET ROLE bareme_small")
            try:
                with (
                    pytest.raises(BackupError, match="--scratch postgres://"),
                    rehearsal._scratch_postgresql(),
                ):
                    pass
            finally:
                cursor.execute("RESET ROLE")
                cursor.execute("DROP ROLE bareme_small")

    def test_rows_that_come_while_it_is_made_are_in_neither(self, filled, tmp_path, monkeypatch):  # noqa: F811
        """Contents and dump are of one moment."""
        real = contents.of_postgresql

        def slow(cursor: Any) -> Any:
            counts = real(cursor)
            late = connection.copy()
            with late.cursor() as other:
                other.execute(
                    "INSERT INTO django_content_type (app_label, model) VALUES ('x', 'y')"
                )
            late.close()
            return counts

        monkeypatch.setattr(database.contents, "of_postgresql", slow)
        call_command("backup", output=str(tmp_path / "b.zip"), stdout=io.StringIO())
        monkeypatch.undo()
        assert "tables hold what went in" in verified(tmp_path / "b.zip")
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_content_type WHERE app_label = 'x'")


@pytest.mark.postgres
def test_what_an_extension_brought_into_a_given_database_is_no_content(
    backup,  # noqa: F811
    empty_database,
):
    """Managed servers put ``pg_stat_statements`` and its views into every new one."""
    execute(empty_database, "CREATE VIEW statements AS SELECT 1 AS calls")
    execute(empty_database, "ALTER EXTENSION plpgsql ADD VIEW statements")
    assert "tables hold what went in" in verified(backup, scratch=empty_database)
    assert execute(empty_database, "SELECT calls FROM statements") == ["1"]


@pytest.mark.postgres
def test_a_move_from_sqlite_to_postgresql_is_no_change(
    filled,  # noqa: F811
    elsewhere,  # noqa: F811
    empty_database,
    tmp_path_factory,
):
    """It was one of each row that holds JSON: the keys came back in another order."""
    folder, first = tmp_path_factory.mktemp("moves"), elsewhere("sqlite")
    call_command("backup", output=str(folder / "a.zip"), portable=True, stdout=io.StringIO())
    first("manage.py", "restore", str(folder / "a.zip"))
    details = {"zones": 1e16, "a": -0.0, "of": [0.1, "é", {"late": 1, "at": None}]}
    first(
        "-c",
        "import django; django.setup(); from annotation.services.platform.events import "
        f"event_record; event_record(actor=None, verb='backup_made', **{details!r})",
    )
    first("manage.py", "backup", "--portable", "--output", str(folder / "move.zip"))
    assert "tables hold what went in" in verified(folder / "move.zip", scratch=empty_database)


def test_a_backup_of_postgresql_without_a_server(monkeypatch):
    monkeypatch.setattr(rehearsal, "connection", type("Away", (), {"vendor": "sqlite"}))
    with pytest.raises(BackupError, match="--scratch postgres://"), rehearsal._scratch_postgresql():
        pass


def test_the_digest_sees_a_changed_row_and_not_their_order(tmp_path):
    first, second, third = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    first.write_text('{"model": "x", "pk": 1}\n{"model": "x", "pk": 2}\n')
    second.write_text('{"model": "x", "pk": 2}\n{"model": "x", "pk": 1}\n')
    third.write_text('{"model": "x", "pk": 2}\n{"model": "x", "pk": 3}\n')
    assert contents.of_lines(first) == contents.of_lines(second)
    assert contents.of_lines(first) != contents.of_lines(third)


def test_the_digest_of_a_line_is_of_what_it_says(tmp_path):
    """PostgreSQL keeps JSON by its value: keys in an order of its own, whole numbers as such."""
    as_sent, as_kept, other = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    row = '{{"model": "x", "pk": 1, "fields": {{"details": {}}}}}\n'
    as_sent.write_text(row.format('{"zones": [1e+16, 0.5], "a": -0.0, "of": "é"}'))
    as_kept.write_text(row.format('{"a": 0.0, "of": "\\u00e9", "zones": [10000000000000000, 0.5]}'))
    other.write_text(row.format('{"a": 0.0, "of": "é", "zones": [0.5, 10000000000000000]}'))
    assert contents.of_lines(as_sent) == contents.of_lines(as_kept)
    assert contents.of_lines(as_sent) != contents.of_lines(other)


def test_each_change_of_a_row_is_seen_in_the_database(tmp_path):
    user = make_user("lead")
    kind = database.best_kind()
    before = database.contents_now(kind, tmp_path)
    assert database.contents_now(kind, tmp_path) == before
    User.objects.filter(pk=user.pk).update(name="Other")
    after = database.contents_now(kind, tmp_path)
    assert [name for name in before if before[name] != after[name]] == [User._meta.db_table]
