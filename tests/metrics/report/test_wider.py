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
    found = people()
    controls = [Output("", found.outputs[place].original, "x") for place in (0, 3, 0)]
    return found.with_beside(AUGMENTED, controls, ENDS)


def noisy(study):
    return study.means * 8 + np.random.default_rng(4).normal(0, 9, len(study.means))


def test_with_control_pairs_as_if_they_were_outputs(study):
    values, beside = noisy(study), np.array([100.0, 96.0, 3.0])
    found = widened(candidate("m", values, beside={AUGMENTED: beside}), study, DRAWN)
    every, human = np.append(values, beside), np.append(study.means, ENDS)
    r: Any = found["pearson_augmented"]
    assert r.value == pytest.approx(np.corrcoef(every, human)[0, 1])
    # A control pair belongs to the source of its original.
    assert (r.n, r.sources) == (len(every), 20)
    assert r.interval.low < r.value < r.interval.high
    scaled = 1 + 9 * np.clip(every, 0, 100) / 100
    expected = np.sqrt(np.mean((scaled - human) ** 2))
    assert found["rmse_augmented"].value == pytest.approx(expected)
    assert found["pearson_references"].undefined is NO_REFERENCES


def test_lower_is_better_and_no_scale(study):
    beside = {AUGMENTED: np.array([0.0, np.nan, 97.0])}
    changed = {"direction": Direction.LOWER, "bounds": None, "beside": beside}
    found = widened(candidate("m", -noisy(study), **changed), study, DRAWN)
    r: Any = found["pearson_augmented"]
    assert (r.value > 0.5, r.n) == (True, len(study.means) + 2)
    assert found["rmse_augmented"].undefined is NO_SCALE


def test_why_there_is_none(study):
    values, nowhere = noisy(study), {AUGMENTED: np.full(3, np.nan)}
    for one, reason in (
        (candidate("m", values), NO_CONTROLS),
        (candidate("m", values, beside=nowhere), NO_CONTROLS),
        (candidate("m", values, kind=Kind.JUDGE), NOT_ASKED),
    ):
        found = widened(one, study, DRAWN)
        assert found["pearson_augmented"].undefined is reason
        assert found["rmse_augmented"].undefined is reason


def test_nothing_beside_leaves_people_as_they_are():
    plain = people()
    assert plain.with_beside(REFERENCES, [], np.zeros(0)) is plain
    one = candidate("m", noisy(plain), beside={REFERENCES: np.zeros(0)})
    assert widened(one, plain, DRAWN)["pearson_references"].undefined is NO_REFERENCES


def test_r_squared(study):
    values = noisy(study)
    found = above_human(candidate("m", values), study, DRAWN)["r_squared"]
    errors = 1 + 9 * np.clip(values, 0, 100) / 100 - study.means
    expected = 1 - np.mean(errors**2) / np.var(study.means)
    assert found.value == pytest.approx(expected)
    assert found.interval.low < expected < found.interval.high
    same = People(study.outputs, np.full((len(values), 1), 5.0), 1, 10)
    found = above_human(candidate("m", values), same, DRAWN)["r_squared"]
    assert found.undefined is CONSTANT_SCORES
