"""The interval of alpha for other annotators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.agreement.elsewhere import NOTHING_VARIES, other_annotators
from annotation.agreement.raters import leave_one_out
from annotation.agreement.report import dimension_report
from annotation.agreement.result import Coefficient, Interval
from annotation.agreement.systems import resampling
from annotation.agreement.table import Ratings
from bench.intervals import SCALE, covered, scores


def known(low: float | None, high: float | None, items: int = 40) -> Coefficient:
    return Coefficient(0.4, None, items, 5, 200, Interval(low, high, 0.95, 1000))


def width(interval: Interval | None) -> float:
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low


def test_by_the_formulas():
    """Jackknife variance (n − 1)/n Σ (α₋ᵢ − mean)², with the interval's over items; Satterthwaite's
    degrees of freedom."""
    left = [0.30, 0.35, 0.42, 0.45, 0.40]
    of_people = 4 / 5 * np.sum((np.array(left) - np.mean(left)) ** 2)
    of_items = (0.2 / (2 * stats.norm.ppf(0.975))) ** 2
    total = of_people + of_items
    freedom = total**2 / (of_items**2 / 39 + of_people**2 / 4)
    half = stats.t.ppf(0.975, freedom) * total**0.5
    found = other_annotators(known(0.3, 0.5), left)
    assert (found.low, found.high) == pytest.approx((0.4 - half, 0.4 + half))


def test_an_interval_over_sources_is_student_s_already():
    """Of so many sources, t · SE on either side: its standard error is not taken for larger."""
    left, spread, sources = [0.4, 0.4, 0.4, 0.4, 0.4001], 0.1, 10
    half = stats.t.ppf(0.975, sources - 1) * spread
    over_sources = Interval(0.4 - half, 0.4 + half, 0.95, 1000, method=resampling.BOOTSTRAP)
    found = other_annotators(Coefficient(0.4, None, sources, 5, 200, over_sources), left)
    assert width(found) == pytest.approx(2 * half, rel=1e-3)


def test_too_few_are_said():
    found = other_annotators(known(0.3, 0.5), [0.3, 0.4, 0.5])
    assert found.low is None
    assert "at least 4" in found.undefined.en
    assert other_annotators(known(None, None), [0.3] * 5) is None


def test_somebody_without_whom_there_is_no_alpha_is_said():
    found = other_annotators(known(0.3, 0.5), [0.3, 0.4, 0.5, 0.4, None])
    assert found.low is None
    assert "computed without 4 of the 5 only" in found.undefined.en
    assert "sans 4 des 5" in found.undefined.fr


def test_it_stays_on_the_scale_of_alpha():
    found = other_annotators(known(0.1, 0.7), [-0.9, 0.9, -0.5, 0.8, 0.4])
    assert (found.low, found.high) == (-1.0, 1.0)


def test_nothing_that_varies_is_not_certainty():
    found = other_annotators(known(0.4, 0.4), [0.4] * 5)
    assert (found.low, found.high) == (None, None)
    assert found.undefined is NOTHING_VARIES


def test_perfect_agreement_tells_nothing_of_others():
    ratings = Ratings.from_matrix(np.repeat(np.arange(20.0)[:, None] % 4 + 1, 4, axis=1))
    alpha = dimension_report(ratings, level="ordinal", scale=SCALE).fitting_alpha
    left = [one.value for one in leave_one_out(ratings, "ordinal").values()]
    assert left == [1.0] * 4
    assert other_annotators(alpha, left).undefined is NOTHING_VARIES


def test_it_is_wider_than_the_one_for_these_people():
    ratings = Ratings.from_matrix(scores(np.random.default_rng(1), 60, 5))
    alpha = dimension_report(ratings, level="ordinal", scale=SCALE).fitting_alpha
    left = [one.value for one in leave_one_out(ratings, "ordinal").values()]
    found = other_annotators(alpha, left)
    assert width(found) > width(alpha.interval)


@pytest.mark.slow
@pytest.mark.walk
def test_other_people_are_covered():
    """Of 150 studies with people drawn anew: three standard errors below 95 %; the interval over
    items alone covers less. More: `python -m bench.intervals`."""
    over_items, over_both = covered(60, 5, 150)
    assert over_both >= 0.9
    assert over_items < over_both
