"""Generation against a fake service on this machine.

``python -m bench.generation`` runs 312 items that are answered in 1 s ± 0.3 with 60 and 600
requests a minute and without a limit, each beside the shortest time that the limit allows; then
what a call costs in CPU when nobody waits; then how long 10,000 items take to be queued. Workers
are started as ``manage.py serve`` starts them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from subprocess import Popen
from typing import Any

import psutil

from annotation.management.embedded import PrivateRedis
from bench.database import database_url, temporary_database
from bench.exports import peak_megabytes
from bench.record import record
from tests.fake_openai import FakeOpenAI, fake_openai

ITEMS, CALLS, QUEUED = 312, 16, 10_000


@contextmanager
def workers(fake: FakeOpenAI, requests_per_minute: int) -> Iterator[Popen[bytes]]:
    """The worker for calls and the one for everything else, on this database and queue."""
    from django.conf import settings

    environment = os.environ | fake.environment
    environment |= {
        "DATABASE_URL": database_url(),
        "BAREME_LLM_REQUESTS_PER_MINUTE": str(requests_per_minute),
    }
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "workers.celery",
        "--quiet",
        "worker",
        "-l",
        "WARNING",
    ]
    calls = Popen(
        [*command, "-Q", settings.LLM_QUEUE, "--autoscale", f"{CALLS},1", "-n", "llm@%h"],
        env=environment,
    )
    others = Popen(
        [*command, "-c", "1", "-Q", "default", "--beat", "-n", "default@%h"], env=environment
    )
    try:
        time.sleep(6)
        yield calls
    finally:
        for process in (calls, others):
            process.terminate()
            process.wait()


def started(items: int) -> Any:
    from annotation.generation.presets import PAPER
    from annotation.models import Item, Study
    from annotation.services.generation.runs import run_create, run_start
    from annotation.services.generation.systems import system_add

    study = Study.objects.create(key=f"bench-{time.time_ns()}", title="Bench")
    Item.objects.bulk_create(
        (
            Item(
                study=study,
                key=f"c-{i:05}",
                position=i,
                original=f"L'assureur rembourse à l'assuré la somme {i}.",
            )
            for i in range(1, items + 1)
        ),
        batch_size=2000,
    )
    run = run_create(actor=None, study=study, ceiling=Decimal(1000))
    system_add(actor=None, run=run, spec=PAPER)
    return run_start(actor=None, run=run)


def until_finished(run: Any) -> float:
    begun = time.perf_counter()
    while run.state != "finished":
        time.sleep(0.1)
        run.refresh_from_db()
    return time.perf_counter() - begun


def cpu_seconds(process: Popen[bytes]) -> float:
    whole = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    return float(sum(sum(process.cpu_times()[:2]) for process in whole))


def at_a_limit(requests_per_minute: int, vendor: str) -> None:
    with fake_openai() as fake:
        fake.seconds, fake.jitter = 1.0, 0.3
        with workers(fake, requests_per_minute):
            taken = until_finished(started(ITEMS))
        # The last answer comes a second after the last turn; without a limit, so many at once take
        # turns.
        shortest = (
            (ITEMS - 1) * 60 / requests_per_minute + 1.0
            if requests_per_minute
            else ITEMS / CALLS * 1.0
        )
        name = f"{requests_per_minute or 'no'} requests/min"
        note = f"floor: the shortest possible; billed {sum(fake.billed.values())} for {ITEMS}"
        record(
            f"generation of {ITEMS}, {name}", taken, "s", floor=shortest, database=vendor, note=note
        )


def without_waiting(vendor: str) -> None:
    with fake_openai() as fake, workers(fake, 0) as calls:
        until_finished(started(200))  # the pool is up, the client is loaded
        before = cpu_seconds(calls)
        taken = until_finished(started(1000))
        cpu = cpu_seconds(calls) - before
        record(
            "generation: a call in the worker",
            cpu,
            "ms CPU",
            database=vendor,
            note=f"{1000 / taken:.0f} calls/s",
        )


def queueing(vendor: str) -> None:
    from celery import current_app

    from annotation.services.generation.runs import run_cancel
    from annotation.services.generation.sending import generations_feed

    run = started(QUEUED)
    memory, begun = peak_megabytes(), time.perf_counter()
    queued = generations_feed(run.pk)
    taken = time.perf_counter() - begun
    note = f"{peak_megabytes() - memory:+.1f} MB"
    record(f"generation: queueing {queued} items", taken, "s", database=vendor, note=note)
    run_cancel(actor=None, run=run)
    current_app.control.purge()


def main() -> None:
    folder = Path(os.environ.get("TMPDIR", "/tmp")) / f"bareme-bench-{os.getpid()}"  # noqa: S108
    redis = PrivateRedis(folder)
    redis.start()
    os.environ["REDIS_URL"] = redis.url
    try:
        with temporary_database() as vendor:
            queueing(vendor)
            without_waiting(vendor)
            for limit in [0, 600] if "--quick" in sys.argv else [0, 600, 60]:
                at_a_limit(limit, vendor)
    finally:
        redis.stop()


if __name__ == "__main__":
    main()
