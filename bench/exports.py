"""What an export takes: 50,000 judgments (``--judgments``), five of each pair, every layout, time
and memory.

``python -m bench.exports`` measures the file as a worker makes it (read, written, checksummed). The
floor is the bare reading of as many judgments with their ratings in the same run; each is the
quickest of three. Memory is the growth of the process's peak while the files are made; each layout
runs in a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from annotation.garbage import garbage_settle
from bench.database import temporary_database
from bench.record import record

JUDGMENTS, ANNOTATORS, TIMES = 50_000, 5, 3
# Of the bare reading, in CPU seconds; shared, because each figure is taken in a process of its own.
_floor = multiprocessing.Value("d", 0.0)
EXPORTS = (
    ("long", "csv"),
    ("long", "jsonl"),
    ("frjudge", "jsonl"),
    ("wide", "csv"),
    ("errors", "csv"),
    ("codebook", "json"),
)


def peak_megabytes() -> float:
    """The most memory that this process has held; Linux counts in kilobytes, macOS in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        2**20 if sys.platform == "darwin" else 2**10
    )


def in_a_process_of_its_own(call: Callable[..., None], *arguments: object) -> None:
    from django.db import connections

    # A connection must not be shared with a child; what filling the database left on the heap is
    # not a worker's.
    connections.close_all()
    garbage_settle()
    child = multiprocessing.get_context("fork").Process(target=call, args=arguments)
    child.start()
    child.join()
    assert child.exitcode == 0


def _timed(call: Callable[[], str]) -> tuple[float, float, str]:
    cpu, wall = time.process_time(), time.perf_counter()
    outcome = call()
    return time.process_time() - cpu, time.perf_counter() - wall, outcome


def report(label: str, call: Callable[[], str], judgments: int) -> None:
    from django.db import connection

    memory = peak_megabytes()
    # The quickest of some: a machine that does other things as well makes the same work take up to
    # twice as long.
    cpu, wall, outcome = min(_timed(call) for _ in range(TIMES))
    memory = peak_megabytes() - memory
    name, note = f"export of {judgments}: {label}", f"wall {wall:.2f} s, {outcome}"
    record(name, cpu, "s CPU", floor=_floor.value or None, database=connection.vendor, note=note)
    record(f"{name}, growth of memory", memory, "MB", database=connection.vendor)
    _floor.value = _floor.value or cpu


def floor(judgments: int) -> None:
    from annotation.models import Judgment

    def read() -> str:
        rows = Judgment.objects.order_by().values_list("pk", "ratings__dimension", "ratings__value")
        return f"{sum(1 for _ in rows.iterator(chunk_size=2000))} ratings"

    report("floor: reading", read, judgments)


def export(layout: str, form: str, folder: str, judgments: int) -> None:
    from annotation.models import Study
    from annotation.selectors.publishing.exports import export_spec
    from annotation.services.publishing.exports import export_to_path

    study = Study.objects.get(key="bench")

    def write() -> str:
        spec = export_spec(layout, form)
        written = export_to_path(actor=None, study=study, spec=spec, path=Path(folder) / "export")
        return f"{written.rows} rows, {written.size / 2**20:.1f} MB"

    report(f"{layout} {form}", write, judgments)


def main() -> None:
    parser = argparse.ArgumentParser(description="What an export takes.")
    parser.add_argument(
        "--judgments", type=int, default=JUDGMENTS, help="in all (default: %(default)s)"
    )
    wanted = parser.parse_args().judgments
    with temporary_database(), TemporaryDirectory() as folder:
        from annotation.models import Study
        from tests.bulk import fill_study

        study = Study.objects.create(key="bench", title="Bench", state="main")
        judgments = fill_study(study, pairs=wanted // ANNOTATORS, annotators=ANNOTATORS)
        in_a_process_of_its_own(floor, judgments)
        for layout, form in EXPORTS:
            in_a_process_of_its_own(export, layout, form, folder, judgments)


if __name__ == "__main__":
    main()
