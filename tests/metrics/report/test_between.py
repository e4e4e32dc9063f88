"""Metrics against metrics, against SciPy and against what two of them give alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.metrics.metric import Direction
from annotation.metrics.report import between as module
from annotation.metrics.report.between import between
from annotation.metrics.report.correlations import CONSTANT_VALUES, spearman
from annotation.metrics.report.estimate import Drawn
from tests.metrics.report.test_report import candidate, people

DRAWN = Drawn(draws=200, seed=5)


@pytest.fixture(scope="module")
def study():
    return people()


@pytest.fixture(scope="module")
def lines(study):
    rng = np.random.default_rng(2)
    ties = np.round(study.means)
    holes = np.where(np.arange(60) < 20, np.nan, study.means + rng.normal(0, 1, 60))
    return [
        candidate("ties", ties),
        candidate("noise", rng.normal(0, 1, 60)),
        candidate("lower", -ties + rng.normal(0, 2, 60), direction=Direction.LOWER),
        candidate("holes", holes),
        candidate("undefined", np.full(60, np.nan)),
    ]


def found(lines, study, agreement):
    table = between(lines, agreement, study, DRAWN)
    pairs = {(couple["first"], couple["second"]): couple["spearman"] for couple in table["pairs"]}
    return table["names"], pairs


AGREEMENT = {"ties": 0.9, "noise": -0.1, "lower": 0.5, "holes": 0.6, "undefined": None}


def test_every_two_that_are_defined(lines, study):
    names, pairs = found(lines, study, AGREEMENT)
    assert names == ["ties", "noise", "lower", "holes"]
    assert len(pairs) == 6
    values = {line.name: line for line in lines}
    for (first, second), figure in pairs.items():
        line, other = values[first], values[second]
        both = line.present & other.present
        expected = stats.spearmanr(line.turned[both], other.turned[both]).statistic
        assert figure["value"] == pytest.approx(expected, abs=1e-9)
        assert figure["n"] == both.sum()
    assert pairs["ties", "holes"]["n"] == 40
    # Both oriented: what falls where people rise, and is better lower, agrees with what rises.
    assert pairs["ties", "lower"]["value"] > 0


def test_intervals_are_those_of_two_alone(lines, study):
    _names, pairs = found(lines, study, AGREEMENT)
    alone = spearman(lines[0].turned, lines[2].turned, study.groups, DRAWN).estimate.as_dict()
    assert pairs["ties", "lower"] == alone


def test_blocks_of_draws_change_nothing(lines, study, monkeypatch):
    before = found(lines, study, AGREEMENT)
    monkeypatch.setattr(module, "_BLOCK_CELLS", 1)
    assert found(lines, study, AGREEMENT) == before


def test_at_most_so_many_by_agreement_whichever_way(lines, study, monkeypatch):
    monkeypatch.setattr(module, "MOST", 2)
    names, pairs = found(lines, study, AGREEMENT | {"noise": -0.95})
    assert names == ["ties", "noise"]
    assert list(pairs) == [("ties", "noise")]


def test_none_has_every_output(lines, study):
    assert found(lines[3:], study, AGREEMENT)[1] == {}


@pytest.mark.parametrize("first", [True, False])
def test_constant_where_both_are_defined_is_said_of_metrics(study, first):
    steps = np.where(np.arange(60) < 20, np.arange(60), 5.0)
    holes = np.where(np.arange(60) < 20, np.nan, np.arange(60))
    lines = [candidate("steps", steps), candidate("holes", holes)][:: 1 if first else -1]
    _names, pairs = found(lines, study, {"steps": 0.5, "holes": 0.4})
    (figure,) = pairs.values()
    assert figure["undefined"]["en"] == CONSTANT_VALUES.en
