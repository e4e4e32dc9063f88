"""How much of a metric follows from counts."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.metrics.report.correlations import CONSTANT_VALUES
from annotation.metrics.report.estimate import Drawn
from annotation.metrics.report.explained import TOO_FEW_SOURCES, explained
from annotation.metrics.report.people import Output, People
from tests.metrics.report.test_report import candidate

N, DRAWN = 80, Drawn(draws=100, seed=5)


def found(values, number=N):
    rng = np.random.default_rng(3)
    counts = rng.poisson(2, (N, 2)).astype(float)[:number]
    outputs = tuple(Output("", f"t{n}", "s", source=f"t{n // 2}") for n in range(number))
    people = People(outputs, np.full((number, 1), 5.0), 1, 10)
    made = explained(["insertion", "move"], counts, people, [candidate("m", values(counts))], DRAWN)
    json.dumps(made, allow_nan=False)
    assert (made["counts"], made["folds"]) == (["insertion", "move"], 10)
    return made["metrics"]["m"]


def test_what_follows_from_one_count():
    noise = np.random.default_rng(1).normal(0, 0.5, N)
    figures = found(lambda counts: 3 * counts[:, 0] + noise)
    r_squared = figures["r_squared"]
    assert r_squared["low"] < r_squared["value"] < r_squared["high"]
    assert (r_squared["value"] > 0.9, r_squared["n"], r_squared["sources"]) == (True, N, N // 2)
    assert figures["coefficients"]["insertion"] == pytest.approx(3, abs=0.1)
    assert figures["coefficients"]["move"] == pytest.approx(0, abs=0.1)


def test_what_follows_from_nothing_is_no_better_than_the_mean():
    values = np.random.default_rng(2).normal(0, 1, N)
    values[0] = np.nan
    figures = found(lambda _counts: values)["r_squared"]
    assert figures["value"] < 0.1
    assert figures["n"] == N - 1


def test_undefined():
    figures = found(lambda _counts: np.full(N, 7.0))
    assert figures["r_squared"]["undefined"]["en"] == CONSTANT_VALUES.en
    assert set(figures["coefficients"].values()) == {None}
    few = found(lambda counts: counts[:, 0], number=30)
    assert few["r_squared"]["undefined"]["en"] == TOO_FEW_SOURCES.en
