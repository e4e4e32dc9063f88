"""Intervals of scores: the quantile by its definition, and that it covers what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotation.scoring.conformal import LEVEL, around, conformal, fewest_sources, half_width
from tests.scorers.judged import judged_set
from tests.scoring.test_cross_validation import repeat


@pytest.mark.parametrize(("count", "rank"), [(9, 9), (10, 10), (19, 18), (20, 19), (99, 90)])
def test_one_item_a_source_is_split_conformal(count, rank):
    """Vovk, Gammerman and Shafer (2005): the ⌈(1 - α)(n + 1)⌉-th smallest of n."""
    residuals = np.random.default_rng(count).permutation(np.arange(1.0, count + 1))
    assert half_width(residuals, np.arange(count)) == rank


def test_too_few_sources_have_no_finite_interval():
    assert fewest_sources() == 9
    assert half_width(np.ones(8), np.arange(8)) is None
    assert half_width(np.ones(80), np.repeat(np.arange(8), 10)) is None, "items are not sources"
    assert fewest_sources(0.5) == 1
    assert half_width(np.array([2.0]), np.zeros(1, dtype=int), 0.5) == 2


def test_a_source_s_weight_is_shared_by_its_items():
    """By brute force over the weighted distribution of Lee, Barber and Willett (2023)."""
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(12), rng.integers(1, 6, 12))
    residuals = rng.exponential(1, len(groups))
    reached = [
        sum((residuals[groups == group] <= bound).mean() for group in range(12)) / 13
        for bound in np.sort(residuals)
    ]
    expected = np.sort(residuals)[next(i for i, share in enumerate(reached) if share >= 0.9)]
    assert half_width(residuals, groups) == expected


def test_new_sources_are_covered_as_often_as_is_said():
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(2000):
        sizes = rng.integers(1, 5, 31)
        groups = np.repeat(np.arange(31), sizes)
        # Items of one source err together.
        errors = np.abs(rng.normal(0, 1, 31)[groups] + rng.normal(0, 0.5, len(groups)))
        known = groups < 30
        covered.append((errors[~known] <= half_width(errors[known], groups[known])).mean())
    assert LEVEL - 0.015 < np.mean(covered) < LEVEL + 0.04


def test_what_is_kept_with_a_scorer():
    data = judged_set()
    repeats = [repeat(seed, data) for seed in (42, 43)]
    interval = conformal(data, repeats)
    assert (interval["level"], interval["sources"], interval["items"]) == (
        0.9,
        len(set(data.originals)),
        60,
    )
    errors = np.abs(np.array([out_of_fold.served for out_of_fold in repeats]) - data.labels)
    assert interval["half_width"] in errors
    inside = np.zeros((2, 60))
    for place, out_of_fold in enumerate(repeats):
        folds = np.array(out_of_fold.fold)
        groups = np.unique(data.originals, return_inverse=True)[1]
        for fold in range(5):
            held = folds == fold
            width = half_width(errors[place][~held], groups[~held])
            inside[place, held] = errors[place][held] <= width
    assert interval["coverage"]["all"]["value"] == pytest.approx(inside.mean())
    assert interval["coverage"]["all"]["items"] == 60
    parts = [interval["coverage"][name]["items"] for name in ("whole", "truncated")]
    assert sum(parts) == 60


def test_undefined_in_words():
    data = judged_set(8)
    interval = conformal(data, [repeat(1, data)])
    assert interval["half_width"] is None
    assert "at least 9" in interval["undefined"]["en"]
    assert around(5.0, interval, 1, 10)[1] == interval["undefined"]
    nothing, why = around(5.0, {}, 1, 10)
    assert (nothing.low, nothing.high) == (None, None)
    assert why is not None
    assert "before intervals were measured" in why["en"]
    alone = replace(data, pairs=judged_set(10).pairs)
    short = conformal(alone, [repeat(1, alone)])
    assert short["half_width"] is not None
    assert short["coverage"]["all"] == {"value": None, "items": 0, "low": None, "high": None}


def test_an_interval_stays_on_the_scale():
    interval = {"half_width": 2.5, "undefined": None}
    low, middle, high = (around(score, interval, 1, 10)[0] for score in (2.0, 5.0, 9.0))
    assert (low.low, low.high) == (1, 4.5)
    assert (middle.low, middle.high) == (2.5, 7.5)
    assert (high.low, high.high) == (6.5, 10)
