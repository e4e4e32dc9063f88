"""The report on metrics of a large study, as a job: how long, how much memory, and once more when
every reading is kept.

``python -m bench.metrics`` fills a study of 10,000 pairs × 3 annotators in a database of its own,
orders a report as a lead does, and carries it out as a worker does. Every original is another one,
which is the dearest case for intervals over originals. CPU is that of this process.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from bench.database import temporary_database
from bench.record import record

PAIRS, ANNOTATORS = 10_000, 3


class Clock:
    """CPU and wall time of a step, in seconds."""

    cpu = wall = 0.0


@contextmanager
def clocked() -> Iterator[Clock]:
    clock, cpu, wall = Clock(), time.process_time(), time.perf_counter()
    yield clock
    clock.cpu, clock.wall = time.process_time() - cpu, time.perf_counter() - wall


def ordered(study: Any, lead: Any, seed: int) -> Any:
    from annotation.services.metrics.measuring import ReportRequest
    from annotation.services.metrics.reports import report_request

    return report_request(
        actor=lead, study=study, request=ReportRequest("legal_meaning", seed=seed)
    )


def steps(study: Any, lead: Any, vendor: str, pairs: int) -> None:
    """Measured, and again with another seed: the same readings, other draws."""
    from annotation.services.metrics.reports import report_write

    for name, seed in (("measured", 42), ("readings kept", 43)):
        job = ordered(study, lead, seed)
        with clocked() as taken:
            if not report_write(job.public_id):
                job.refresh_from_db()
                raise RuntimeError(job.problem)
        job.refresh_from_db()
        about = f"report of {pairs} pairs, {name}"
        note = f"progress told to the end: {job.done} of {job.total}"
        record(f"{about}: CPU", taken.cpu, "s", database=vendor, note=note)
        record(f"{about}: wall", taken.wall, "s", database=vendor)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    record("memory at most", peak, "MiB", database=vendor)


def main() -> None:
    parser = argparse.ArgumentParser(description="A report on metrics of a large study.")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--annotators", type=int, default=ANNOTATORS)
    options = parser.parse_args()
    # Nobody listens: the job is carried out here.
    with temporary_database() as vendor, mock.patch("annotation.jobs._send"):
        from annotation.models import Lead, Study, User
        from tests.bulk import fill_study

        lead = User.objects.create_user("lead@example.org")
        study = Study.objects.create(key="bench", title="Bench", state="closed")
        Lead.objects.create(study=study, user=lead)
        fill_study(study, pairs=options.pairs, annotators=options.annotators)
        steps(study, lead, vendor, options.pairs)


if __name__ == "__main__":
    main()
