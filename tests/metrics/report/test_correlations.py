"""Correlations against SciPy, also in every draw: weights must say what copies would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from annotation.metrics.report import correlations as module
from annotation.metrics.report.correlations import correlations, kendall, pearson, spearman
from annotation.metrics.report.estimate import (
    CONSTANT_SCORES,
    CONSTANT_VALUES,
    TOO_FEW,
    Drawn,
    drawn_counts,
)

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
DRAWN = Drawn(draws=20, seed=7)


def outputs(n=40, sources=15, seed=1):
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 8, n).astype(float)
    # Ties on both sides.
    values = np.round(human + rng.normal(0, 2, n))
    return values, human, rng.integers(0, sources, n)


@pytest.mark.parametrize("name", SCIPY)
def test_every_draw_is_what_copied_outputs_give(name):
    values, human, groups = outputs()
    correlation = correlations(values, human, groups, DRAWN)[name]
    assert correlation.estimate.value == pytest.approx(SCIPY[name](values, human).statistic)
    distinct = np.unique(groups)
    for again, counts in zip(
        correlation.again, drawn_counts(len(distinct), DRAWN.draws, DRAWN.seed), strict=True
    ):
        copies = counts[np.searchsorted(distinct, groups)].astype(int)
        drawn = SCIPY[name](np.repeat(values, copies), np.repeat(human, copies)).statistic
        assert again == pytest.approx(drawn)


def test_the_same_seed_gives_the_same_interval_and_another_one_another():
    values, human, groups = outputs()
    first, second, third = (
        pearson(values, human, groups, Drawn(200, seed)).estimate for seed in (1, 1, 2)
    )
    assert first == second
    assert first.interval != third.interval
    low, value, high = first.interval.low, first.value, first.interval.high
    assert None not in (low, value, high)
    assert sorted((low, value, high)) == [low, value, high]  # type: ignore[type-var]
    assert first.sources == len(np.unique(groups))


@pytest.mark.parametrize(
    ("values", "human", "reason"),
    [
        ([1, 2], [1, 2], TOO_FEW),
        ([], [], TOO_FEW),
        ([1, 2, 3], [4, 4, 4], CONSTANT_SCORES),
        ([4, 4, 4], [1, 2, 3], CONSTANT_VALUES),
    ],
)
def test_undefined_is_said_in_words(values, human, reason):
    arrays = np.array(values, float), np.array(human, float), np.arange(len(values))
    for correlation in correlations(*arrays, DRAWN).values():
        assert correlation.estimate.value is None
        assert correlation.estimate.undefined is reason
        assert correlation.estimate.as_dict()["undefined"]["fr"] == reason.fr


def test_few_sources_have_no_interval():
    estimate = pearson(np.array([1.0, 2, 4]), np.array([1.0, 3, 2]), np.arange(3), DRAWN).estimate
    assert estimate.value is not None
    assert estimate.interval.low is None
    assert estimate.as_dict()["undefined"] is not None


def test_kendall_of_many_has_no_interval(monkeypatch):
    monkeypatch.setattr(module, "MOST_FOR_KENDALL", 10)
    values, human, groups = outputs()
    estimate = kendall(values, human, groups, DRAWN).estimate
    assert estimate.value == pytest.approx(stats.kendalltau(values, human).statistic)
    assert estimate.interval.undefined is module.TOO_MANY
    constant = kendall(np.ones(40), human, groups, DRAWN).estimate
    assert constant.value is None


def test_without_draws_there_is_no_interval():
    estimate = spearman(*outputs(), drawn=Drawn(draws=0)).estimate
    assert estimate.value is not None
    assert estimate.interval.low is None


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=12))
def test_no_value_is_nan_or_beyond_one(rows):
    table = np.array(rows, float)
    for correlation in correlations(table[:, 0], table[:, 1], np.arange(len(rows)), DRAWN).values():
        value = correlation.estimate.value
        assert value is None or -1.0000001 <= value <= 1.0000001
