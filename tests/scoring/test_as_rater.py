"""A scorer beside people: against their mean, and against each of them."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scoring.as_rater import ALONE, beside_people
from annotation.scoring.bootstrap import DRAWS

NAN = float("nan")
RATINGS = np.array([[9, 7, NAN], [3, 5, NAN], [8, 8, 6], [1, NAN, NAN], [6, 4, 5]], dtype=float)
SCORES = np.array([8.0, 5.0, 8.0, 2.0, 4.0])
SOURCES = np.array([0, 0, 1, 2, 3])


def beside(scores=SCORES, ratings=RATINGS, raters=("A", "B", "C"), sources=SOURCES):
    return beside_people(scores, ratings, raters, sources)


def test_the_scorer_against_the_mean_of_people():
    comparison = beside()
    means = np.array([8.0, 4.0, 22 / 3, 1.0, 5.0])
    assert (comparison.mean.rater, comparison.mean.items) == ("", 5)
    assert comparison.mean.pearson.value == pytest.approx(np.corrcoef(SCORES, means)[0, 1])
    assert comparison.mean.rmse.value == pytest.approx(np.sqrt(np.mean((SCORES - means) ** 2)))
    assert comparison.mean.severity.value == pytest.approx(np.mean(SCORES - means))
    assert comparison.mean.near.value == 1.0
    assert (
        comparison.pearson_interval.low
        < comparison.mean.pearson.value
        <= comparison.pearson_interval.high
    )
    assert comparison.rmse_interval.draws == DRAWS


def test_the_scorer_against_each_person_on_what_that_person_judged():
    first, second, third = beside().annotators
    assert [annotator.rater for annotator in (first, second, third)] == ["A", "B", "C"]
    assert [annotator.items for annotator in (first, second, third)] == [5, 4, 2]
    assert second.severity.value == pytest.approx(np.mean([1.0, 0.0, 0.0, 0.0]))
    assert first.near.value == pytest.approx(3 / 5)
    assert third.pearson.value is None, "two items have no correlation"
    # A against the mean of B and C, where one of them judged.
    assert first.person.value == pytest.approx(np.corrcoef([9, 3, 8, 6], [7, 5, 7, 4.5])[0, 1])


def test_who_judged_none_of_these_items_has_no_figure():
    annotator = beside(ratings=np.column_stack([RATINGS[:, :2], np.full(5, NAN)])).annotators[2]
    assert annotator.items == 0
    assert {
        figure.value
        for figure in (annotator.pearson, annotator.rmse, annotator.severity, annotator.near)
    } == {None}
    assert annotator.pearson.undefined is not None


def test_one_person_alone_has_nobody_to_be_read_by():
    comparison = beside(ratings=RATINGS[:, :1], raters=("A",))
    assert comparison.annotators[0].person.undefined == ALONE
    assert comparison.annotators[0].pearson.value is not None
    assert comparison.reliability.value is None


def test_the_reliability_says_of_which_items_it_is():
    """An item that one person judged has a mean, of whose reliability nothing is known."""
    comparison = beside()
    assert (comparison.mean.items, comparison.reliability_items) == (5, 4)
    rated = ~np.isnan(RATINGS).any(axis=1) | (np.isnan(RATINGS).sum(axis=1) < 2)
    without = beside(SCORES[rated], RATINGS[rated], sources=SOURCES[rated])
    assert without.reliability == comparison.reliability
    assert beside(ratings=RATINGS[:, :1], raters=("A",)).reliability_items == 0


def test_large_tables_get_fewer_draws_and_say_so():
    draws = beside(
        np.tile(SCORES, 400), np.tile(RATINGS, (400, 1)), sources=np.arange(2000)
    ).rmse_interval.draws
    assert draws == 1000


def test_one_point_off_is_within_one_point():
    """4.4 - 3.4 is a little more in floats."""
    scores = np.array([4.4, 2.2, 8.8, 3.4, 5.0])
    ratings = np.array([[3.4], [1.2], [7.8], [4.4], [6.1]])
    assert beside(scores, ratings, raters=("A",)).annotators[0].near.value == 4 / 5
