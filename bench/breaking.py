"""What ``bench.faults`` breaks while people judge: one part of the stack after another."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import psutil
import psycopg2  # type: ignore[import-untyped]

from bench.pace import Pace

PATIENCE_SECONDS = 180.0


class Faults(threading.Thread):
    """Breaks one part after another as they fall due. Which ones follows from the seed alone: each
    kind in an order that is drawn, and only then one for the second time."""

    def __init__(
        self,
        stack: subprocess.Popen[str],
        database_url: str,
        *,
        seed: int,
        parents: int,
        pace: Pace,
    ) -> None:
        super().__init__(daemon=True)
        self.stack, self.database_url, self.pace = stack, database_url, pace
        # Of the supervisor's own children, this many each: it gives up on what ends five times in a
        # row.
        self._most_parents = parents
        self.done: Counter[str] = Counter()
        self._draw = random.Random(seed)

    def run(self) -> None:
        order = self._order()
        while self.pace.wait_for_work():
            name, fault = next(order)
            # What was killed a moment ago may not be there again yet.
            until = time.monotonic() + PATIENCE_SECONDS
            while not (happened := fault()) and time.monotonic() < until:
                time.sleep(0.05)
            if not happened:
                self.pace.end()
                return
            self.done[name] += 1
            self.pace.broken()

    def _order(self) -> Iterator[tuple[str, Callable[[], bool]]]:
        drawn: Counter[str] = Counter()
        while True:
            for name in self._draw.sample(list(KINDS), len(KINDS)):
                drawn[name] += 1
                if drawn[name] <= self._most_parents or name not in OF_THE_SUPERVISOR:
                    yield name, partial(KINDS[name], self)

    def end(self) -> None:
        self.pace.end()
        self.join(30)

    def kill_web_process(self) -> bool:
        return self._kill("annotation.config.wsgi", parents=False)

    def kill_web_server(self) -> bool:
        return self._kill("annotation.config.wsgi", parents=True)

    def kill_worker(self) -> bool:
        return self._kill("workers.celery", parents=True)

    def kill_redis(self) -> bool:
        return self._kill("redis-server", parents=False)

    def _kill(self, words: str, *, parents: bool) -> bool:
        """SIGKILL one process of the stack with these words in its command line: a child of the
        supervisor, or a grandchild."""
        own = psutil.Process(self.stack.pid)
        direct = {child.pid for child in own.children()}
        children = []
        for child in own.children(recursive=True):
            with suppress(psutil.Error):
                is_parent = child.pid in direct
                if words in " ".join(child.cmdline()) and (
                    is_parent == parents or words == "redis-server"
                ):
                    children.append(child)
        if not children:
            return False
        with suppress(psutil.Error):
            self._draw.choice(children).kill()
        return True

    def cut_connections(self) -> bool:
        cut = """SELECT count(*) FROM (SELECT pg_terminate_backend(pid) AS gone FROM pg_stat_activity
                 WHERE pid <> pg_backend_pid() AND backend_type = 'client backend') AS asked WHERE gone"""  # noqa: E501
        try:
            with psycopg2.connect(self.database_url) as connection, connection.cursor() as cursor:
                cursor.execute(cut)
                return bool(cursor.fetchone()[0])
        except psycopg2.Error:
            return False

    def crash_postgresql(self) -> bool:
        """A backend that dies of SIGKILL makes the server throw everybody out and recover from its
        log."""
        try:
            connection = psycopg2.connect(self.database_url)
        except psycopg2.Error:
            return False
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        connection.close()
        return True


KINDS: dict[str, Callable[[Faults], bool]] = {
    "web process killed": Faults.kill_web_process,
    "web server killed": Faults.kill_web_server,
    "worker killed": Faults.kill_worker,
    "Redis killed": Faults.kill_redis,
    "PostgreSQL connections cut": Faults.cut_connections,
    "PostgreSQL crashed and recovered": Faults.crash_postgresql,
}
OF_THE_SUPERVISOR = {"web server killed", "worker killed"}
