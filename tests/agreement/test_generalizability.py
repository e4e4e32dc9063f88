"""Where the variance is: published tables, planted truths, and what cannot be told."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from hypothesis import given

from annotation.agreement.generalizability import (
    ANNOTATORS,
    ITEMS,
    NO_VARIANCE,
    NOT_SEPARABLE,
    REST,
    SOURCES,
    TOO_FEW,
    Variance,
    variance_study,
)
from annotation.agreement.report import dimension_report
from annotation.agreement.result import NO_PAIR, NO_RATING, ONE_RATER
from annotation.agreement.table import Ratings
from bench.variance import DESIGNS, covered
from tests.agreement.known import tables
from tests.agreement.test_icc import SHROUT_FLEISS
from tests.house.sizes import ROOT

RATINGS = ROOT.parent / "shared" / "data" / "frjudge" / "ratings.csv"


def study(ratings: Ratings, sources: dict[int, int] | None = None, draws: int = 200) -> Variance:
    return variance_study(
        ratings, level="interval", sources=sources, draws=draws, seed=1, confidence=0.95
    )


def shares(variance: Variance) -> dict[str, float]:
    return {component.name: component.share for component in variance.components}


def of(variance: Variance, annotators: int) -> tuple[float, float]:
    mean = next(mean for mean in variance.dependability if mean.annotators == annotators)
    return mean.relative, mean.absolute


def test_shrout_and_fleiss():
    """Shrout and Fleiss (1979): mean squares of table 3 (judges 32.49, residual 1.02, targets
    11.24); table 4 gives ICC(3,1) = .71, ICC(2,1) = .29, ICC(3,4) = .91, ICC(2,4) = .62, which are
    G and Φ of one and of four judges."""
    theory = study(Ratings.from_matrix(SHROUT_FLEISS))
    variance = {component.name: component.variance for component in theory.components}
    assert variance[REST] == pytest.approx(1.02, abs=0.005)
    assert variance[ITEMS] == pytest.approx((11.24 - 1.02) / 4, abs=0.005)
    assert variance[ANNOTATORS] == pytest.approx((32.49 - 1.02) / 6, abs=0.005)
    assert theory.typical == 4
    assert of(theory, 1) == pytest.approx((0.71, 0.29), abs=0.006)
    assert of(theory, 4) == pytest.approx((0.91, 0.62), abs=0.006)


BRENNAN = (
    *("101000000000", "111001000000", "111110000000", "110110010000", "111110100000"),
    *("111011100000", "111111100000", "111101111100", "111111111110", "111111111111"),
)
"""Brennan (2001), *Generalizability Theory*, table 2.2: synthetic data set 1, ten persons (here
items) × twelve items (here annotators)."""


def brennan(draws: int) -> Variance:
    return study(Ratings.from_matrix([[int(cell) for cell in row] for row in BRENNAN]), draws=draws)


def test_a_textbook_table():
    """Brennan (2001), tables 2.2 and 2.3: components .0574, .0754, .1269; of the mean of all
    twelve Eρ² .844 and Φ .773."""
    theory = brennan(0)
    variance = {component.name: component.variance for component in theory.components}
    assert variance == pytest.approx({ITEMS: 0.0574, ANNOTATORS: 0.0754, REST: 0.1269}, abs=5e-5)
    assert theory.typical == 12
    assert of(theory, 12) == pytest.approx((0.844, 0.773), abs=5e-4)


def test_intervals_that_are_known_exactly():
    """On a full table the interval of the rest is the chi-squared one of its mean square, and that
    of G is Feldt's (1965, Psychometrika 30): 1 − F ÷ (items' mean square ÷ the rest's)."""
    from scipy.stats import chi2, f  # type: ignore[import-untyped]

    theory = brennan(40_000)
    rest = next(component for component in theory.components if component.name == REST)
    ends = [99 * 0.126852 / chi2.ppf(q, 99) for q in (0.975, 0.025)]
    limits = [rest.variance_interval.low, rest.variance_interval.high]
    assert limits == pytest.approx(ends, rel=0.01)
    mean = next(dependable for dependable in theory.dependability if dependable.annotators == 12)
    ratio = 0.815741 / 0.126852
    known = [1 - f.ppf(q, 9, 99) / ratio for q in (0.975, 0.025)]
    assert [mean.relative_interval.low, mean.relative_interval.high] == pytest.approx(
        known, abs=0.01
    )


@pytest.mark.skipif(not RATINGS.exists(), reason="the released ratings are not at hand")
def test_the_released_ratings():
    """Computed from the same file by another program: 35 % items, 24 % annotators, 41 % rest;
    interval alpha without severity .460; a mean of five ± 2.6 points, of ten ± 1.8."""
    with RATINGS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    theory = study(
        Ratings.from_long(
            [row["pair"] for row in rows],
            [row["annotator"] for row in rows],
            [float(row["legal_meaning"]) for row in rows],
        )
    )
    assert shares(theory) == pytest.approx({ITEMS: 0.35, ANNOTATORS: 0.24, REST: 0.41}, abs=0.005)
    assert of(theory, 1)[0] == pytest.approx(0.460, abs=0.0005)
    widths = {mean.annotators: mean.half_width for mean in theory.dependability}
    assert (round(widths[5], 1), round(widths[10], 1)) == (2.6, 1.8)


def test_sources_count_where_items_share_them():
    """A full table with items nested in sources: mean squares by hand."""
    rng = np.random.default_rng(4)
    of_source = rng.normal(0, 2, 8)
    cells = np.repeat(of_source, 3)[:, None] + rng.normal(0, 1, (24, 1)) + rng.normal(0, 1, (24, 4))
    theory = study(Ratings.from_matrix(cells), {unit: unit // 3 for unit in range(24)})
    assert [component.name for component in theory.components] == [SOURCES, ITEMS, ANNOTATORS, REST]
    row, column, grand = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    by_source = row.reshape(8, 3).mean(axis=1)
    of_sources = 12 * ((by_source - grand) ** 2).sum() / 7
    of_items = 4 * ((row.reshape(8, 3) - by_source[:, None]) ** 2).sum() / 16
    of_rest = ((cells - row[:, None] - column + grand) ** 2).sum() / (23 * 3)
    variance = {component.name: component.variance for component in theory.components}
    assert variance[REST] == pytest.approx(of_rest)
    assert variance[ITEMS] == pytest.approx((of_items - of_rest) / 4)
    assert variance[SOURCES] == pytest.approx((of_sources - of_items) / 12)
    alone = study(Ratings.from_matrix(cells), {unit: unit for unit in range(24)})
    assert [component.name for component in alone.components] == [ITEMS, ANNOTATORS, REST]


@pytest.mark.parametrize("name", DESIGNS)
def test_planted_truths_are_found_and_covered(name):
    """Estimates are right on average, and intervals hold the truth about as often as they say:
    of 200 studies 190 are expected, and 181 or fewer in one of 20,000 (binomial)."""
    coverage = covered(DESIGNS[name], studies=200, draws=300)
    for part, estimate in coverage.items():
        assert estimate.mean == pytest.approx(estimate.truth, abs=0.04), part
        assert estimate.held >= (0.91 if DESIGNS[name].kept == 1 else 0.86), part


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.full((3, 2), np.nan), NO_RATING),
        ([[1], [2], [3]], ONE_RATER),
        ([[1, np.nan], [np.nan, 2]], NO_PAIR),
        ([[1, 2]], TOO_FEW),
        ([[1, 2], [3, np.nan]], TOO_FEW),
        (np.full((4, 3), 7), NO_VARIANCE),
    ],
)
def test_what_cannot_be_told_is_said(matrix, reason):
    theory = study(Ratings.from_matrix(matrix))
    assert theory.undefined == reason
    assert theory.as_dict() == {"undefined": {"fr": reason.fr, "en": reason.en}}


def test_teams_that_share_no_item_are_told_apart_or_refused():
    """Two teams of two, each on items of its own: severity is known within teams only."""
    rng = np.random.default_rng(1)
    cells = np.full((20, 4), np.nan)
    cells[:10, :2], cells[10:, 2:] = rng.integers(1, 10, (10, 2)), rng.integers(1, 10, (10, 2))
    theory = study(Ratings.from_matrix(cells))
    assert theory.undefined in (None, NOT_SEPARABLE)
    assert theory.undefined is not None or sum(shares(theory).values()) == pytest.approx(1)


@given(matrix=tables())
def test_any_table_has_shares_or_a_reason(matrix):
    theory = study(Ratings.from_matrix(matrix), draws=50)
    json.dumps(theory.as_dict(), allow_nan=False)
    if theory.undefined is None:
        assert sum(shares(theory).values()) == pytest.approx(1)
        for part in theory.as_dict()["components"]:
            low, high = part["interval"]
            assert 0 <= low <= high <= 1
            low, high = part["variance_interval"]
            assert 0 <= low <= high
        for mean in theory.dependability:
            assert 0 <= mean.absolute <= mean.relative <= 1


@given(matrix=tables())
def test_points_and_order_do_not_matter(matrix):
    """Twice the points, and moved: the same shares. Annotators in another order: the same."""
    theory, other = (
        study(Ratings.from_matrix(cells), draws=0) for cells in (matrix, 2 * matrix[:, ::-1] + 5)
    )
    assert (theory.undefined is None) == (other.undefined is None)
    if theory.undefined is None:
        assert shares(other) == pytest.approx(shares(theory), abs=1e-6)


def test_without_draws_there_are_no_intervals():
    theory = study(Ratings.from_matrix(SHROUT_FLEISS), draws=0)
    for kind in ("interval", "variance_interval"):
        assert [component[kind] for component in theory.as_dict()["components"]] == [
            None,
            None,
            None,
        ]


def test_the_report_has_it_but_for_classes():
    ratings = Ratings.from_matrix(SHROUT_FLEISS)
    report = dimension_report(ratings, level="ordinal", draws=100)
    assert report.as_dict()["variance"] == report.variance.as_dict()
    assert report.variance.as_dict()["signature"] == (
        "variance|level:ordinal|components:henderson1|interval:generalized|items:6|annotators:4|"
        "ratings:24|draws:100|seed:42|version:1"
    )
    assert dimension_report(ratings, level="nominal", draws=100).as_dict()["variance"] is None
