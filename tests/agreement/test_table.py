"""The table that every figure is computed from."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.agreement.patterns import row_keys, unit_patterns
from annotation.agreement.table import Ratings, rating_tables

HOLE = np.nan


def test_a_long_table_and_a_matrix_are_the_same():
    long = Ratings.from_long([2, 1, 1, 2], ["b", "a", "b", "a"], [4, 1, 2, None])
    wide = Ratings.from_matrix([[1, 2], [HOLE, 4]], unit_ids=[1, 2], rater_ids=["a", "b"])
    for table in (long, wide):
        assert table.unit_ids == (1, 2)
        assert table.rater_ids == ("a", "b")
        np.testing.assert_array_equal(table.matrix, [[1, 2], [HOLE, 4]])
    assert (long.n_units, long.n_raters, long.n_ratings, long.n_pairable, long.n_rated) == (
        2,
        2,
        3,
        1,
        2,
    )
    assert long.observed_values == (1, 2, 4)


def test_ids_are_in_order_numbers_by_value():
    assert Ratings.from_long([10, 9, 2], ["x"] * 3, [1, 2, 3]).unit_ids == (2, 9, 10)
    assert Ratings.from_long(["10", "9"], ["x"] * 2, [1, 2]).unit_ids == ("10", "9")


def test_a_second_rating_of_a_unit_is_refused_by_name():
    with pytest.raises(ValueError, match="unit 'u1' is rated twice by rater 'Ann'"):
        Ratings.from_long(["u1", "u2", "u1"], ["Ann", "Ann", "Ann"], [1, 2, 1])
    # A hole is no rating.
    assert Ratings.from_long(["u1", "u1"], ["Ann", "Ann"], [1, None]).n_ratings == 1


def test_what_is_no_table_is_refused():
    with pytest.raises(ValueError, match="lengths differ"):
        Ratings.from_long([1, 2], ["a"], [1, 2])
    with pytest.raises(ValueError, match="infinite"):
        Ratings.from_long([1], ["a"], [np.inf])
    with pytest.raises(ValueError, match="two dimensions"):
        Ratings.from_matrix([1, 2])
    with pytest.raises(ValueError, match="occurs twice"):
        Ratings.from_matrix([[1, 2]], rater_ids=["a", "a"])
    with pytest.raises(ValueError, match="for a matrix of shape"):
        Ratings.from_matrix([[1, 2]], unit_ids=["a", "b"])
    with pytest.raises(ValueError, match="not on the scale"):
        unit_patterns(Ratings.from_matrix([[1, 7]]), scale=[1, 2, 3])


def test_parts_of_a_table():
    table = Ratings.from_matrix(
        [[1, 2, 3], [4, HOLE, 6]], unit_ids=["u", "v"], rater_ids=["a", "b", "c"]
    )
    np.testing.assert_array_equal(table.without_rater("b").matrix, [[1, 3], [4, 6]])
    np.testing.assert_array_equal(table.only_units(["v"]).matrix, [[4, HOLE, 6]])
    assert table.only_units(["v"]).n_active == 2
    with pytest.raises(KeyError, match="z"):
        table.without_rater("z")
    with pytest.raises(KeyError, match="z"):
        table.only_units(["u", "z"])


def test_a_table_cannot_be_written_to():
    table = Ratings.from_matrix([[1, 2]])
    for column in (table.values, table.unit_index, table.rater_index, table.matrix):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 9


def test_dimensions_share_units_and_raters():
    tables = rating_tables(["u", "v"], ["a", "a"], {"x": [1, None], "y": [None, 2]})
    assert tables["x"].unit_ids == tables["y"].unit_ids == ("u", "v")
    assert (tables["x"].n_rated, tables["y"].n_rated) == (1, 1)


def test_patterns_collapse_units_with_the_same_values():
    patterns = unit_patterns(
        Ratings.from_matrix([[1, 2], [2, 1], [2, 2], [HOLE, HOLE], [HOLE, 1]]), scale=[1, 2, 3]
    )
    assert patterns.frequency.tolist() == [1, 2, 1]
    assert patterns.counts.tolist() == [[1, 0, 0], [1, 1, 0], [0, 2, 0]]
    assert patterns.of_unit.tolist() == [1, 1, 2, -1, 0]


def test_keys_of_long_rows_keep_their_order():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 19, size=(200, 40))
    assert (
        np.argsort(row_keys(rows, 19), kind="stable").tolist() == np.lexsort(rows.T[::-1]).tolist()
    )
