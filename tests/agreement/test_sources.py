"""The interval of alpha for other source texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from annotation.agreement.bootstrap import resampled_counts
from annotation.agreement.coefficients import alpha
from annotation.agreement.report import DimensionReport, dimension_report
from annotation.agreement.systems.resampling import tail_of
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
    found = report(CELLS, OF, draws=40).other_sources
    drawn = []
    for counts in resampled_counts(np.ones(SOURCES, dtype=np.int64), 40, 5):
        for row in counts.astype(int):
            units = [
                at * EACH + one for at, n in enumerate(row) for _ in range(n) for one in range(3)
            ]
            drawn.append(alpha(Ratings.from_matrix(CELLS[units]), "ordinal").value)
    tail = tail_of(SOURCES)
    assert found.sources == SOURCES
    assert [found.interval.low, found.interval.high] == pytest.approx(
        np.quantile(drawn, [tail, 1 - tail]).tolist(), abs=1e-9
    )


def test_it_is_wider_where_sources_matter_and_the_one_to_go_on_with():
    found = report(CELLS, OF)
    over_items: Any = found.fitting_alpha.interval
    over_sources: Any = found.alpha_by_source.interval
    assert over_sources == found.other_sources.interval
    assert found.alpha_by_source.items == SOURCES
    assert over_sources.high - over_sources.low > over_items.high - over_items.low
    told = found.as_dict()["other_sources"]
    assert told["interval"] == pytest.approx([over_sources.low, over_sources.high])
    assert told["sources"] == SOURCES
    assert told["method"] == "expanded percentile bootstrap over source texts"
    assert "|drawn:sources|sources:12|" in told["signature"]


def test_order_of_rows_does_not_matter():
    turned = np.arange(SOURCES * EACH)[::-1]
    other = report(CELLS[turned], {at: OF[unit] for at, unit in enumerate(turned.tolist())})
    assert other.other_sources.interval.low == pytest.approx(
        report(CELLS, OF).other_sources.interval.low
    )


@pytest.mark.parametrize("of", [None, {unit: str(unit) for unit in OF}])
def test_units_with_a_source_each_have_no_second_interval(of):
    found = report(CELLS, of)
    assert found.other_sources is None
    assert found.alpha_by_source == found.fitting_alpha
    assert found.as_dict()["other_sources"] is None


def test_why_there_is_none_is_said():
    few = report(CELLS[:9], {unit: OF[unit] for unit in range(9)})
    told = few.as_dict()["other_sources"]
    assert told["interval"] is None
    assert told["undefined"]["en"].startswith("No interval: it takes at least 8 original texts")
    same = report(np.full((12, 3), 4.0), {unit: OF[unit] for unit in range(12)})
    told = same.as_dict()["other_sources"]
    assert told["interval"] is None
    assert told["undefined"] is not None
    assert report(CELLS, OF, draws=0).as_dict()["other_sources"]["undefined"] is not None


def test_it_holds_the_truth_more_often():
    """`python -m bench.intervals --sources` has more studies."""
    over_items, over_sources = covered_by_source(40, 3, 40)
    assert over_sources >= 0.85
    assert over_sources > over_items
