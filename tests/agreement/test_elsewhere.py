"""The interval of alpha for other annotators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.agreement.elsewhere import MOST_LEFT_OUT, _influences, _without_each
from annotation.agreement.raters import leave_one_out
from annotation.agreement.report import DimensionReport, dimension_report
from annotation.agreement.result import Interval
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level
from bench.intervals import SCALE, covered, scores

CELLS = scores(np.random.default_rng(1), 60, 5)


def report(cells: np.ndarray, level: str = "ordinal", **options: Any) -> DimensionReport:
    return dimension_report(Ratings.from_matrix(cells), level=level, scale=SCALE, **options)


def width(interval: Interval | None) -> float:
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low


def slopes(cells: np.ndarray, level: str) -> np.ndarray:
    """How alpha moves where one rating weighs a little more, by a difference quotient of its
    definition with weights."""
    known, step = ~np.isnan(cells), 1e-6
    x = np.where(known, cells, 0.0)
    if level == "ordinal":
        paired = known & (known.sum(axis=1, keepdims=True) > 1)
        x = np.zeros(cells.shape)
        x[paired] = stats.rankdata(cells[paired])

    def of(weights: np.ndarray) -> float:
        sizes = weights.sum(axis=1)
        gaps = (x[:, :, None] != x[:, None, :]) if level == "nominal" else None
        if gaps is None:
            gaps = (x[:, :, None] - x[:, None, :]) ** 2
        both = weights[:, :, None] * weights[:, None, :] * gaps
        flat, w = x[weights > 0], weights[weights > 0]
        apart = (flat[:, None] != flat) if level == "nominal" else (flat[:, None] - flat) ** 2
        pairs = sizes > 1
        observed = (both[pairs].sum(axis=(1, 2)) / (sizes[pairs] - 1)).sum()
        return float(1 - (w.sum() - 1) * observed / (w @ apart @ w))

    base = known & (known.sum(axis=1, keepdims=True) > 1)
    differences = []
    for unit, rater in np.argwhere(base).tolist():
        more = base.astype(float)
        more[unit, rater] += step
        less = base.astype(float)
        less[unit, rater] -= step
        differences.append((of(more) - of(less)) / (2 * step))
    return np.array(differences)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_slopes_are_those_of_alpha(level):
    cells = np.array(CELLS[:12])
    cells[0, 1:] = np.nan
    cells[1, :3] = np.nan
    moves = _influences(Ratings.from_matrix(cells), Level(level)).moves
    assert moves == pytest.approx(slopes(cells, level), rel=1e-4, abs=1e-7)


def test_by_the_formulas():
    """The squared error for other texts, the jackknife's variance (n − 1)/n Σ (α₋ᵢ − mean)² over
    people, less what stands in both; Satterthwaite's degrees of freedom. Recomputed with SciPy."""
    dimension = report(CELLS)
    ratings = Ratings.from_matrix(CELLS)
    left = np.array(
        [coefficient.value for coefficient in leave_one_out(ratings, "ordinal").values()]
    )
    of_people = 4 / 5 * float(((left - left.mean()) ** 2).sum())
    of_items = dimension.other_sources.error**2
    moves = slopes(CELLS, "ordinal").reshape(60, 5)
    rest = moves - moves.mean(axis=1, keepdims=True) - moves.mean(axis=0) + moves.mean()
    of_both = float((rest**2).sum()) / (59 * 4) * 300
    total = of_items + of_people
    freedom = total**2 / (of_items**2 / 59 + of_people**2 / 4)
    half = stats.t.ppf(0.975, freedom) * max(total - of_both, of_items, of_people) ** 0.5
    value, here = dimension.fitting_alpha.value, dimension.other_sources.interval
    assert [dimension.other_annotators.low, dimension.other_annotators.high] == pytest.approx(
        [min(value - half, here.low), max(value + half, here.high)], abs=1e-6
    )
    assert dimension.leading is dimension.other_annotators


def test_too_few_are_said():
    dimension = report(CELLS[:, :3])
    assert dimension.other_annotators.low is None
    assert "at least 4" in dimension.other_annotators.undefined.en
    assert dimension.leading is dimension.other_sources.interval
    assert report(np.full((20, 3), 4.0)).other_annotators is None


def test_without_an_interval_for_these_people_there_is_none_for_others():
    dimension = report(CELLS[:5])
    assert dimension.other_annotators.low is None
    assert dimension.other_annotators.undefined == dimension.other_sources.interval.undefined
    assert report(CELLS, draws=0).other_annotators.low is None


def test_somebody_without_whom_there_is_no_alpha_is_said():
    """One person has something in common with each of the others, who have nothing among
    themselves."""
    cells = np.full((40, 5), np.nan)
    cells[:, 0] = CELLS[:40, 0]
    for rater in range(1, 5):
        cells[rater - 1 :: 4, rater] = CELLS[rater - 1 : 40 : 4, rater]
    interval = report(cells).other_annotators
    assert interval.low is None
    assert "computed without 4 of the 5 only" in interval.undefined.en
    assert "sans 4 des 5" in interval.undefined.fr


def test_it_stays_on_the_scale_of_alpha():
    rng = np.random.default_rng(2)
    cells = np.where(rng.random((14, 4)) < 0.5, 1.0, 10.0)
    interval: Any = report(cells).other_annotators
    assert -1.0 <= interval.low < interval.high <= 1.0


def test_perfect_agreement_tells_nothing_of_others():
    dimension = report(np.repeat(np.arange(20.0)[:, None] % 4 + 1, 4, axis=1))
    assert dimension.fitting_alpha.value == 1.0
    assert (dimension.other_annotators.low, dimension.other_annotators.high) == (None, None)


def test_of_many_people_the_slope_stands_for_leaving_each_out():
    """Both ways of the same 31 people: within a fifth of each other."""
    cells = scores(np.random.default_rng(3), 60, MOST_LEFT_OUT + 1)
    ratings = Ratings.from_matrix(cells)
    by_slopes = report(cells)
    left = np.array(
        [coefficient.value for coefficient in leave_one_out(ratings, "ordinal").values()]
    )
    exact = (len(left) - 1) / len(left) * float(((left - left.mean()) ** 2).sum())
    moves = _without_each(ratings, Level.ORDINAL, 0.0, _influences(ratings, Level.ORDINAL))
    near = (len(left) - 1) / len(left) * float(((moves - moves.mean()) ** 2).sum())
    assert near == pytest.approx(exact, rel=0.2)
    assert by_slopes.other_annotators.low is not None


def test_it_is_wider_than_the_one_for_these_people():
    dimension = report(CELLS)
    assert width(dimension.other_annotators) > width(dimension.other_sources.interval)


@pytest.mark.slow
@pytest.mark.walk
def test_other_people_are_covered():
    """Of 150 studies with people drawn anew: three standard errors below 95 %; the interval over
    items alone covers less. More: `python -m bench.intervals`."""
    over_items, over_both = covered(60, 5, 150)
    assert over_both >= 0.9
    assert over_items < over_both
