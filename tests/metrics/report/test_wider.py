"""Figures with control pairs, and with references, among the outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from annotation.metrics.metric import Direction, Kind
from annotation.metrics.report.correlations import CONSTANT_SCORES
from annotation.metrics.report.estimate import NO_SCALE, Drawn
from annotation.metrics.report.levels import NO_CONTROLS, NOT_ASKED, above_human
from annotation.metrics.report.people import AUGMENTED, REFERENCES, Output, People
from annotation.metrics.report.wider import NO_REFERENCES, widened
from tests.metrics.report.test_report import candidate, people

DRAWN = Drawn(draws=100, seed=5)
ENDS = np.array([10.0, 10.0, 1.0])


@pytest.fixture(scope="module")
def study():
    study_people = people()
    controls = [Output("", study_people.outputs[place].original, "x") for place in (0, 3, 0)]
    return study_people.with_beside(AUGMENTED, controls, ENDS)


def noisy(study):
    return study.means * 8 + np.random.default_rng(4).normal(0, 9, len(study.means))


def test_with_control_pairs_as_if_they_were_outputs(study):
    values, beside = noisy(study), np.array([100.0, 96.0, 3.0])
    figures = widened(candidate("m", values, beside={AUGMENTED: beside}), study, DRAWN)
    every, human = np.append(values, beside), np.append(study.means, ENDS)
    r: Any = figures["pearson_augmented"]
    assert r.value == pytest.approx(np.corrcoef(every, human)[0, 1])
    # A control pair belongs to the source of its original.
    assert (r.n, r.sources) == (len(every), 20)
    assert r.interval.low < r.value < r.interval.high
    scaled = 1 + 9 * np.clip(every, 0, 100) / 100
    expected = np.sqrt(np.mean((scaled - human) ** 2))
    assert figures["rmse_augmented"].value == pytest.approx(expected)
    assert figures["pearson_references"].undefined is NO_REFERENCES


def test_lower_is_better_and_no_scale(study):
    beside = {AUGMENTED: np.array([0.0, np.nan, 97.0])}
    changed = {"direction": Direction.LOWER, "bounds": None, "beside": beside}
    figures = widened(candidate("m", -noisy(study), **changed), study, DRAWN)
    r: Any = figures["pearson_augmented"]
    assert (r.value > 0.5, r.n) == (True, len(study.means) + 2)
    assert figures["rmse_augmented"].undefined is NO_SCALE


def test_why_there_is_none(study):
    values, nowhere = noisy(study), {AUGMENTED: np.full(3, np.nan)}
    for metric, reason in (
        (candidate("m", values), NO_CONTROLS),
        (candidate("m", values, beside=nowhere), NO_CONTROLS),
        (candidate("m", values, kind=Kind.JUDGE), NOT_ASKED),
    ):
        figures = widened(metric, study, DRAWN)
        assert figures["pearson_augmented"].undefined is reason
        assert figures["rmse_augmented"].undefined is reason


def test_nothing_beside_leaves_people_as_they_are():
    plain = people()
    assert plain.with_beside(REFERENCES, [], np.zeros(0)) is plain
    metric = candidate("m", noisy(plain), beside={REFERENCES: np.zeros(0)})
    assert widened(metric, plain, DRAWN)["pearson_references"].undefined is NO_REFERENCES


def test_r_squared(study):
    values = noisy(study)
    r_squared = above_human(candidate("m", values), study, DRAWN)["r_squared"]
    errors = 1 + 9 * np.clip(values, 0, 100) / 100 - study.means
    expected = 1 - np.mean(errors**2) / np.var(study.means)
    assert r_squared.value == pytest.approx(expected)
    assert r_squared.interval.low < expected < r_squared.interval.high
    same = People(study.outputs, np.full((len(values), 1), 5.0), 1, 10)
    r_squared = above_human(candidate("m", values), same, DRAWN)["r_squared"]
    assert r_squared.undefined is CONSTANT_SCORES
