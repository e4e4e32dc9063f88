"""What holds of every table: against public packages, under permutation, and at the ends of the
scale."""

from __future__ import annotations

import json

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotation.agreement.coefficients import agreement_within, alpha, percent_agreement
from annotation.agreement.report import dimension_report
from annotation.agreement.result import ONE_UNIT, Coefficient
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level
from tests.agreement.alone import cohen_kappa, cohen_kappa_pairs, gwet_ac2
from tests.agreement.known import tables

LEVELS = [str(level) for level in Level]


@given(matrix=tables(), level=st.sampled_from(LEVELS))
def test_alpha_equals_the_krippendorff_package(matrix, level):
    ratings = Ratings.from_matrix(matrix)
    coefficient = alpha(ratings, level)
    comparable = matrix[(~np.isnan(matrix)).sum(axis=1) >= 2]
    if len(np.unique(comparable[~np.isnan(comparable)])) < 2:
        assert coefficient.value is None
        assert coefficient.undefined is not None
        return
    expected = krippendorff.alpha(reliability_data=matrix.T, level_of_measurement=level)
    if len(comparable) == 1:
        assert expected == pytest.approx(0, abs=1e-9), "whatever people answered"
        assert (coefficient.value, coefficient.undefined) == (None, ONE_UNIT)
    else:
        assert coefficient.value == pytest.approx(expected, abs=1e-9)


@given(matrix=tables(max_units=8, k=3), tolerance=st.integers(0, 2))
def test_agreement_is_what_counting_pairs_gives(matrix, tolerance):
    pairs = [
        (row[i], row[j])
        for row in matrix
        for i in range(len(row))
        for j in range(i)
        if not np.isnan(row[i]) and not np.isnan(row[j])
    ]
    coefficient = agreement_within(Ratings.from_matrix(matrix), tolerance)
    if pairs:
        assert coefficient.value == pytest.approx(
            np.mean([abs(a - b) <= tolerance for a, b in pairs])
        )
    else:
        assert coefficient.value is None


@given(
    pairs=st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30),
    weights=st.sampled_from(["identity", "linear", "quadratic"]),
)
def test_kappa_equals_scikit_learn(pairs, weights):
    # Two seconds, which every process that only collects this file would spend.
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

    a, b = zip(*pairs, strict=True)
    coefficient = cohen_kappa(a, b, weights, scale=range(1, 6))
    if len(set(a) | set(b)) < 2:
        assert coefficient.value is None
    else:
        expected = cohen_kappa_score(
            a, b, labels=range(1, 6), weights=None if weights == "identity" else weights
        )
        assert coefficient.value == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60)
@given(matrix=tables(), level=st.sampled_from(LEVELS), random=st.randoms(use_true_random=False))
def test_permutations_change_nothing(matrix, level, random):
    """Units and raters renamed and read in another order: the same report, interval by interval, to
    the last byte."""
    rows, columns = list(range(matrix.shape[0])), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    first = dimension_report(
        Ratings.from_matrix(matrix), level=level, scale=range(1, 6), draws=50
    ).as_dict()
    other = dimension_report(
        Ratings.from_matrix(matrix[rows][:, columns]), level=level, scale=range(1, 6), draws=50
    ).as_dict()
    del first["pairs"], other["pairs"]  # these name the raters
    assert json.dumps(first, allow_nan=False) == json.dumps(other, allow_nan=False)


def test_permutations_leave_kappa_intervals():
    rng = np.random.default_rng(7)
    matrix = np.where(rng.random((60, 4)) < 0.2, np.nan, rng.integers(1, 5, size=(60, 4)))
    first = dimension_report(Ratings.from_matrix(matrix), level="ordinal")
    other = dimension_report(
        Ratings.from_matrix(matrix[rng.permutation(60)][:, [2, 0, 3, 1]]), level="ordinal"
    )
    assert first.as_dict()["intervals"] == other.as_dict()["intervals"]


@given(matrix=tables(), random=st.randoms(use_true_random=False))
def test_order_of_rows_changes_nothing(matrix, random):
    cells = [(u, f"r{r}", value) for (u, r), value in np.ndenumerate(matrix)]
    shuffled = random.sample(cells, len(cells))
    reports = [
        dimension_report(
            Ratings.from_long(*zip(*rows, strict=True)), level="ordinal", draws=30
        ).as_dict()
        for rows in (cells, shuffled)
    ]
    assert json.dumps(reports[0]) == json.dumps(reports[1])


@given(values=st.lists(st.integers(1, 5), min_size=2, max_size=12), raters=st.integers(2, 5))
def test_perfect_agreement_is_one(values, raters):
    assume(len(set(values)) > 1)
    ratings = Ratings.from_matrix(np.repeat(np.array(values)[:, None], raters, axis=1))
    coefficients: list[Coefficient] = [alpha(ratings, level) for level in LEVELS]
    coefficients += [
        percent_agreement(ratings),
        agreement_within(ratings),
        cohen_kappa_pairs(ratings).average,
    ]
    coefficients += [
        gwet_ac2(ratings, weights) for weights in ("identity", "linear", "ordinal", "quadratic")
    ]
    assert [coefficient.value for coefficient in coefficients] == pytest.approx(
        [1.0] * len(coefficients)
    )


@given(matrix=tables(), shift=st.integers(-50, 50))
def test_a_shifted_scale_changes_nothing(matrix, shift):
    for level in LEVELS:
        plain, shifted = (
            alpha(Ratings.from_matrix(cells), level).value for cells in (matrix, matrix + shift)
        )
        assert shifted == (None if plain is None else pytest.approx(plain, abs=1e-9))


@given(matrix=tables(max_units=20))
def test_raters_without_a_rating_and_units_without_a_pair_do_not_move_alpha(matrix):
    single = np.full((1, matrix.shape[1]), np.nan)
    single[0, 0] = 1
    wider = np.column_stack([np.vstack([matrix, single]), np.full(len(matrix) + 1, np.nan)])
    for level in LEVELS:
        plain, padded = (
            alpha(Ratings.from_matrix(cells), level).value for cells in (matrix, wider)
        )
        assert padded == (None if plain is None else pytest.approx(plain))
