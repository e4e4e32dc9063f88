"""A scorer's own figure: folds by source text, metrics of every repeat, intervals; held against
numpy and scikit-learn."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from sklearn.metrics import root_mean_squared_error  # type: ignore[import-untyped]

from annotation.scoring.baselines import signals
from annotation.scoring.bootstrap import interval_of_repeats
from annotation.scoring.cross_validation import (
    OutOfFold,
    cross_validation,
    headline,
    out_of_fold_csv,
    out_of_fold_scores,
    pair_key,
)
from annotation.scoring.errors import ScoringError
from annotation.scoring.folds import grouped_folds
from annotation.scoring.metrics import CONSTANT_IN_FOLDS
from annotation.scoring.report import against_mean
from annotation.scoring.splits import common_split, source_groups
from annotation.scoring.strata import looks_truncated
from tests.scorers.judged import judged_set


def repeat(seed: int, data) -> OutOfFold:
    folds = grouped_folds(data.labels, source_groups(data.originals), seed)
    place = np.zeros(len(data.pairs), dtype=int)
    for number, fold in enumerate(folds):
        place[fold.held] = number
    noise = np.random.default_rng(seed).normal(0, 1.5, len(data.pairs))
    scores = np.clip(data.labels + noise, 1, 10).tolist()
    return OutOfFold(seed, place.tolist(), scores, scores)


def test_every_item_is_held_out_once_with_its_whole_source():
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 40, 120)
    labels = rng.uniform(1, 10, 120)
    folds = grouped_folds(labels, groups, 7)
    assert len(folds) == 5
    assert np.sort(np.concatenate([fold.held for fold in folds])).tolist() == list(range(120))
    for fold in folds:
        assert not set(groups[fold.held]) & set(groups[fold.train])
        assert abs(labels[fold.held].mean() - labels.mean()) < 1, "labels are spread"
    again = grouped_folds(labels, groups, 7)
    assert all((a.held == b.held).all() for a, b in zip(folds, again, strict=True))
    other = grouped_folds(labels, groups, 8)
    assert any(a.held.tolist() != b.held.tolist() for a, b in zip(folds, other, strict=True))


def test_few_sources_give_few_folds_none_of_them_empty():
    for sources in (2, 3, 4, 6):
        groups = np.repeat(np.arange(sources), 3)
        folds = grouped_folds(np.linspace(1, 10, 3 * sources), groups, 1)
        assert len(folds) == min(5, sources)
        assert all(len(fold.held) and len(fold.train) for fold in folds)
    lopsided = np.array([0] * 30 + [1, 2, 3, 4])
    assert all(len(fold.held) for fold in grouped_folds(np.ones(34), lopsided, 1))
    with pytest.raises(ScoringError) as refused:
        grouped_folds(np.ones(3), np.zeros(3, dtype=int), 1)
    assert refused.value.code == "too_few_sources"


def test_the_figure_is_the_mean_over_the_repeats_of_all_items():
    data = judged_set()
    data = replace(
        data,
        pairs=tuple(
            replace(pair, finish_reason="length" if number % 3 else "stop")
            for number, pair in enumerate(data.pairs)
        ),
    )
    repeats = [repeat(seed, data) for seed in (42, 43, 44)]
    pairs = [(pair.original, pair.simplification) for pair in data.pairs]
    report = cross_validation(data, repeats, signals(pairs))
    expected = [np.corrcoef(out_of_fold.served, data.labels)[0, 1] for out_of_fold in repeats]
    assert report["summary"]["pearson"]["mean"] == pytest.approx(np.mean(expected))
    assert report["summary"]["pearson"]["sd"] == pytest.approx(np.std(expected, ddof=1))
    errors = [root_mean_squared_error(data.labels, out_of_fold.served) for out_of_fold in repeats]
    assert report["summary"]["rmse"]["mean"] == pytest.approx(np.mean(errors))
    whole = [not looks_truncated(pair.simplification, pair.finish_reason) for pair in data.pairs]
    inside = [
        np.corrcoef(np.array(out_of_fold.served)[whole], data.labels[whole])[0, 1]
        for out_of_fold in repeats
    ]
    assert report["whole"]["summary"]["pearson"]["mean"] == pytest.approx(np.mean(inside))
    assert report["whole"]["summary"]["items"] == sum(whole)
    assert report["method"] == {
        "by": "source",
        "folds": 5,
        "repeats": 3,
        "seeds": [42, 43, 44],
    }
    assert (report["items"], report["sources"]) == (60, len(set(data.originals)))
    ends = report["intervals"]["pearson"]
    assert ends["low"] < np.mean(expected) < ends["high"]
    kept = headline(report)
    assert kept["pearson"] == report["summary"]["pearson"]
    assert kept["intervals"] == report["intervals"]


def test_what_is_one_number_in_each_fold_has_no_correlation():
    """The mean of the other folds' labels is lower where a fold's own are higher: pooled, it
    correlates negatively with them whatever they are."""
    data = judged_set()
    dealt = repeat(42, data)
    folds = np.array(dealt.fold)
    means = np.array([data.labels[folds != fold].mean() for fold in folds])
    assert np.corrcoef(means, data.labels)[0, 1] < 0
    signal_values = {"chrf": np.linspace(0, 1, len(folds)), "truncation": np.zeros(len(folds))}
    useless = replace(dealt, served=means.tolist())
    report = cross_validation(data, [dealt, useless], signal_values)
    of_baseline = {row["name"]: row["summary"] for row in report["baselines"]}
    for name in ("mean", "truncation"):
        for figure in ("pearson", "spearman"):
            assert of_baseline[name][figure]["undefined"] == asdict(CONSTANT_IN_FOLDS)
        assert of_baseline[name]["rmse"]["mean"] == pytest.approx(
            root_mean_squared_error(data.labels, means)
        )
    assert of_baseline["chrf"]["pearson"]["mean"] is not None
    # A scorer is no better off: of the two repeats one defines the figure.
    assert report["summary"]["pearson"]["seeds"] == 1
    alone = cross_validation(data, [useless], signal_values)
    assert alone["summary"]["pearson"]["undefined"] == asdict(CONSTANT_IN_FOLDS)
    assert alone["intervals"]["pearson"]["low"] is None
    assert alone["intervals"]["rmse"]["low"] is not None


def test_against_the_mean_only_errors_are_compared():
    data = judged_set()
    against = against_mean(data, repeat(42, data))
    assert against["pearson"]["value"] == {"value": None, "undefined": asdict(CONSTANT_IN_FOLDS)}
    assert against["pearson"]["interval"]["low"] is None
    assert against["pearson"]["interval"]["undefined"] == asdict(CONSTANT_IN_FOLDS)
    assert against["rmse"]["value"]["value"] < 0
    assert against["rmse"]["interval"]["high"] < 0


def test_lines_on_one_signal_are_fitted_in_the_folds_of_the_same_repeat():
    data = judged_set()
    out_of_fold = repeat(42, data)
    values = np.linspace(0, 1, len(data.pairs)) ** 2
    report = cross_validation(data, [out_of_fold], {"chrf": values})
    line = next(row for row in report["baselines"] if row["name"] == "chrf")
    expected = np.zeros(len(values))
    for fold in range(5):
        held = np.array(out_of_fold.fold) == fold
        slope, cut = np.polyfit(values[~held], data.labels[~held], 1)
        expected[held] = slope * values[held] + cut
    assert line["summary"]["rmse"]["mean"] == pytest.approx(
        root_mean_squared_error(data.labels, expected)
    )
    assert line["summary"]["pearson"]["mean"] == pytest.approx(
        np.corrcoef(expected, data.labels)[0, 1]
    )


def test_an_interval_of_repeats_holds_both_sources_and_repeats():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(50), 2)
    labels = rng.normal(0, 1, 100)
    predictions = np.array([labels + rng.normal(0, sd, 100) for sd in (0.5, 2.0)])
    both = interval_of_repeats("pearson", predictions, labels, groups, 5)
    singly = [
        interval_of_repeats("pearson", predictions[[place]], labels, groups, 5) for place in (0, 1)
    ]
    assert both.low is not None
    assert both.high is not None
    assert singly[0].low is not None
    assert singly[1].high is not None
    assert both.low < singly[0].low
    assert both.high > singly[1].high
    # One repeat: a mean over draws computed by hand.
    drawn = np.random.default_rng(5).integers(0, 50, size=(2000, 50))
    by_hand = [
        np.corrcoef(
            predictions[0][(places := np.concatenate([2 * row, 2 * row + 1]))], labels[places]
        )[0, 1]
        for row in drawn
    ]
    assert singly[0].low == pytest.approx(np.percentile(by_hand, 2.5))


def test_the_file_gives_back_each_pair_s_first_score():
    data = judged_set(20)
    odd = replace(data.pairs[0], simplification="=1+1\r\nune «phrase»", key="=key")
    data = replace(data, pairs=(odd, *data.pairs[1:]))
    repeats = [repeat(42, data), repeat(43, data)]
    assert OutOfFold.from_json(repeats[0].to_json()) == repeats[0]
    known = out_of_fold_scores(out_of_fold_csv(data, repeats))
    assert [known[pair_key(pair)] for pair in data.pairs] == pytest.approx(repeats[0].served)


def test_seeds_are_compared_on_one_validation_part():
    originals = [f"Clause {number // 2}" for number in range(120)]
    splits = [common_split(originals, seed) for seed in (42, 43, 44)]
    groups = source_groups(originals)
    for split in splits:
        assert split.validation.tolist() == splits[0].validation.tolist()
        sides = [set(groups[side]) for side in (split.train, split.validation, split.test)]
        assert sum(map(len, sides)) == len(set.union(*sides)) == 60
        assert (len(split.train), len(split.validation), len(split.test)) == (72, 12, 36)
    assert splits[0].test.tolist() != splits[1].test.tolist()
    with pytest.raises(ScoringError):
        common_split(originals[:6], 42)
