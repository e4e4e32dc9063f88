"""What a scatter plot is drawn from, and where a metric and people disagree most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.metrics.metric import Direction
from annotation.metrics.report import points as module
from annotation.metrics.report.points import apart, line_points, people_points
from tests.metrics.report.test_report import candidate, people


@pytest.fixture
def study():
    return people()


def test_points_of_every_output(study):
    values = np.where(np.arange(60) == 3, np.nan, np.arange(60) / 7)
    points, human = line_points(candidate("m", values), study), people_points(study)
    assert human is not None
    assert human["units"][:2] == ["0/0", "0/1"]
    assert human["values"] == pytest.approx(study.means, rel=1e-5)
    assert points["values"][3] is None
    assert points["values"][4] == pytest.approx(4 / 7, abs=1e-5)
    # Twelve digits that count are kept.
    assert points["values"][1] == 0.142857142857


def test_many_outputs_are_counted_in_cells(study, monkeypatch):
    monkeypatch.setattr(module, "MOST_POINTS", 59)
    assert people_points(study) is None
    values = np.where(np.arange(60) < 5, np.nan, study.means * 2)
    cells = line_points(candidate("m", values), study)["cells"]
    counts = np.array(cells["counts"])
    assert counts.shape == (20, 20)
    assert counts.sum() == 55
    # Twice the means lie on the diagonal, or beside it where they are on an edge: rows are people
    # from low to high, columns the metric.
    assert counts.trace() > 45
    assert sum(counts.trace(offset) for offset in (-1, 0, 1)) == 55
    kept = study.means[5:]
    assert cells["people"] == pytest.approx([kept.min(), kept.max()], rel=1e-5)
    assert cells["metric"] == pytest.approx([2 * kept.min(), 2 * kept.max()], rel=1e-5)
    assert line_points(candidate("m", np.full(60, np.nan)), study) == {}


def test_disagreements_by_rank(study):
    values = study.means.copy()
    values[7], values[9] = -1, np.nan
    disagreements = apart(candidate("m", values), study)
    assert len(disagreements) == 20
    first = disagreements[0]
    assert (first["unit"], first["system"], first["metric"]) == ("2/1", "b", -1)
    kept = ~np.isnan(values)
    # Middle ranks from 1, less a half, as a share: SciPy's.
    place = (stats.rankdata(study.means[kept])[7] - 0.5) / 59
    assert first["place_people"] == pytest.approx(place, abs=1e-5)
    assert first["place_metric"] == pytest.approx(0.5 / 59, abs=1e-5)
    assert first["difference"] == pytest.approx(0.5 / 59 - place, abs=1e-5)
    sizes = [abs(disagreement["difference"]) for disagreement in disagreements]
    assert sizes == sorted(sizes, reverse=True)
    assert "3/0" not in {disagreement["unit"] for disagreement in disagreements}


def test_lower_is_better_puts_the_lowest_on_top(study):
    values = -study.means
    values[7] = 100
    disagreements = apart(candidate("m", values, direction=Direction.LOWER), study)
    assert (disagreements[0]["unit"], disagreements[0]["metric"]) == ("2/1", 100)
    assert disagreements[0]["difference"] < 0
    assert disagreements[-1]["difference"] == pytest.approx(0, abs=0.02)


def test_without_a_correlation_there_is_no_disagreement(study):
    assert apart(candidate("m", np.full(60, 3.0)), study) == []
    assert apart(candidate("m", np.full(60, np.nan)), study) == []


def test_disagreements_of_one_size_stand_in_the_order_of_the_outputs(study):
    """The metric is the people's order turned by a constant number of places: nobody is further
    apart by more than the last digit."""
    ordered = replace(study, ratings=np.arange(60.0)[:, None], lowest=0, highest=59)
    swapped = np.arange(60) ^ 1
    units = [row["unit"] for row in apart(candidate("m", swapped), ordered)]
    assert units == [output.unit for output in ordered.outputs[:20]]
