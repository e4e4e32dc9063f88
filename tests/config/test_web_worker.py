"""How connections come to web processes and to their threads."""

from __future__ import annotations

import hashlib
import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

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
            connection.status == psutil.CONN_ESTABLISHED and connection.laddr.port == port
            for connection in process.net_connections()
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


@contextmanager
def serving(
    application: str, worker: str = gunicorn.worker_class
) -> Iterator[tuple[int, list[psutil.Process]]]:
    """An application under Gunicorn with our worker: its port and its web processes."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "--bind",
        f"127.0.0.1:{port}",
        "--worker-class",
        worker,
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
    server = subprocess.Popen([*command, *numbers, *others, application])
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


@pytest.fixture
def served() -> Iterator[tuple[int, list[psutil.Process]]]:
    """A small application."""
    with serving("wsgiref.simple_server:demo_app") as at:
        yield at


@pytest.fixture(scope="module")
def reading() -> Iterator[int]:
    """One that reads what it is sent; its port."""
    with serving("tests.reading_bodies:application") as (port, _processes):
        yield port


@pytest.fixture(scope="module")
def hasty() -> Iterator[int]:
    """The same, of a worker that waits two seconds for a request; its port."""
    worker = "tests.reading_bodies.HastyWorker"
    with serving("tests.reading_bodies:application", worker) as (port, _processes):
        yield port


def sending(port: int, *pieces: bytes) -> socket.socket:
    """A connection over which these were sent, each on its own."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for piece in pieces:
        connection.sendall(piece)
        time.sleep(0.05)
    return connection


def digests(connection: socket.socket, number: int) -> list[str]:
    """What so many answers say."""
    stream = connection.makefile("rb")
    said = []
    for _ in range(number):
        assert stream.readline() == b"HTTP/1.1 200 OK\r\n"
        fields = http.client.parse_headers(stream)
        said.append(stream.read(int(fields["content-length"])).decode("ascii"))
    return said


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


HOST = b"Host: x\r\n"
GET = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"


def post(body: bytes, *fields: bytes) -> bytes:
    head = [b"POST / HTTP/1.1", b"Host: x", *fields, b"Content-Length: %d" % len(body)]
    return b"\r\n".join([*head, b"", body])


SHORT, LONG = b"a" * 1_000, b"b" * 1_000_000
CHUNKED = b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
HALVES = {
    "head": GET[:20],
    "short body": post(SHORT)[:-500],
    "long body": post(LONG)[:-500_000],
    "chunks": CHUNKED + b"5\r\nab",
}


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


@pytest.mark.once
@pytest.mark.parametrize("announced", ["keep-alive", "close"])
def test_a_long_body_that_nobody_read_costs_no_answer(served, announced):
    """After more than 64 kB the connection was broken off, though its answer said that it stays;
    whoever was still sending saw no answer at all."""
    port, _processes = served
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("POST", "/", body=b"c" * 5_000_000, headers={"Connection": announced})
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Connection"]) == (200, announced)
    answer.read()
    if announced == "keep-alive":
        connection.auto_open = 0  # only over this one
        connection.request("GET", "/next")
        assert b"PATH_INFO = '/next'" in connection.getresponse().read()
    connection.close()


@pytest.mark.once
@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_half_a_request_keeps_nobody_waiting(reading, half):
    with ExitStack() as opened:
        for _ in range(4 * PROCESSES * THREADS):
            opened.enter_context(sending(reading, half))
        # Gunicorn by itself would wait for the rest of as many as it has threads, without end.
        for _ in range(3):
            assert answered(reading, seconds=PATIENCE)


@pytest.mark.once
@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_whoever_sends_half_a_request_is_not_waited_for(hasty, half):
    with ExitStack() as opened:
        slow = [opened.enter_context(sending(hasty, half)) for _ in range(PROCESSES * 2)]
        # However long others need who are before them.
        for each in slow:
            each.settimeout(PATIENCE)
            assert each.recv(12) in (b"", b"HTTP/1.1 408", b"HTTP/1.1 500"), "never as if whole"
        assert answered(hasty, seconds=PATIENCE)


@pytest.mark.once
def test_a_request_in_pieces_is_read_whole(reading):
    request = post(SHORT)
    with sending(reading, request[:7], request[7:60], request[60:-3], request[-3:]) as connection:
        assert digests(connection, 1) == [digest(SHORT)]
    request = post(LONG)
    with sending(reading, request[:70_000], request[70_000:-3], request[-3:]) as connection:
        assert digests(connection, 1) == [digest(LONG)]
    with sending(reading, CHUNKED, b"5\r\nabc", b"de\r\n0\r\n\r\n") as connection:
        assert digests(connection, 1) == [digest(b"abcde")]
    head, _, body = post(SHORT, b"Expect: 100-continue").partition(b"\r\n\r\n")
    with sending(reading, head + b"\r\n\r\n") as connection:
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert digests(connection, 1) == [digest(SHORT)]


@pytest.mark.once
def test_requests_that_come_together_are_answered_in_their_order(reading):
    last = post(b"last")
    with sending(reading, post(b"first") + GET + post(LONG) + last[:50], last[50:]) as connection:
        bodies = [b"first", b"", LONG, b"last"]
        assert digests(connection, 4) == [digest(body) for body in bodies]


@pytest.mark.once
def test_long_bodies_wait_for_one_another_and_all_are_read(reading):
    def sent(number: int) -> bool:
        body = str(number).encode("ascii") * 300_000
        with sending(reading, post(body)) as connection:
            return digests(connection, 1) == [digest(body)]

    with ThreadPoolExecutor(8) as senders:
        assert all(senders.map(sent, range(16)))
