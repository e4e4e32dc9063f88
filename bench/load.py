"""Judging over HTTP: as many annotators as there are threads ask for the next pair and submit, one after the other.

``python -m bench.load`` starts the web server as it runs in a deployment (gunicorn with ``annotation.config.gunicorn``,
two processes) on a database of its own, SQLite or beside DATABASE_URL's, and tries 1, 5, 20 and 100 annotators, each
with a session and a connection that stays open. The floor is as many requests to ``/healthz`` by as many clients.
The clients run on the same machine and take part of its cores.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from annotation.management.embedded import PrivateRedis
from bench.database import database_url, temporary_database
from bench.record import record
from bench.stack import ROOT, answers_at

ANNOTATORS, JUDGMENTS, PROCESSES = "1,5,20,100", 400, 2
_ANSWERS = {"simplicity": 1, "characterization": 3, "bracket": 3, "errors": [{"type": "omission"}]}


@contextmanager
def web(processes: int) -> Iterator[tuple[psutil.Process, int]]:
    """Gunicorn on the temporary database, ready; its first process and its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    environment = os.environ | {
        "DATABASE_URL": database_url(),
        "BAREME_WEB_BIND": f"127.0.0.1:{port}",
        "BAREME_WEB_PROCESSES": str(processes),
    }
    command = [sys.executable, "-m", "gunicorn", "--config", "python:annotation.config.gunicorn"]
    server = subprocess.Popen([*command, "annotation.config.wsgi:application"], env=environment, cwd=ROOT)
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


class Browser:
    """One person's connection and cookies."""

    def __init__(self, port: int, session: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._connection.connect()
        # Two small writes a request: without this the second waits for the first one's acknowledgement.
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        token = secrets.token_hex(16)
        cookies = f"bareme_session={session}; bareme_csrf={token}"
        self._headers = {"Cookie": cookies, "X-CSRFToken": token, "Accept-Encoding": "gzip"} if session else {}

    def ask(self, path: str, body: dict[str, Any] | None = None) -> None:
        """A GET, or a POST of ``body`` as JSON; anything but 200 ends the measurement."""
        if body is None:
            self._connection.request("GET", path, headers=self._headers)
        else:
            headers = self._headers | {"Content-Type": "application/json"}
            self._connection.request("POST", path, json.dumps(body), headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != http.client.OK:
            raise RuntimeError(f"{path}: {answer.status} {content[:300]!r}")

    def close(self) -> None:
        self._connection.close()


def sessions(key: str, annotators: int, pairs: int) -> list[str]:
    """A study in its main round with so many people, who judge every pair; a session key for each."""
    from django.conf import settings
    from django.test import Client

    from annotation.models import Annotator, Item, Simplification, Study, User
    from annotation.services.studies import study_change_state, study_create

    study = study_create(actor=None, key=key, title=key)
    items = Item.objects.bulk_create(
        Item(study=study, key=f"i{n}", position=n, original=f"Clause {n}. " + "mot " * 60) for n in range(1, pairs + 1)
    )
    Simplification.objects.bulk_create(
        Simplification(item=item, text="phrase simple " * 20, language="fr") for item in items
    )
    found = []
    for number in range(annotators):
        user = User.objects.create_user(f"{key}-{number}@example.org")
        Annotator.objects.create(study=study, user=user, pseudonym=f"A{number}")
        client = Client()
        client.force_login(user)
        found.append(client.cookies[settings.SESSION_COOKIE_NAME].value)
    study_change_state(actor=None, study=Study.objects.get(pk=study.pk), to="main", reason="bench")
    return found


def together(clients: list[Browser], steps: int, step: Callable[[Browser, int], Any]) -> tuple[float, list[Any]]:
    """Every client takes ``steps`` steps, all at once: the seconds it took, and what the steps gave."""
    begin = threading.Barrier(len(clients) + 1)

    def go(client: Browser) -> list[Any]:
        begin.wait()
        return [step(client, number) for number in range(1, steps + 1)]

    with ThreadPoolExecutor(len(clients)) as pool:
        asked = [pool.submit(go, client) for client in clients]
        begin.wait()
        begun = time.perf_counter()
        wait(asked)
        taken = time.perf_counter() - begun
    return taken, [result for one in asked for result in one.result()]


def cpu_seconds(server: psutil.Process) -> float:
    return float(sum(sum(one.cpu_times()[:2]) for one in [server, *server.children(recursive=True)]))


def timed(*calls: Callable[[], None]) -> tuple[float, ...]:
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


def judging(key: str) -> Callable[[Browser, int], tuple[float, ...]]:
    """One judgment: milliseconds of the page and of the submission."""

    def judge(client: Browser, position: int) -> tuple[float, ...]:
        body = {"key": str(uuid.uuid4()), "base_revision": 0, "answers": _ANSWERS, "active_seconds": 20}
        return timed(
            lambda: client.ask(f"/annotate/{key}/{position}/"),
            lambda: client.ask(f"/annotate/{key}/{position}/submit/", body),
        )

    return judge


def nothing(client: Browser, _position: int) -> tuple[float, ...]:
    """The floor of a judgment: two requests that do nothing."""
    return timed(lambda: client.ask("/healthz"), lambda: client.ask("/healthz"))


@contextmanager
def browsers(port: int, keys: list[str]) -> Iterator[list[Browser]]:
    clients = [Browser(port, key) for key in keys]
    try:
        yield clients
    finally:
        for client in clients:
            client.close()


def warm(port: int) -> None:
    """Every process and thread has judged: templates are loaded, connections open."""
    with browsers(port, sessions("warm", 16, 8)) as clients:
        together(clients, 8, judging("warm"))


def level(server: psutil.Process, port: int, annotators: int, judgments: int, vendor: str) -> None:
    """The figures of so many annotators, who share ``judgments`` equally (two each at the least)."""
    each = max(2, judgments // annotators)
    key = f"load-{annotators}"
    with browsers(port, [""] * annotators) as nobodies:
        floor_seconds, floors = together(nobodies, each, nothing)
    with browsers(port, sessions(key, annotators, each)) as clients:
        before = cpu_seconds(server)
        seconds, spent = together(clients, each, judging(key))
        cpu = cpu_seconds(server) - before
    done = len(spent)
    who = "1 annotator" if annotators == 1 else f"{annotators} annotators"
    record(f"judgments at {who}", done / seconds, "1/s", floor=done / floor_seconds, database=vendor)
    record(f"server CPU of a judgment at {who}", 1000 * cpu / done, "ms", database=vendor)
    parts: dict[str, Callable[[tuple[float, ...]], float]] = {
        "next": lambda pair: pair[0],
        "submit": lambda pair: pair[1],
        "next + submit": sum,
    }
    for name, part in parts.items():
        bare = percentiles([part(pair) for pair in floors])
        for label, value, least in zip(("p50", "p95"), percentiles([part(p) for p in spent]), bare, strict=True):
            record(f"{name} at {who}, {label}", value, "ms", floor=least, database=vendor)


def main() -> None:
    parser = argparse.ArgumentParser(description="Judgments over HTTP.")
    parser.add_argument("--annotators", default=ANNOTATORS, help="how many at once (default: %(default)s)")
    parser.add_argument("--judgments", type=int, default=JUDGMENTS, help="of each number (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="web processes (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bareme-") as folder:
        redis = None if os.environ.get("REDIS_URL") else PrivateRedis(Path(folder))
        if redis:
            redis.start()
            os.environ["REDIS_URL"] = redis.url
        try:
            with temporary_database() as vendor, web(options.processes) as (server, port):
                warm(port)
                for annotators in map(int, options.annotators.split(",")):
                    level(server, port, annotators, options.judgments, vendor)
        finally:
            if redis:
                redis.stop()


if __name__ == "__main__":
    main()
