"""What an agreement report takes: three dimensions with 1,000 bootstrap draws, on tables of ratings
in memory.

``python -m bench.agreement``. The floor is reading the same ratings once with pandas' ``groupby``
(a pass over the data that any report needs) in the same run; growth is the time for twenty times
the ratings over twenty times the time.
"""

from __future__ import annotations

import math
import time

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


def main() -> None:
    report(
        rating_tables(*ratings(50, 3)[:2], dict(zip(SCALES, ratings(50, 3)[2:], strict=True)))
    )  # warm
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
