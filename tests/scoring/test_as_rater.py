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
    found = beside()
    means = np.array([8.0, 4.0, 22 / 3, 1.0, 5.0])
    assert (found.mean.rater, found.mean.items) == ("", 5)
    assert found.mean.pearson.value == pytest.approx(np.corrcoef(SCORES, means)[0, 1])
    assert found.mean.rmse.value == pytest.approx(np.sqrt(np.mean((SCORES - means) ** 2)))
    assert found.mean.severity.value == pytest.approx(np.mean(SCORES - means))
    assert found.mean.near.value == 1.0
    assert found.pearson_interval.low < found.mean.pearson.value <= found.pearson_interval.high
    assert found.rmse_interval.draws == DRAWS


def test_the_scorer_against_each_person_on_what_that_person_judged():
    first, second, third = beside().annotators
    assert [one.rater for one in (first, second, third)] == ["A", "B", "C"]
    assert [one.items for one in (first, second, third)] == [5, 4, 2]
    assert second.severity.value == pytest.approx(np.mean([1.0, 0.0, 0.0, 0.0]))
    assert first.near.value == pytest.approx(3 / 5)
    assert third.pearson.value is None, "two items have no correlation"
    # A against the mean of B and C, where one of them judged.
    assert first.person.value == pytest.approx(np.corrcoef([9, 3, 8, 6], [7, 5, 7, 4.5])[0, 1])


def test_who_judged_none_of_these_items_has_no_figure():
    found = beside(ratings=np.column_stack([RATINGS[:, :2], np.full(5, NAN)])).annotators[2]
    assert found.items == 0
    assert {one.value for one in (found.pearson, found.rmse, found.severity, found.near)} == {None}
    assert found.pearson.undefined is not None


def test_one_person_alone_has_nobody_to_be_read_by():
    found = beside(ratings=RATINGS[:, :1], raters=("A",))
    assert found.annotators[0].person.undefined == ALONE
    assert found.annotators[0].pearson.value is not None
    assert found.reliability.value is None


def test_large_tables_get_fewer_draws_and_say_so():
    draws = beside(
        np.tile(SCORES, 400), np.tile(RATINGS, (400, 1)), sources=np.arange(2000)
    ).rmse_interval.draws
    assert draws == 1000
