"""How connections come to web processes and to their threads."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import psutil
import pytest

from annotation.config import gunicorn
from tests.processes import PATIENCE, free_port, until

PROCESSES, THREADS = 2, 2
# Many, so that it is no chance how they are spread, and long, so that nobody who waits for it
# passes for quick.
IDLE, KEEP_ALIVE = 48, 2 * PATIENCE


def connections_of(processes: list[psutil.Process], port: int) -> list[int]:
    """How many connections each process has taken."""
    return [
        sum(
            found.status == psutil.CONN_ESTABLISHED and found.laddr.port == port
            for found in process.net_connections()
        )
        for process in processes
    ]


def answered(port: int, *, seconds: float) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.fixture
def served() -> Iterator[tuple[int, list[psutil.Process]]]:
    """A small application under Gunicorn with our worker: its port and its web processes."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "--bind",
        f"127.0.0.1:{port}",
        "--worker-class",
        gunicorn.worker_class,
    ]
    numbers = [
        "--workers",
        str(PROCESSES),
        "--threads",
        str(THREADS),
        "--keep-alive",
        str(int(KEEP_ALIVE)),
    ]
    others = ["--no-control-socket", "--log-level", "warning"]
    server = subprocess.Popen([*command, *numbers, *others, "wsgiref.simple_server:demo_app"])
    try:
        assert until(lambda: answered(port, seconds=PATIENCE))
        assert until(lambda: len(psutil.Process(server.pid).children()) == PROCESSES)
        processes = psutil.Process(server.pid).children()
        with ExitStack() as opened:

            def all_accept() -> bool:
                opened.enter_context(socket.create_connection(("127.0.0.1", port)))
                return all(connections_of(processes, port))

            assert until(all_accept), "a process that has only just begun takes nothing yet"
        assert until(lambda: not any(connections_of(processes, port)))
        yield port, processes
    finally:
        server.terminate()
        # Sooner than idle connections end by themselves.
        assert server.wait(PATIENCE) == 0


@pytest.mark.once
def test_connections_are_spread_and_idle_ones_keep_nobody_waiting(served):
    port, processes = served
    with ExitStack() as opened:
        for _ in range(IDLE):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        assert until(lambda: sum(connections_of(processes, port)) == IDLE)
        assert min(connections_of(processes, port)) >= IDLE // 6
        # Gunicorn by itself would let each of them keep a thread for five seconds: a minute for
        # all.
        for _ in range(2):
            assert answered(port, seconds=IDLE / (PROCESSES * THREADS) * 5 / 2)
        assert sum(connections_of(processes, port)) == IDLE


@pytest.mark.once
def test_a_stop_does_not_wait_for_idle_connections(served):
    port, processes = served
    with socket.create_connection(("127.0.0.1", port)):
        assert until(lambda: sum(connections_of(processes, port)) == 1)
        for process in processes:
            process.terminate()
        assert not psutil.wait_procs(processes, timeout=PATIENCE)[1]


@pytest.mark.once
def test_a_connection_is_used_again_and_again(served):
    port, _processes = served
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    bodies = []
    for number in range(5):
        connection.request("GET", f"/{number}")
        bodies.append(connection.getresponse().read().decode())
    connection.close()
    assert [f"PATH_INFO = '/{number}'" in body for number, body in enumerate(bodies)] == [True] * 5
    assert len({body.split("REMOTE_PORT = ")[1].splitlines()[0] for body in bodies}) == 1
