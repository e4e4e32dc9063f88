"""Means of systems with everybody's severity taken out."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.agreement.consensus import consensus, rater_severities
from annotation.agreement.systems import severity
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.severity import adjusted_means
from annotation.agreement.systems.table import Output, system_ratings
from annotation.agreement.systems.wording import (
    APART_PEOPLE,
    NO_MEAN,
    NO_RATING_OF_SYSTEM,
    SEVERITY_OF_ONE,
)
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level

DRAWN = Drawn(draws=200, seed=1)


def system_table(matrix, systems=("a", "b"), level=Level.INTERVAL):
    """Outputs in turn of each system, one after another of each text."""
    ratings = Ratings.from_matrix(np.asarray(matrix, dtype=float))
    outputs = [
        Output(unit, systems[unit % len(systems)], unit // len(systems))
        for unit in range(ratings.n_units)
    ]
    return system_ratings(ratings, outputs, level=level, scale=range(-5, 30)), ratings


def planted():
    """Twenty texts; «b» is worth 2 points less. The strict third person (−3) judges «a» alone, and
    so hides it from raw means."""
    rng = np.random.default_rng(2)
    rows: list[np.ndarray] = []
    for worth in np.repeat(rng.integers(8, 12, 20), 2):
        is_b = len(rows) % 2
        answers = worth - 2 * is_b + np.array([0, 1, -3])
        rows.append(np.where([True, True, not is_b], answers, np.nan))
    return np.array(rows)


def test_what_is_planted_comes_out():
    table, ratings = system_table(planted())
    first, second = adjusted_means(table, DRAWN)
    assert first.value is not None
    assert second.value is not None
    assert first.interval is not None
    assert first.value - second.value == pytest.approx(2, abs=1e-9)
    assert (first.interval.low or 0) < first.value < (first.interval.high or 0)
    assert first.counts.people == 3
    assert "severity_adjusted_mean" in first.signature
    # The same as the mean of the labels that are adjusted one by one.
    labels = consensus(ratings, "severity_adjusted_mean").labels
    assert first.value == pytest.approx(np.mean([label.value for label in labels[::2]]))
    assert np.ptp(rater_severities(ratings)) == pytest.approx(4)


def test_who_all_judge_everything_change_nothing():
    rng = np.random.default_rng(4)
    matrix = rng.integers(1, 10, (24, 3)) + np.array([0, 2, 4])
    table, _ratings = system_table(matrix)
    first, second = adjusted_means(table, DRAWN)
    assert first.value == pytest.approx(matrix[::2].mean())
    assert second.value == pytest.approx(matrix[1::2].mean())


def test_what_cannot_be_told_is_said(monkeypatch):
    whole = planted()
    assert adjusted_means(system_table(whole, level=Level.NOMINAL)[0], DRAWN)[0].undefined is (
        NO_MEAN
    )
    alone = adjusted_means(system_table(whole[:, :1])[0], DRAWN)
    assert {figure.undefined for figure in alone} == {SEVERITY_OF_ONE}
    apart = np.full((8, 2), np.nan)
    apart[:4, 0] = apart[4:, 1] = 3
    assert adjusted_means(system_table(apart)[0], DRAWN)[0].undefined is APART_PEOPLE
    empty = np.where(np.arange(40)[:, None] % 2 == 0, whole, np.nan)
    first, second = adjusted_means(system_table(empty)[0], DRAWN)
    assert first.value is not None
    assert second.undefined is NO_RATING_OF_SYSTEM
    nobody = adjusted_means(system_table(np.full((2, 2), np.nan))[0], DRAWN)
    assert {figure.undefined for figure in nobody} == {NO_RATING_OF_SYSTEM}
    monkeypatch.setattr(severity, "MOST_PEOPLE", 2)
    (many, _second) = adjusted_means(system_table(whole)[0], DRAWN)
    assert many.value == pytest.approx(first.value, abs=5)
    assert many.interval.low is None
    assert many.interval.undefined is not None
