"""The interval of alpha for other source texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.agreement.bootstrap import resampled_counts
from annotation.agreement.coefficients import alpha
from annotation.agreement.report import DimensionReport, dimension_report
from annotation.agreement.sources import JACKKNIFED_UP_TO
from annotation.agreement.systems.resampling import BOOTSTRAP, tail_of
from annotation.agreement.table import Ratings
from bench.intervals import SCALE, covered_by_source, nested

SOURCES, EACH = 12, 3
CELLS = nested(np.random.default_rng(3), SOURCES, EACH)
OF = {unit: f"text {unit // EACH:02}" for unit in range(SOURCES * EACH)}


def report(cells: np.ndarray, of: dict[int, str] | None, draws: int = 200) -> DimensionReport:
    return dimension_report(
        Ratings.from_matrix(cells), level="ordinal", scale=SCALE, sources=of, draws=draws, seed=5
    )


def test_each_draw_is_alpha_of_the_sources_that_were_drawn():
    """Alpha by its own definition, of a table put together source by source."""
    other_sources = report(CELLS, OF, draws=40).other_sources
    drawn = []
    for counts in resampled_counts(np.ones(SOURCES, dtype=np.int64), 40, 5):
        for row in counts.astype(int):
            units = [
                at * EACH + output
                for at, n in enumerate(row)
                for _ in range(n)
                for output in range(3)
            ]
            drawn.append(alpha(Ratings.from_matrix(CELLS[units]), "ordinal").value)
    tail = tail_of(SOURCES)
    low, high = np.quantile(drawn, [tail, 1 - tail])
    middle, half = jackknifed([unit // EACH for unit in range(SOURCES * EACH)])
    assert other_sources.sources == SOURCES
    assert [other_sources.interval.low, other_sources.interval.high] == pytest.approx(
        [min(low, middle - half), max(high, middle + half)], abs=1e-9
    )


def jackknifed(source_of: list[int]) -> tuple[float, float]:
    """Quenouille's estimate of alpha without each source in turn, and Student's half-width."""
    of, number = np.array(source_of), len(set(source_of))
    everything = alpha(Ratings.from_matrix(CELLS), "ordinal").value or 0.0
    left = [
        alpha(Ratings.from_matrix(CELLS[of != source]), "ordinal").value or 0.0
        for source in range(number)
    ]
    error = (number - 1) * np.var(left)
    middle = number * everything - (number - 1) * np.mean(left)
    return float(middle), float(stats.t.ppf(0.975, number - 1) * error**0.5)


def test_it_is_wider_where_sources_matter():
    dimension = report(CELLS, OF)
    over_items: Any = dimension.fitting_alpha.interval
    over_sources: Any = dimension.other_sources.interval
    assert over_sources.high - over_sources.low > over_items.high - over_items.low
    figures = dimension.as_dict()["other_sources"]
    assert figures["interval"] == pytest.approx([over_sources.low, over_sources.high])
    assert (figures["sources"], figures["shared"]) == (SOURCES, True)
    assert figures["method"] == (
        "expanded percentile bootstrap over source texts, and jackknife (Student's t)"
    )
    assert "|interval_over:sources|sources:12|" in figures["signature"]


def test_order_of_rows_does_not_matter():
    turned = np.arange(SOURCES * EACH)[::-1]
    other = report(CELLS[turned], {at: OF[unit] for at, unit in enumerate(turned.tolist())})
    assert other.other_sources.interval.low == pytest.approx(
        report(CELLS, OF).other_sources.interval.low
    )


@pytest.mark.parametrize("of", [None, {unit: str(unit) for unit in OF}])
def test_units_with_a_source_each_are_drawn_one_by_one(of):
    """The draws are those of the interval over items; the tails are Student's, and the jackknife
    leaves out units."""
    dimension, number = report(CELLS, of), SOURCES * EACH
    middle, half = jackknifed(list(range(number)))
    interval: Any = dimension.other_sources.interval
    over_items: Any = dimension.fitting_alpha.interval
    assert (dimension.other_sources.shared, dimension.other_sources.sources) == (False, number)
    assert interval.low <= over_items.low
    assert interval.high == pytest.approx(max(over_items.high, middle + half))


def test_of_many_sources_percentiles_are_enough():
    cells = nested(np.random.default_rng(4), JACKKNIFED_UP_TO + 1, 1)
    assert report(cells, None).other_sources.interval.method == BOOTSTRAP
    few = report(cells[:JACKKNIFED_UP_TO], None).other_sources.interval
    assert few.method.startswith(BOOTSTRAP + ", and jackknife")


def test_without_one_source_there_may_be_no_alpha():
    """All of what differs stands in one text: percentiles alone, or no interval, never a NaN."""
    cells = np.full((20, 3), 4.0)
    cells[0, 0] = 5.0
    figures = report(cells, None).as_dict()["other_sources"]
    assert figures["interval"] is None or np.isfinite(figures["interval"]).all()


def test_why_there_is_none_is_said():
    few = report(CELLS[:33], {unit: OF[unit] for unit in range(33)})
    figures = few.as_dict()["other_sources"]
    assert figures["interval"] is None
    assert figures["undefined"]["en"].startswith("No interval: it takes at least 12 original texts")
    same = report(np.full((36, 3), 4.0), OF)
    figures = same.as_dict()["other_sources"]
    assert figures["interval"] is None
    assert figures["undefined"] is not None
    assert report(CELLS, OF, draws=0).as_dict()["other_sources"]["undefined"] is not None


def test_it_holds_the_truth_more_often():
    """`python -m bench.intervals --sources` has more studies."""
    over_items, over_sources = covered_by_source(40, 3, 40)
    assert over_sources >= 0.85
    assert over_sources > over_items
