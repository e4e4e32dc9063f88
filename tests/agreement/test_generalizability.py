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
    NOT_TOLD_FROM_NONE,
    REST,
    SOURCES,
    TOO_FEW,
    TOO_FEW_OF_A_SYSTEM,
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


def two_way(cells):
    """Items, annotators, rest of a full table by their mean squares."""
    items, people = cells.shape
    row, column, grand = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    of_rest = ((cells - row[:, None] - column + grand) ** 2).sum() / ((items - 1) * (people - 1))
    of_items = people * ((row - grand) ** 2).sum() / (items - 1)
    of_annotators = items * ((column - grand) ** 2).sum() / (people - 1)
    return (of_items - of_rest) / people, (of_annotators - of_rest) / items, of_rest


def of_systems(seed=7):
    """24 texts with an output of each of three systems, which differ, by five people; and which
    text each output is of."""
    rng = np.random.default_rng(seed)
    cells = np.tile([15.0, 0.0, -15.0], 24)[:, None] + rng.normal(0, 12, (72, 1))
    cells = cells + rng.normal(0, 6, 5) + rng.normal(0, 8, (72, 5))
    return cells, {unit: unit // 3 for unit in range(72)}


def test_systems_that_differ_leave_no_more_between_pairs_than_there_is():
    """Where sources come out below 0, pairs have what the two-way analysis of variance gives them,
    which is the mean covariance of two annotators (Shrout and Fleiss 1979: G of one is ICC(3,1), Φ
    ICC(2,1))."""
    cells, sources = of_systems()
    theory = study(Ratings.from_matrix(cells), sources)
    assert theory.negative == (SOURCES,)
    variance = {component.name: component.variance for component in theory.components}
    items, annotators, rest = two_way(cells)
    covariance = np.cov(cells.T)[~np.eye(5, dtype=bool)].mean()
    assert variance == pytest.approx(
        {SOURCES: 0, ITEMS: covariance, ANNOTATORS: annotators, REST: rest}
    )
    assert items == pytest.approx(covariance)
    assert of(theory, 1) == pytest.approx(
        (items / (items + rest), items / (items + annotators + rest))
    )
    alone = study(Ratings.from_matrix(cells))
    assert theory.dependability == alone.dependability
    assert theory.components[1:] == alone.components


def two_way_within(cells):
    """Texts, outputs and rest of texts × systems × people, systems fixed, by mean squares (Searle,
    Casella and McCulloch 1992, section 4.3: the two-way mixed model of the outputs' means)."""
    texts, systems, people = cells.shape
    means = cells.mean(axis=2)
    row, column, grand = means.mean(axis=1), means.mean(axis=0), means.mean()
    within = ((means - row[:, None] - column + grand) ** 2).sum() / ((texts - 1) * (systems - 1))
    between = systems * ((row - grand) ** 2).sum() / (texts - 1)
    rest = two_way(cells.reshape(-1, people))[2]
    return (between - within) / systems, within - rest / people, rest


def test_without_what_systems_differ_by():
    """A full table by mean squares; with holes, what moving whole systems changes: nothing."""
    cells, sources = of_systems()
    cells = cells + np.repeat(np.random.default_rng(3).normal(0, 9, 24), 3)[:, None]
    systems = {unit: unit % 3 for unit in range(72)}

    def theory_of(table, sources=sources, systems=systems):
        return variance_study(
            Ratings.from_matrix(table),
            level="interval",
            sources=sources,
            systems=systems,
            draws=0,
            seed=1,
            confidence=0.95,
        )

    def parts(table, **given):
        return {part.name: part.variance for part in theory_of(table, **given).components}

    texts, outputs, rest = two_way_within(cells.reshape(24, 3, 5))
    variance = parts(cells)
    assert variance.pop(ANNOTATORS) == pytest.approx(two_way(cells)[1])
    assert variance == pytest.approx({SOURCES: texts, ITEMS: outputs, REST: rest})
    assert parts(cells, systems=dict.fromkeys(systems, "one")) == parts(cells, systems=None)
    holed = np.where(np.random.default_rng(4).random(cells.shape) < 0.3, np.nan, cells)
    moved = holed + np.tile([40, 0, -7], 24)[:, None]
    assert parts(moved) == pytest.approx(parts(holed))
    assert parts(holed)[ITEMS] == pytest.approx(outputs, rel=0.2)
    one_text, by_unit = dict.fromkeys(sources, "text"), {unit: unit for unit in sources}
    assert theory_of(cells, one_text, by_unit).undefined == TOO_FEW_OF_A_SYSTEM


def test_a_draw_below_zero_leaves_sources_out_as_the_estimate_does():
    """Of mean squares drawn by hand: where that of sources is the lower one, both are theirs
    together, and nothing is between sources."""
    rng = np.random.default_rng(2)
    cells = (
        rng.normal(0, 1, (12, 1, 1)) + rng.normal(0, 2, (12, 3, 1)) + rng.normal(0, 2, (12, 3, 4))
    )
    cells = cells.reshape(36, 4) + np.array([-1, 0, 0, 1])
    theory = study(Ratings.from_matrix(cells), {unit: unit // 3 for unit in range(36)})
    assert theory.negative == ()
    by_source = cells.reshape(12, 12).mean(axis=1)
    within = 4 * ((cells.mean(axis=1).reshape(12, 3) - by_source[:, None]) ** 2).sum() / 24
    between = 12 * ((by_source - cells.mean()) ** 2).sum() / 11
    rest = two_way(cells)[2]
    of_annotators = 36 * ((cells.mean(axis=0) - cells.mean()) ** 2).sum() / 3
    rng = np.random.default_rng(1)
    sums = ((between, 11), (within, 24), (of_annotators, 3), (rest, 105))
    drawn = [free * square / rng.chisquare(free, 200) for square, free in sums]
    is_below = drawn[0] < drawn[1]
    assert 0 < is_below.sum() < 200
    pooled = np.where(is_below, (11 * drawn[0] + 24 * drawn[1]) / 35, drawn[1])
    items = np.maximum(pooled - drawn[3], 0) / 4
    interval = theory.components[1].variance_interval
    assert [interval.low, interval.high] == pytest.approx(np.quantile(items, [0.025, 0.975]))


def test_sources_below_zero_are_not_told_from_none():
    """No interval from 0 to 0, which would claim to know exactly; but a reason."""
    cells, sources = of_systems()
    sources_part = study(Ratings.from_matrix(cells), sources).as_dict()["components"][0]
    reason = {"fr": NOT_TOLD_FROM_NONE.fr, "en": NOT_TOLD_FROM_NONE.en}
    nothing = {"variance": 0, "variance_interval": None, "share": 0, "interval": None}
    assert sources_part == nothing | {"name": SOURCES, "no_interval": reason}


@pytest.mark.parametrize("name", DESIGNS)
def test_planted_truths_are_found_and_covered(name):
    """Estimates are right on average, and intervals hold the truth about as often as they say:
    of 200 studies 190 are expected, and 181 or fewer in one of 20,000 (binomial). What sources
    differ by is not to be told from systems that differ, and is not claimed."""
    coverage = covered(DESIGNS[name], studies=200, draws=300)
    if DESIGNS[name].systems:
        hidden = coverage.pop(SOURCES)
        assert hidden.given < 10 or hidden.mean < hidden.truth - 0.1
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
            if part["interval"] is None:
                assert part["no_interval"]["en"] == NOT_TOLD_FROM_NONE.en
                continue
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
        "variance|level:ordinal|components:henderson1|below_zero:left_out|interval:generalized|"
        "items:6|annotators:4|ratings:24|draws:100|seed:42|version:4"
    )
    assert dimension_report(ratings, level="nominal", draws=100).as_dict()["variance"] is None
