"""Pairwise accuracy with ties, on tables that can be counted by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.metrics.report.estimate import Drawn
from annotation.metrics.report.scale import differences
from annotation.metrics.report.ties import NO_TWO, pairwise_accuracy

DRAWN = Drawn(draws=50)


def accuracy(values, human, groups):
    return pairwise_accuracy(
        np.array(values, float), np.array(human, float), np.array(groups), DRAWN
    )


def test_small_differences_count_as_ties_where_that_helps():
    # One source, three outputs: people tie the first two, the metric nearly does.
    figure, epsilon = accuracy([5.0, 5.1, 9.0], [2, 2, 3], [0, 0, 0])
    assert figure.value == 1
    assert epsilon == pytest.approx(0.1)
    # Without the tie it would be two of three.
    figure, epsilon = accuracy([5.0, 5.1, 9.0], [2, 2.5, 3], [0, 0, 0])
    assert figure.value == 1
    assert epsilon == -1


def test_only_outputs_of_one_source_are_compared():
    figure, _ = accuracy([1, 2, 9, 3], [1, 2, 3, 9], [0, 0, 1, 1])
    assert figure.value == 0.5
    assert (figure.n, figure.sources) == (2, 2)


def test_one_output_for_each_source_is_nothing_to_compare():
    figure, _ = accuracy([1, 2, 3], [1, 2, 3], [0, 1, 2])
    assert figure.value is None
    assert figure.undefined is NO_TWO
    assert accuracy([], [], [])[0].undefined is NO_TWO


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=7))
def test_no_other_tie_would_get_more_right(rows):
    """Deutsch, Foster and Freitag (2023), section 5: all differences are tried."""
    values, human = zip(*rows, strict=True)
    figure, _ = accuracy(values, human, [0] * len(rows))
    pairs = list(combinations(range(len(rows)), 2))
    tries = {-1.0, *(abs(values[one] - values[two]) for one, two in pairs)}

    def right(epsilon):
        return sum(
            (0 if abs(values[one] - values[two]) <= epsilon else np.sign(values[one] - values[two]))
            == np.sign(human[one] - human[two])
            for one, two in pairs
        )

    assert figure.value == pytest.approx(max(map(right, tries)) / len(pairs))


def test_differences_of_one_size_are_tied_together():
    """In floats .2 - .1 and .3 - .2 are two numbers: people tie one of both pairs alone, and so no
    difference gets both right."""
    for values in ([0.3, 0.2, 0.1], [1000.2, 1000.1, 1000.0], [3e-30, 2e-30, 1e-30]):
        high, middle, low = values
        for human in ([1, 1, 2, 1], [2, 1, 1, 1]):
            figure, _ = accuracy([high, middle, middle, low], human, [0, 0, 1, 1])
            assert figure.value == 0.5


def test_differences_have_the_digits_of_the_larger():
    apart = differences(np.array([0.3, 0.2, 1000.1, 0.1]), np.array([0.2, 0.1, 1000.0, 0.0]))
    assert apart.tolist() == [0.1] * 4
    tiny = differences(np.array([3e-30, 2e-30, 5e-324]), np.array([2e-30, 1e-30, 0.0]))
    assert tiny.tolist() == [1e-30, 1e-30, 5e-324]
    assert differences(np.array([1.7e308]), np.array([-1.7e308]))[0] > 1.79e308
    assert differences(np.array([1.0]), np.array([1 - 1e-12]))[0] == 1e-12
    assert len(differences(np.zeros(0), np.zeros(0))) == 0
