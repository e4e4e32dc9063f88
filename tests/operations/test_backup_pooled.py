"""Backups behind a real PgBouncer: nothing of theirs stays in connections that others get next, and
what cannot go through it is refused before anything is touched."""

from __future__ import annotations

import io
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg2  # type: ignore[import-untyped]
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from annotation import checks, pooling
from annotation.backup import database
from annotation.models import Event, Judgment, Study
from tests.factories import make_study
from tests.operations import test_pooler as real
from tests.operations.test_backup import filled  # noqa: F401  (a fixture)
from tests.operations.test_backup_scheduled import carried_out, folder  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.postgres, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
_ADDRESS = ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")

Behind = Callable[[int], None]


@pytest.fixture
def direct() -> dict[str, Any]:
    """The server's own address."""
    if not shutil.which("pg_restore"):
        pytest.skip("PostgreSQL's client programs are not here")
    return {name: connections.settings["default"][name] for name in _ADDRESS}


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Behind]:
    """From now on this process is behind the pooler at a port, as ``BAREME_PREPARED_STATEMENTS=0``
    sets it."""

    def go(port: int) -> None:
        settings.BAREME_PREPARED_STATEMENTS = False
        own = connections.settings["default"]
        place = {"HOST": "127.0.0.1", "PORT": str(port), "OPTIONS": {}}
        for name, value in (place | {"DISABLE_SERVER_SIDE_CURSORS": True}).items():
            monkeypatch.setitem(own, name, value)
        connection.close()

    yield go
    connection.close()


@contextmanager
def lent(port: int, number: int) -> Iterator[list[Any]]:
    """As many of the pooler's connections, each by another client in a transaction."""
    own = connections.settings["default"]
    clients = [
        psycopg2.connect(
            host="127.0.0.1",
            port=port,
            user=own["USER"],
            password=own["PASSWORD"],
            dbname=connection.settings_dict["NAME"],
        )
        for _ in range(number)
    ]
    try:
        yield clients
    finally:
        for client in clients:
            client.close()


def search_paths(port: int) -> set[str]:
    """Of all connections that the pooler holds."""
    paths = set()
    with lent(port, real.CONNECTIONS) as clients:
        for client in clients:
            cursor = client.cursor()
            cursor.execute("SHOW search_path")
            paths.add(cursor.fetchone()[0])
    return paths


def backed_up(path: Path) -> str:
    output = io.StringIO()
    call_command("backup", output=str(path), stdout=output)
    return output.getvalue()


class TestWithoutTheServersAddress:
    @pytest.fixture(autouse=True)
    def pooled(self, direct: dict[str, Any], behind: Behind, tmp_path: Path) -> Iterator[None]:
        with real.pooling(tmp_path) as self.port:
            behind(self.port)
            yield

    def test_a_backup_is_refused_and_the_pool_is_as_it_was(self, filled, tmp_path):  # noqa: F811
        before = search_paths(self.port)
        with pytest.raises(CommandError, match="BAREME_DATABASE_DIRECT_URL"):
            backed_up(tmp_path / "one.zip")
        assert search_paths(self.port) == before
        assert not (tmp_path / "one.zip").exists()

    def test_one_that_is_due_by_itself_fails_and_says_why(self, folder):  # noqa: F811
        before = search_paths(self.port)
        run = carried_out()
        assert (run.state, run.problem) == ("failed", "refused")
        assert "BAREME_DATABASE_DIRECT_URL" in run.detail
        assert search_paths(self.port) == before

    def test_a_portable_one_goes_through_it(self, filled, tmp_path):  # noqa: F811
        before = search_paths(self.port)
        call_command("backup", output=str(tmp_path / "x.zip"), portable=True, stdout=io.StringIO())
        assert search_paths(self.port) == before

    def test_it_is_seen_where_nobody_said_that_there_is_one(self):
        connections.settings["default"]["DISABLE_SERVER_SIDE_CURSORS"] = False
        assert pooling.is_lent()

    def test_it_is_said_before_a_start(self):
        [message] = checks.backups()
        assert message.id == "bareme.W004"


def test_a_restore_without_the_servers_address_touches_nothing(
    filled,  # noqa: F811
    direct,
    behind,
    tmp_path,
):
    backed_up(tmp_path / "one.zip")
    with real.pooling(tmp_path) as port:
        behind(port)
        make_study("since")
        for command in ("restore", "verify_backup"):
            options = {"replace": True} if command == "restore" else {}
            with pytest.raises(CommandError, match="BAREME_DATABASE_DIRECT_URL"):
                call_command(command, str(tmp_path / "one.zip"), **options)
        assert Study.objects.filter(key="since").exists()
        assert Judgment.objects.count() == filled
        with pytest.raises(CommandError, match="behind a pooler"):
            call_command(
                "verify_backup",
                str(tmp_path / "one.zip"),
                scratch=f"postgres://{direct['USER']}@127.0.0.1:{port}/"
                f"{connection.settings_dict['NAME']}",
            )


def test_with_the_servers_address_everything_goes_there(
    filled,  # noqa: F811
    direct,
    behind,
    settings,
    tmp_path,
):
    """Others go on working through the pooler meanwhile, and before a restore it is stopped."""
    settings.DATABASE_DIRECT = direct
    path = tmp_path / "one.zip"
    with real.pooling(tmp_path) as port:
        behind(port)
        before = search_paths(port)
        with others_reading(port) as failures:
            for _ in range(3):
                assert "database (postgresql)" in backed_up(path)
        assert failures == []
        assert search_paths(port) == before
        assert not checks.backups()
        assert not checks.database_direct(databases=["default"])
        output = io.StringIO()
        call_command("verify_backup", str(path), stdout=output)
        assert "can be restored" in output.getvalue()
        assert connection.settings_dict["PORT"] == str(port), "afterwards as before"
        make_study("since")
        with pytest.raises(CommandError, match=r"in use by .*PgBouncer.*PAUSE"):
            call_command("restore", str(path), replace=True)
        assert Study.objects.filter(key="since").exists()
        connection.close()
    wait_until_let_go()
    call_command("restore", str(path), replace=True, stdout=io.StringIO())
    with real.pooling(tmp_path) as port:
        behind(port)
        assert Judgment.objects.count() == filled
        assert Event.objects.filter(verb="backup_restored").exists()
        assert not Study.objects.filter(key="since").exists()
        assert search_paths(port) == before


def wait_until_let_go() -> None:
    """The server notices a moment later that the pooler has ended; on a busy machine later than a
    restore waits."""
    until = time.monotonic() + 60
    with pooling.server_itself():
        while others := database.others_connected():
            assert time.monotonic() < until, others


@contextmanager
def others_reading(port: int) -> Iterator[list[str]]:
    """Other clients of the pooler, at work; what failed for them."""
    failures: list[str] = []
    done = threading.Event()

    def read(client: Any) -> None:
        client.autocommit = True
        with closing(client.cursor()) as cursor:
            while not done.is_set():
                try:
                    cursor.execute("SELECT count(*) FROM annotation_user")
                except psycopg2.Error as error:
                    failures.append(str(error))

    with lent(port, 2 * real.CONNECTIONS) as clients:
        threads = [threading.Thread(target=read, args=[client]) for client in clients]
        for thread in threads:
            thread.start()
        try:
            yield failures
        finally:
            done.set()
            for thread in threads:
                thread.join()


def test_a_pooler_that_keeps_connections_for_whoever_is_connected_does_no_harm(
    filled,  # noqa: F811
    direct,
    behind,
    tmp_path,
):
    with real.pooling(tmp_path, "session") as port:
        behind(port)
        connections.settings["default"]["DISABLE_SERVER_SIDE_CURSORS"] = False
        assert not pooling.is_lent()


def test_the_address_of_another_database_is_refused(direct, settings):
    settings.DATABASE_DIRECT = direct | {"NAME": "postgres"}
    [message] = checks.database_direct(databases=["default"])
    assert message.id == "bareme.E014"
    assert checks.database_direct() == []


def test_nothing_is_done_at_the_address_of_another_database(
    filled,  # noqa: F811
    direct,
    settings,
    tmp_path,
):
    path = tmp_path / "one.zip"
    backed_up(path)
    settings.DATABASE_DIRECT = direct | {"NAME": "postgres"}
    for name, arguments in (
        ("migrate", {}),
        ("backup", {"output": str(tmp_path / "two.zip")}),
        ("restore", {"file": str(path), "replace": True}),
    ):
        with pytest.raises(CommandError, match="leads to another database"):
            call_command(name, *filter(None, [arguments.pop("file", "")]), **arguments)
    assert not (tmp_path / "two.zip").exists()
    assert Judgment.objects.count() == filled
