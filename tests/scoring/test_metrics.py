"""Metrics against values worked by hand or given by scikit-learn and scipy; the undefined says
why."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scoring.bootstrap import compare, interval, resamples
from annotation.scoring.errors import ScoringError
from annotation.scoring.metrics import (
    CONSTANT_IN_FOLDS,
    CONSTANT_LABELS,
    CONSTANT_PREDICTIONS,
    TOO_FEW,
    Metric,
    calibration,
    evaluate,
    pearson,
    rmse,
)

RNG = np.random.default_rng(7)
LABELS = RNG.uniform(1, 10, 80)
PREDICTIONS = LABELS + RNG.normal(0, 2, 80)


def test_all_agree_with_scipy_and_scikit_learn():
    # Two seconds, which every process that only collects this file would spend.
    from scipy import stats  # type: ignore[import-untyped]
    from sklearn import metrics as reference  # type: ignore[import-untyped]

    figures = evaluate(PREDICTIONS, LABELS)
    assert figures.items == 80
    assert figures.pearson.value == pytest.approx(stats.pearsonr(PREDICTIONS, LABELS).statistic)
    assert figures.spearman.value == pytest.approx(stats.spearmanr(PREDICTIONS, LABELS).statistic)
    assert figures.r2.value == pytest.approx(reference.r2_score(LABELS, PREDICTIONS))
    assert figures.rmse.value == pytest.approx(
        reference.root_mean_squared_error(LABELS, PREDICTIONS)
    )
    assert figures.mae.value == pytest.approx(reference.mean_absolute_error(LABELS, PREDICTIONS))


def test_share_above_counts_only_what_lies_above_and_by_how_much():
    figures = evaluate(np.array([2.0, 5.0, 4.0, 9.0]), np.array([1.0, 5.0, 6.0, 6.0]))
    assert figures.share_above.value == 0.5
    assert figures.mean_above.value == 2.0
    assert evaluate(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 5.0])).mean_above.value is None


@pytest.mark.parametrize(
    ("predictions", "labels", "reason"),
    [
        ([1, 2, 3], [5, 5, 5], CONSTANT_LABELS),
        ([5, 5, 5], [1, 2, 3], CONSTANT_PREDICTIONS),
        ([1, 2], [1, 2], TOO_FEW),
    ],
)
def test_undefined_is_none_with_words(predictions, labels, reason):
    correlation = evaluate(np.array(predictions, float), np.array(labels, float)).pearson
    assert correlation.value is None
    assert correlation.undefined is reason


@pytest.mark.parametrize(
    ("predictions", "folds", "is_defined"),
    [
        # One item of each fold, as among those that were not cut off: nothing is told of folds.
        ([1, 2, 4, 3], [0, 1, 2, 3], True),
        ([1, 2, 4, 3], [0, 0, 1, 2], True),
        ([2, 2, 4, 3], [0, 0, 1, 2], False),
        ([2, 2, 3, 3], [0, 0, 1, 1], False),
    ],
)
def test_a_fold_of_one_item_is_not_called_constant(predictions, folds, is_defined):
    scores, labels = np.array(predictions, float), np.array([1.0, 2.0, 3.0, 4.0])
    dealt = np.array(folds)
    figures, reason = evaluate(scores, labels, folds=dealt), CONSTANT_IN_FOLDS
    for correlation in (figures.pearson, figures.spearman):
        assert correlation.undefined is (None if is_defined else reason)
        assert (correlation.value is not None) is is_defined


def test_no_item_defines_nothing():
    figures = evaluate(np.array([]), np.array([]))
    assert (figures.rmse.value, figures.share_above.value, figures.pearson.value) == (
        None,
        None,
        None,
    )


def test_bad_input_is_refused():
    with pytest.raises(ScoringError, match="as many"):
        evaluate(np.array([1.0]), np.array([1.0, 2.0]))
    with pytest.raises(ScoringError, match="not a number"):
        evaluate(np.array([np.nan]), np.array([1.0]))


def test_calibration_bins_hold_every_item_once():
    bins = calibration(PREDICTIONS, LABELS, np.arange(1.0, 11.0))
    assert sum(calibration_bin.items for calibration_bin in bins) == 80
    assert all(calibration_bin.items for calibration_bin in bins)


def test_an_interval_repeats_with_its_seed_and_holds_the_value():
    first, again = (interval(PREDICTIONS, LABELS, pearson, seed=3, draws=400) for _ in range(2))
    assert first == again
    assert first.low is not None
    assert first.high is not None
    assert first.low < (pearson(PREDICTIONS, LABELS).value or 0) < first.high


def test_a_paired_test_sees_a_better_scorer_and_not_the_same_one():
    worse = LABELS + np.random.default_rng(1).normal(0, 5, 80)
    better = compare(PREDICTIONS, worse, LABELS, seed=1, draws=400)
    assert better.pearson.interval.excludes_zero
    assert (better.pearson.value.value or 0) > 0 > (better.rmse.value.value or 0)
    same = compare(PREDICTIONS, PREDICTIONS, LABELS, seed=1, draws=100)
    assert same.pearson.value.value == 0
    assert not same.pearson.interval.excludes_zero


@pytest.mark.parametrize("groups", [None, np.arange(80) // 3])
def test_a_paired_test_is_that_of_its_draws_one_by_one(groups):
    other = np.where(np.arange(80) < 78, 5.0, LABELS)  # constant in too many draws
    comparison = compare(PREDICTIONS, other, LABELS, groups=groups, seed=1, draws=200)
    drawn = resamples(80, groups, 1, 200)
    for name, formula in (("pearson", pearson), ("rmse", lambda *two: Metric(rmse(*two)))):
        both = [
            [formula(scores[draw], LABELS[draw]).value for scores in (PREDICTIONS, other)]
            for draw in drawn
        ]
        values = [one - two for one, two in both if one is not None and two is not None]
        interval = getattr(comparison, name).interval
        if len(values) < 190:
            assert interval.low is None
        else:
            assert [interval.low, interval.high] == pytest.approx(
                np.percentile(values, [2.5, 97.5])
            )


def test_resampling_by_group_keeps_sources_whole():
    groups = np.array([0, 0, 1, 2, 2, 2])
    for drawn in resamples(6, groups, 0, 20):
        counts = np.bincount(drawn, minlength=6)
        assert counts[0] == counts[1]
        assert counts[3] == counts[4] == counts[5]


def test_an_interval_of_constant_labels_is_undefined():
    ends = interval(PREDICTIONS[:10], np.ones(10), pearson, draws=50)
    assert (ends.low, ends.high) == (None, None)
    assert ends.undefined is not None
