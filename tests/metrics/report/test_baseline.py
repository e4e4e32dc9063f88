"""The original alone: the regression against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge  # type: ignore[import-untyped]

from annotation.metrics.report import baseline
from annotation.metrics.report.people import Output, People


@pytest.mark.parametrize("texts", [9, 700])
def test_the_regression_is_scikit_learn_s(texts):
    """Fewer texts than columns, and more."""
    rng = np.random.default_rng(1)
    known, unseen = rng.random((texts, baseline.COLUMNS)), rng.random((5, baseline.COLUMNS))
    labels = rng.random(texts)
    theirs = Ridge(alpha=baseline.RIDGE).fit(known, labels).predict(unseen) - labels.mean()
    np.testing.assert_allclose(baseline._ridge(known, labels, unseen), theirs, atol=1e-12)


def _people(rng: np.random.Generator, informative: float) -> People:
    """Twelve sources of four outputs each; half of them have words of their own
    and get as many points more."""
    words = [f"word{number}" for number in range(200)]
    own = " ".join(f"own{number}" for number in range(20))
    originals = [" ".join(rng.choice(words, 30)) for _ in range(12)]
    outputs = [
        Output(f"{source}/{n}", f"{original} {own * (source % 2)}", f"text {n}")
        for source, original in enumerate(originals)
        for n in range(4)
    ]
    more = informative * np.repeat(np.arange(12) % 2, 4)
    ratings = np.clip(5 + more + rng.normal(size=48), 1, 10)[:, None]
    return People(tuple(outputs), ratings, 1, 10)


def _correlation(seed: int, informative: float) -> float:
    people = _people(np.random.default_rng(seed), informative)
    line = baseline.original_alone(people, seed)
    return float(np.corrcoef(line.values, people.means)[0, 1])


def test_where_words_tell_nothing_the_correlation_is_as_often_above_zero_as_below() -> None:
    """Of predictions with each fold's own mean every one of these was below zero, -0.5 in the
    middle."""
    drawn = [_correlation(seed, 0.0) for seed in range(60)]
    assert abs(np.mean(drawn)) < 3 * np.std(drawn) / np.sqrt(60)
    assert 18 <= sum(value > 0 for value in drawn) <= 42


def test_where_words_tell_much_it_says_so() -> None:
    assert np.mean([_correlation(seed, 3.0) for seed in range(5)]) > 0.4
