"""`manage.py serve`, as a person starts and stops it."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from kombu import Connection
from redis import Redis

from annotation.selectors.platform.broker import STANDBY_KEY
from annotation.services.accounts.tokens import secret_digest
from tests.processes import PATIENCE, free_port, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.redis,
    pytest.mark.once,
]

READY = "Barème is ready"
PARTS = {"bareme-web", "bareme-worker", "redis-server"}
# They start with the first message of their queue.
ON_DEMAND = {
    "llm": "bareme-llm",
    "training": "bareme-training",
    "modelling": "bareme-models",
}


class Served:
    """One running `serve --demo`, and what it said."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("BAREME_")
        }
        environment |= {
            "BAREME_DATA_DIR": str(folder),
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "PYTHONUNBUFFERED": "1",
        }
        command = [
            sys.executable,
            "manage.py",
            "serve",
            "--port",
            str(self.port),
            "--workers",
            "1",
            *options,
        ]
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

    def until(self, text: str) -> None:
        def was_said() -> bool:
            return any(text in line for line in self.said)

        assert until(lambda: was_said() or self.process.poll() is not None), self.said
        assert was_said(), self.said

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def started(self) -> list[psutil.Process]:
        """Every process. The page answers first; the workers follow."""
        assert until(lambda: self.runs(PARTS)), self.said
        return self.children()

    def runs(self, names: set[str]) -> bool:
        running_names = set()
        for child in self.children():
            with suppress(psutil.NoSuchProcess):
                running_names.add(child.name())
        return running_names >= names

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def get(self, path: str, **headers: str) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def status(self) -> int:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self.port}/healthz", timeout=PATIENCE
        ) as answer:
            return int(answer.status)


def gone(processes: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(processes, timeout=PATIENCE)[1]


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
def installed(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A data folder after a first start, which serves and stops cleanly: what follows need not make
    database and demonstration again. Made by whichever test process comes first, for all of
    them."""
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent
    kept = shared / "installed"
    with (shared / "installed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            # Not under the long name of the other: the path of a socket has a hundred letters.
            with tempfile.TemporaryDirectory(prefix="bareme-") as name:
                started_first(Path(name))
                shutil.copytree(name, shared / "whole")
            (shared / "whole").rename(kept)
    return kept


def started_first(folder: Path) -> None:
    first = Served(folder, "--demo")
    first.until(READY)
    assert first.status() == 200
    # Static files were gathered a moment ago, and are handed out.
    sheet = re.search(r'href="(/static/[^"]+[.]css)"', first.get("/account/login/"))
    assert sheet
    assert first.get(sheet[1])
    children = first.started()
    assert first.end() == 0, first.said
    assert gone(children)
    assert not (folder / "redis" / "redis.sock").exists()


@pytest.fixture
def served(folder: Path, installed: Path) -> Iterator[Served]:
    shutil.copytree(installed, folder, dirs_exist_ok=True)
    with running(folder) as served:
        yield served


def test_it_serves_and_stops_cleanly_and_starts_again(served: Served) -> None:
    """The first time is ``installed``'s; this is the second."""
    served.until(READY)
    assert served.status() == 200
    children = served.started()
    assert served.end(signal.SIGTERM) == 0, served.said
    assert gone(children)


def test_a_link_of_a_command_beside_it_leads_to_where_it_is_served(
    served: Served, folder: Path
) -> None:
    """Elsewhere than on port 8000, too."""
    served.until(READY)
    command = [sys.executable, "manage.py", "invite", "someone@demo.example", "--study", "demo"]
    environment = os.environ | {
        "BAREME_DATA_DIR": str(folder),
        "BAREME_DEMO": "1",
        "BAREME_PUBLIC_URL": "",
        "DATABASE_URL": "",
        "REDIS_URL": "",
    }
    invited = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True, timeout=PATIENCE
    )
    assert f"\nhttp://127.0.0.1:{served.port}/" in invited.stdout
    assert served.end() == 0, served.said


def test_what_dies_is_started_again(served: Served) -> None:
    served.until(READY)
    names = {"bareme-web", "bareme-worker", "redis-server"}
    assert until(lambda: served.runs(names)), served.said
    before = {child.name(): child for child in reversed(served.children())}
    for name in names:
        before[name].kill()
    served.until("The web process ended with code -9")
    served.until("The worker process ended with code -9")
    assert until(lambda: served.runs(names)), served.said

    def answers() -> bool:
        with suppress(OSError):
            return served.status() == 200
        return False

    assert until(answers), served.said
    children = served.children()
    assert served.end() == 0
    assert gone(children)


def test_workers_of_models_start_with_the_first_message(served: Served, folder: Path) -> None:
    """Each by itself, and what was sent is taken."""
    served.until(READY)
    served.started()
    socket_path = folder / "redis" / "redis.sock"

    def send(queue: str) -> None:
        """What no worker knows: it says so and drops it."""
        with Connection(f"redis+socket://{socket_path}") as broker, broker.SimpleQueue(queue) as to:
            to.put({})

    with Redis(unix_socket_path=str(socket_path)) as client:
        keys = [STANDBY_KEY + queue for queue in ON_DEMAND]
        assert until(lambda: client.mget(keys) == [b"1"] * len(keys))
        started: set[str] = set()
        for queue, name in ON_DEMAND.items():
            assert not served.runs({name})
            send(queue)
            started.add(name)
            assert until(lambda: served.runs(started)), served.said
            assert until(lambda queue=queue: not client.llen(queue)), served.said
    children = served.children()
    assert served.end() == 0, served.said
    assert gone(children)


def test_web_processes_count_requests_together(served: Served, folder: Path) -> None:
    """In the private Redis, which the settings do not name: each for itself would let everybody
    ask that many times as much."""
    served.until(READY)
    (database,) = folder.glob("*.sqlite3")
    made = (
        "INSERT INTO annotation_apitoken "
        "(user_id, name, prefix, digest, scopes, created_at, expires_at) "
        "SELECT id, 't', '', ?, '[\"read\"]', '2020-01-01', '2999-01-01' "
        "FROM annotation_user LIMIT 1"
    )
    with closing(sqlite3.connect(database, timeout=PATIENCE)) as connection:
        connection.execute(made, [secret_digest("bareme_counted")])
        connection.commit()
    assert served.get("/api/v1/me/", authorization="Bearer bareme_counted")
    with Redis(unix_socket_path=str(folder / "redis" / "redis.sock")) as client:
        assert [int(client.get(key)) for key in client.keys("bareme-cache:*:throttle:*")] == [1]
    assert served.end() == 0, served.said


def test_it_sweeps(served: Served, folder: Path) -> None:
    """Without Celery's beat: its worker keeps the clock."""
    (database,) = folder.glob("*.sqlite3")
    old = (
        "INSERT INTO annotation_idempotencyrecord (user_id, key_digest, request_digest, status, "
        "created_at) "
    )
    with closing(sqlite3.connect(database, timeout=PATIENCE)) as connection:
        connection.execute(
            old + "SELECT id, 'k', 'r', 200, '2020-01-01 00:00:00' FROM annotation_user LIMIT 1"
        )
        connection.commit()
        served.until(READY)
        left = "SELECT count(*) FROM annotation_idempotencyrecord"
        assert until(lambda: connection.execute(left).fetchone() == (0,)), served.said
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
    assert second.process.wait(PATIENCE) == 1
    second._reader.join(PATIENCE)
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
        done = subprocess.run(
            command, env=environment, check=False, capture_output=True, text=True, timeout=PATIENCE
        )
    assert done.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "--port" in done.stderr
