"""`manage.py serve`, as a person starts and stops it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest

from tests.processes import free_port

pytestmark = [pytest.mark.slow, pytest.mark.redis, pytest.mark.once, pytest.mark.xdist_group("serve")]

READY = "Barème is ready"
PARTS = {"bareme-web", "bareme-worker", "bareme-llm", "bareme-training", "redis-server"}


class Served:
    """One running `serve --demo`, and what it said."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BAREME_")}
        environment |= {
            "BAREME_DATA_DIR": str(folder),
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "PYTHONUNBUFFERED": "1",
        }
        command = [sys.executable, "manage.py", "serve", "--port", str(self.port), "--workers", "1", *options]
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as lines:
            self.said.extend(lines)

    def until(self, text: str, seconds: float = 60.0) -> None:
        limit = time.monotonic() + seconds
        while not any(text in line for line in self.said):
            assert time.monotonic() < limit, self.said
            assert self.process.poll() is None, self.said
            time.sleep(0.05)

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def started(self) -> list[psutil.Process]:
        """Every process. The page answers first; the workers follow."""
        limit = time.monotonic() + 30
        while not {child.name() for child in self.children()} >= PARTS:
            assert time.monotonic() < limit, self.said
            time.sleep(0.05)
        return self.children()

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        code = self.process.wait(20)
        self._reader.join(5)
        return code

    def status(self) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=10) as answer:
            return int(answer.status)


def gone(processes: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(processes, timeout=5)[1]


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="bareme-") as name:
        yield Path(name)


@contextmanager
def running(folder: Path) -> Iterator[Served]:
    served = Served(folder, "--demo")
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.process.kill()
            served.process.wait()


# Not by module: the tests of other modules that run in between would end it.
@pytest.fixture(scope="session")
def installed() -> Iterator[Path]:
    """A data folder after a first start: what follows need not make database and demonstration again."""
    with tempfile.TemporaryDirectory(prefix="bareme-") as name:
        first = Served(Path(name), "--demo")
        first.until(READY)
        assert first.end() == 0
        yield Path(name)


@pytest.fixture
def served(folder: Path, installed: Path) -> Iterator[Served]:
    shutil.copytree(installed, folder, dirs_exist_ok=True)
    with running(folder) as served:
        yield served


@pytest.fixture
def served_first(folder: Path) -> Iterator[Served]:
    with running(folder) as served:
        yield served


def test_it_serves_and_stops_cleanly_and_starts_again(served_first: Served, folder: Path) -> None:
    served = served_first
    served.until(READY)
    assert served.status() == 200
    children = served.started()
    begun = time.monotonic()
    assert served.end() == 0, served.said
    assert time.monotonic() - begun < 10
    assert gone(children)
    assert not (folder / "redis" / "redis.sock").exists()

    again = Served(folder, "--demo")
    again.until(READY)
    assert again.status() == 200
    children = again.started()
    assert again.end(signal.SIGTERM) == 0, again.said
    assert gone(children)


def test_what_dies_is_started_again(served: Served) -> None:
    served.until(READY)
    names = {"bareme-web", "bareme-worker", "redis-server"}
    while not names <= {child.name() for child in served.children()}:
        time.sleep(0.05)
    before = {child.name(): child for child in reversed(served.children())}
    for name in names:
        before[name].kill()
    served.until("The web process ended with code -9")
    served.until("The worker process ended with code -9")
    limit = time.monotonic() + 30
    while not names <= {child.name() for child in served.children()}:
        assert time.monotonic() < limit
        time.sleep(0.1)
    while True:
        try:
            assert served.status() == 200
            break
        except OSError:
            assert time.monotonic() < limit
            time.sleep(0.1)
    children = served.children()
    assert served.end() == 0
    assert gone(children)


def test_it_sweeps(served: Served, folder: Path) -> None:
    """Without Celery's beat: its worker keeps the clock."""
    (database,) = folder.glob("*.sqlite3")
    old = "INSERT INTO annotation_idempotencyrecord (user_id, key_digest, request_digest, status, created_at) "
    with closing(sqlite3.connect(database, timeout=20)) as connection:
        connection.execute(old + "SELECT id, 'k', 'r', 200, '2020-01-01 00:00:00' FROM annotation_user LIMIT 1")
        connection.commit()
        served.until(READY)
        limit = time.monotonic() + 30
        while connection.execute("SELECT count(*) FROM annotation_idempotencyrecord").fetchone() != (0,):
            assert time.monotonic() < limit, served.said
            time.sleep(0.1)
    assert served.end() == 0, served.said


def test_a_kill_leaves_nothing_behind_and_harms_nothing(served: Served, folder: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux ends children with their parent")
    served.until(READY)
    children = served.started()
    served.end(signal.SIGKILL)
    assert gone(children)
    again = Served(folder, "--demo")
    again.until(READY)
    assert again.end() == 0
    assert not (folder / "redis" / "redis.sock").exists()


def test_a_second_one_on_the_same_folder_is_told_so(served: Served, folder: Path) -> None:
    served.until(READY)
    second = Served(folder, "--demo")
    assert second.process.wait(30) == 1
    second._reader.join(5)
    assert "is running" in "".join(second.said)
    assert served.status() == 200
    assert served.end() == 0


def test_a_used_port_is_named(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "manage.py", "serve", "--demo", "--port", str(port)]
        environment = os.environ | {"BAREME_DATA_DIR": str(folder)}
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "--port" in done.stderr
