"""Intraclass correlation of the agreement report, for what is measured in intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from annotation.agreement.formulas import icc_formula
from annotation.agreement.patterns import unit_patterns
from annotation.agreement.report import dimension_report
from annotation.agreement.table import Ratings, rating_tables
from annotation.protocols.base import Level
from annotation.scoring.ceiling import mean_reliability

# Shrout & Fleiss (1979), table 2: six targets, four judges; table 4 gives ICC(1,1) = .17 and
# ICC(1,4) = .44.
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
SCALE = tuple(range(101))


def table(rows: list[list[int | None]]) -> Ratings:
    cells = [
        (f"t{unit}", f"j{rater}", value)
        for unit, row in enumerate(rows)
        for rater, value in enumerate(row)
        if value is not None
    ]
    units, raters, values = zip(*cells, strict=True)
    return rating_tables(list(units), list(raters), {"d": list(values)})["d"]


def icc(rows: list[list[int | None]], *, of_mean: bool) -> float:
    patterns = unit_patterns(table(rows), SCALE)
    return icc_formula(patterns, of_mean=of_mean).estimate(patterns)


def test_shrout_and_fleiss():
    assert icc(SHROUT_FLEISS, of_mean=False) == pytest.approx(0.17, abs=0.005)
    assert icc(SHROUT_FLEISS, of_mean=True) == pytest.approx(0.44, abs=0.005)


def test_holes_as_the_scorer_s_ceiling_computes_them():
    """Another program of this house, from the cells: ``scoring.ceiling``."""
    rng = np.random.default_rng(5)
    true = rng.integers(10, 90, size=30)
    rows: list[list[int | None]] = [
        [
            int(np.clip(value + rng.integers(-9, 10), 0, 100)) if rng.random() < 0.7 else None
            for _ in range(5)
        ]
        for value in true
    ]
    cells = np.array([[np.nan if v is None else float(v) for v in row] for row in rows])
    expected, _typical = mean_reliability(cells)
    assert icc(rows, of_mean=True) == pytest.approx(expected.value, abs=1e-12)


def test_it_does_not_depend_on_where_the_scale_begins():
    moved: list[list[int | None]] = [[(value or 0) + 60 for value in row] for row in SHROUT_FLEISS]
    assert icc(moved, of_mean=False) == pytest.approx(icc(SHROUT_FLEISS, of_mean=False), abs=1e-12)


@pytest.mark.parametrize(
    "rows",
    [
        [[70, 70], [70, 70], [70, 70]],
        [[10, 20]],
        [[10, None], [None, 20]],
    ],
    ids=["nothing differs", "one text", "nobody shares a text"],
)
def test_where_there_is_nothing_to_tell_apart_it_is_undefined(rows):
    assert math.isnan(icc(rows, of_mean=False))
    assert math.isnan(icc(rows, of_mean=True))


def test_the_report_has_both_with_intervals_at_the_level_of_intervals_only():
    report = dimension_report(table(SHROUT_FLEISS), level=Level.INTERVAL, scale=SCALE, draws=200)
    assert report.icc is not None
    assert report.icc_mean is not None
    low, high = report.as_dict()["intervals"]["icc"]["single"]
    assert report.icc.value is not None
    assert low < report.icc.value < high
    as_dict = report.as_dict()
    assert as_dict["icc"]["mean"] == pytest.approx(report.icc_mean.value)
    assert "icc" in str(report.icc.signature)
    ordinal = dimension_report(table(SHROUT_FLEISS), level=Level.ORDINAL, scale=SCALE, draws=50)
    assert (ordinal.icc, ordinal.icc_mean) == (None, None)
    assert "icc" not in ordinal.as_dict()
    same = dimension_report(table([[70, 70]] * 3), level=Level.INTERVAL, scale=SCALE, draws=50)
    assert same.icc is not None
    assert same.icc.value is None
    assert same.icc.undefined is not None
