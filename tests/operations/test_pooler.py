"""Behind a real PgBouncer that gives each transaction another connection: pages, judgments and what
is read row by row, by more threads than it has connections."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client

from annotation.models import Assignment, Judgment
from annotation.pooling import server_itself
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study
from tests.processes import free_port, until
from tests.web.judging.test_judging import body

PAIRS = 12
PEOPLE = 8
CONNECTIONS = 2

pytestmark = [pytest.mark.postgres, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def pgbouncer() -> str | None:
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


@contextmanager
def pooling(folder: Path, mode: str = "transaction") -> Iterator[int]:
    """A PgBouncer before this run's server; its port."""
    program = pgbouncer()
    if not program and os.environ.get("BAREME_REQUIRE_POOLER") == "1":
        pytest.fail("BAREME_REQUIRE_POOLER=1, but there is no PgBouncer: install it")
    if not program:
        pytest.skip("no PgBouncer on this machine")
    with server_itself():
        own = connection.get_connection_params()
    server = {name: own[name] for name in ("host", "port", "user", "password") if own.get(name)}
    server |= {"client_encoding": "UTF8"}
    port, settings = free_port(), folder / "pgbouncer.ini"
    settings.write_text(
        "[databases]\n"
        f"* = {' '.join(f'{name}={value}' for name, value in server.items())}\n"
        "[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\npool_mode = {mode}\ndefault_pool_size = {CONNECTIONS}\n"
        "ignore_startup_parameters = extra_float_digits,options\n",
        encoding="utf-8",
    )
    command = [program, "--quiet", str(settings)]
    if os.getuid() == 0:
        # It refuses to be root, and reads its settings before it becomes somebody else.
        command[1:1] = ["--user", owner_of(str(server.get("host", "")))]
    running = subprocess.Popen(command)
    try:
        assert until(lambda: answers(port))
        yield port
    finally:
        running.terminate()
        running.wait(20)


@pytest.fixture
def pooler(tmp_path: Path) -> Iterator[int]:
    with pooling(tmp_path) as port:
        yield port


def owner_of(folder: str) -> str:
    """Who may open the server's socket; for one that is reached by the network, anybody."""
    if folder.startswith("/") and Path(folder).owner() != "root":
        return Path(folder).owner()
    return "nobody"


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


@pytest.fixture
def pooled(pooler: int, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[None]:
    """As ``BAREME_PREPARED_STATEMENTS=0`` sets it."""
    settings.BAREME_PREPARED_STATEMENTS = False
    own = connections.settings["default"]
    behind = {"HOST": "127.0.0.1", "PORT": str(pooler), "OPTIONS": {}}
    for name, value in (behind | {"DISABLE_SERVER_SIDE_CURSORS": True}).items():
        monkeypatch.setitem(own, name, value)
    connection.close()
    yield
    connection.close()


def test_a_round_is_judged_and_read_behind_it(pooled: None) -> None:
    study = make_study("essai", state="main")
    for _ in range(PAIRS):
        make_pair(study)
    people = [make_annotator(study) for _ in range(PEOPLE)]
    assignments_fill(actor=None, study=study)

    def judge(annotator: Any) -> list[int]:
        try:
            client = Client()
            client.force_login(annotator.user)
            statuses = []
            for position in range(1, PAIRS + 1):
                place = f"/annotate/essai/{position}/"
                statuses.append(client.get(place).status_code)
                response = client.post(f"{place}submit/", body(), content_type="application/json")
                statuses.append(response.status_code)
                # Row by row, outside a transaction: a cursor of the server's own would be gone.
                read = Assignment.objects.filter(annotator=annotator).iterator(chunk_size=2)
                assert len(list(read)) == PAIRS
            return statuses
        finally:
            connections.close_all()

    with ThreadPoolExecutor(PEOPLE) as threads:
        answered = [status for statuses in threads.map(judge, people) for status in statuses]
    assert set(answered) == {200}
    assert Judgment.objects.count() == PAIRS * PEOPLE
