"""A web server as it runs in a deployment, and clients that ask it over HTTP all at once."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Container, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import psutil

from bench.database import database_url
from bench.stack import ROOT, answers_at, free_port


@contextmanager
def web(processes: int) -> Iterator[tuple[psutil.Process, int]]:
    """Gunicorn on the temporary database, ready; its first process and its port."""
    port = free_port()
    environment = os.environ | {
        "DATABASE_URL": database_url(),
        "BAREME_WEB_BIND": f"127.0.0.1:{port}",
        "BAREME_WEB_PROCESSES": str(processes),
    }
    command = [sys.executable, "-m", "gunicorn", "--config", "python:annotation.config.gunicorn"]
    server = subprocess.Popen(
        [*command, "annotation.config.wsgi:application"], env=environment, cwd=ROOT
    )
    try:
        until = time.monotonic() + 60
        while not answers_at(port, "/readyz"):
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError("The web server did not start; its own message stands above.")
            time.sleep(0.1)
        yield psutil.Process(server.pid), port
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()


class Client:
    """One person's connection: cookies of a session, or a token."""

    def __init__(self, port: int, *, session: str = "", api_token: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._connection.connect()
        # Two small writes a request: without this the second waits for the first one's
        # acknowledgement.
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        token = secrets.token_hex(16)
        cookies = f"bareme_session={session}; bareme_csrf={token}"
        self._headers = (
            {"Cookie": cookies, "X-CSRFToken": token, "Accept-Encoding": "gzip"} if session else {}
        )
        if api_token:
            self._headers = {"Authorization": f"Bearer {api_token}"}

    def ask(
        self,
        path: str,
        body: dict[str, Any] | None = None,
        method: str = "POST",
        *,
        statuses: Container[int] = (http.client.OK,),
    ) -> bytes:
        """What a GET gives, or ``body`` sent as JSON. Raises ``RuntimeError``, which ends the
        measurement, where none of ``statuses`` is answered."""
        if body is None:
            self._connection.request("GET", path, headers=self._headers)
        else:
            headers = self._headers | {"Content-Type": "application/json"}
            self._connection.request(method, path, json.dumps(body), headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status not in statuses:
            raise RuntimeError(f"{path}: {answer.status} {content[:300]!r}")
        return content

    def close(self) -> None:
        self._connection.close()


def together(
    clients: list[Client], steps: int, step: Callable[[Client, int], Any]
) -> tuple[float, list[Any]]:
    """Every client takes ``steps`` steps, all at once: the seconds it took, and what the steps
    gave."""
    begin = threading.Barrier(len(clients) + 1)

    def go(client: Client) -> list[Any]:
        begin.wait()
        return [step(client, number) for number in range(1, steps + 1)]

    with ThreadPoolExecutor(len(clients)) as pool:
        futures = [pool.submit(go, client) for client in clients]
        begin.wait()
        begun = time.perf_counter()
        wait(futures)
        taken = time.perf_counter() - begun
    return taken, [result for future in futures for result in future.result()]


def cpu_seconds(server: psutil.Process) -> float:
    """Of the web server, and of every process of a PostgreSQL on this machine, those included that
    have ended meanwhile: autovacuum's do."""
    families = [server, *postgresql_processes()]
    every = [
        process for family in families for process in (family, *family.children(recursive=True))
    ]
    return float(sum(sum(process.cpu_times()[:4]) for process in every))


def postgresql_processes() -> list[psutil.Process]:
    from django.db import connection

    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return [psutil.Process(cursor.fetchone()[0]).parents()[0]]


def timed(*calls: Callable[[], object]) -> tuple[float, ...]:
    """Milliseconds of each call."""
    marks = [time.perf_counter()]
    for call in calls:
        call()
        marks.append(time.perf_counter())
    return tuple(1000 * (after - before) for before, after in pairwise(marks))


def percentiles(spent: list[float]) -> tuple[float, float]:
    """The median and the 95th of a hundred."""
    cuts = statistics.quantiles(spent, n=20, method="inclusive")
    return cuts[9], cuts[18]


@contextmanager
def connected(clients: list[Client]) -> Iterator[list[Client]]:
    try:
        yield clients
    finally:
        for client in clients:
            client.close()
