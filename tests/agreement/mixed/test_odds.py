"""What a figure of one annotator rests on: their own sources, not everybody's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.agreement.mixed.odds import Estimates
from annotation.agreement.systems.figure import Drawn, counts_of
from tests.agreement.mixed.designs import bounds, ratings, reason

TEXTS = 40
OWN = {"A": TEXTS, "B": 10, "C": 7}


@pytest.fixture(scope="module")
def estimates() -> Estimates:
    table = ratings(
        [
            (system, f"text {text:02}", annotator, float(1 + (text + len(system)) % 3))
            for annotator, texts in OWN.items()
            for text in range(texts)
            for system in ("a", "bb")
        ]
    )
    counts = counts_of(table.unit, table.source, table.rater)
    return Estimates(table, np.array([0.5]), np.array([[0.04]]), counts, Drawn(), {})


@pytest.mark.parametrize(("code", "own"), [(0, 40), (1, 10)])
def test_degrees_of_freedom_are_those_of_their_own_sources(
    estimates: Estimates, code: int, own: int
) -> None:
    """The covariance has G / (G − 1) of all 40: theirs takes its place."""
    error = 0.2 * ((own / (own - 1)) / (TEXTS / (TEXTS - 1))) ** 0.5
    half = stats.t.ppf(0.975, own - 1) * error
    estimate = estimates.of_annotator("own_threshold", np.ones(1), code)
    assert bounds(estimate) == pytest.approx((0.5 - half, 0.5 + half))


def test_of_too_few_sources_there_is_no_interval(estimates: Estimates) -> None:
    estimate = estimates.of_annotator("own_threshold", np.ones(1), 2)
    assert estimate.value == 0.5
    why = reason(estimate)
    assert why is not None
    assert "at least 8" in why.en
