"""What an agreement report takes: three dimensions with 1,000 bootstrap draws, on tables of ratings
in memory.

``python -m bench.agreement``. The floor is reading the same ratings once with pandas' ``groupby``
(a pass over the data that any report needs) in the same run; growth is the time for twenty times
the ratings over twenty times the time. Beside it: the three intervals of alpha (items, source texts
with three items of each, other annotators) with 1,000 draws on 50,000 × 3 ratings, and the most
memory that a table of 2,400,000 ratings by 400 annotators takes.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from collections.abc import Hashable

import numpy as np
import numpy.typing as npt
import pandas as pd

from annotation.agreement.report import dimension_report
from annotation.agreement.table import Ratings, rating_tables
from annotation.protocols.base import Level
from bench.record import record

SCALES = {
    "simplicity": (Level.NOMINAL, 4),
    "characterization": (Level.NOMINAL, 18),
    "legal_meaning": (Level.ORDINAL, 10),
}
SIZES = ((297, 5), (50_000, 3), (333_334, 3))


def ratings(units: int, raters: int) -> tuple[npt.NDArray[np.int64], ...]:
    """Invented ratings that agree about as much as the published ones."""
    drawn = np.random.default_rng(7)
    unit, rater = np.divmod(np.arange(units * raters), raters)
    columns = []
    for _level, values in SCALES.values():
        truth = drawn.integers(1, values + 1, units)[unit]
        agrees = drawn.random(units * raters) < 0.7
        columns.append(np.where(agrees, truth, drawn.integers(1, values + 1, units * raters)))
    return unit, rater, *columns


def report(tables: dict[str, Ratings]) -> None:
    for name, table in tables.items():
        level, values = SCALES[name]
        dimension_report(table, level=level, scale=tuple(range(1, values + 1)))


def measured(units: int, raters: int) -> float:
    unit, rater, *columns = ratings(units, raters)
    begun = time.perf_counter()
    for column in columns:
        pd.DataFrame({"unit": unit, "value": column}).groupby("unit")["value"].agg(
            ["mean", "std", "count"]
        )
    floor = time.perf_counter() - begun
    begun = time.perf_counter()
    tables = rating_tables(unit, rater, dict(zip(SCALES, columns, strict=True)))
    read = time.perf_counter() - begun
    begun = time.perf_counter()
    report(tables)
    taken = time.perf_counter() - begun
    record(
        f"agreement report of {units} × {raters}",
        taken,
        "s",
        floor=floor,
        note=f"tables {read:.2f} s",
    )
    return taken / (units * raters)


def three_intervals(units: int, raters: int) -> None:
    unit, rater, *columns = ratings(units, raters)
    table = rating_tables(unit, rater, {"legal_meaning": columns[2]})["legal_meaning"]
    numbered = enumerate(table.unit_ids)
    sources: dict[Hashable, Hashable] = {name: number // 3 for number, name in numbered}
    begun, used = time.perf_counter(), time.process_time()
    level, values = SCALES["legal_meaning"]
    dimension_report(table, level=level, scale=tuple(range(1, values + 1)), sources=sources)
    taken = time.perf_counter() - begun
    note = f"{time.process_time() - used:.2f} s of CPU, with the rest of the report"
    record(f"three intervals of alpha, {units} × {raters}", taken, "s", note=note)


def memory(units: int, each: int, people: int) -> None:
    """Each unit judged by ``each`` of so many people."""
    drawn = np.random.default_rng(7)
    unit = np.repeat(np.arange(units), each)
    rater = (drawn.integers(0, people, units)[:, None] + np.arange(each)).ravel() % people
    table = rating_tables(unit, rater, {"value": drawn.integers(1, 11, len(unit))})["value"]
    begun = time.perf_counter()
    dimension = dimension_report(table, level=Level.ORDINAL, scale=tuple(range(1, 11)))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    record(
        f"agreement report of {len(unit)} ratings by {people} annotators",
        most,
        "MB",
        note=f"{time.perf_counter() - begun:.1f} s; alpha {dimension.fitting_alpha.value:.3f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("intervals", "memory"))
    options = parser.parse_args()
    if options.only != "memory":
        three_intervals(1000, 3)  # warm
        three_intervals(50_000, 3)
        three_intervals(30_000, 5)
    if options.only != "intervals":
        memory(800_000, 3, 400)
    if options.only:
        return
    unit, rater, *columns = ratings(50, 3)
    report(rating_tables(unit, rater, dict(zip(SCALES, columns, strict=True))))  # warm
    per_rating = [measured(*size) for size in SIZES]
    record(
        "agreement report, growth from 150,000 to 1,000,000 ratings",
        per_rating[2] * math.prod(SIZES[2]) / (per_rating[1] * math.prod(SIZES[1])),
        "×",
        floor=math.prod(SIZES[2]) / math.prod(SIZES[1]),
        note="ratio 1 is linear",
    )


if __name__ == "__main__":
    main()
