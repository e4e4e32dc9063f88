"""The most divisive units, and what the disagreement on a derived score comes from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.divisive import (
    NO_DISAGREEMENT,
    DerivedScore,
    decomposition,
    divisive_units,
)
from annotation.agreement.table import Ratings

HOLE = np.nan
TOPS = {
    1: 1,
    2: 6,
    3: 10,
}  # Beauchemin et al. (2025), section 3.2.3: off-track 1, imprecise 6, accurate 10


def score(bracket: int, errors: int) -> int:
    return max(1, TOPS[bracket] - errors)


def test_ranked_by_variance_then_by_id():
    table = Ratings.from_matrix(
        [[1, 2], [1, 10], [5, 5], [3, 2], [9, HOLE]], unit_ids=["d", "b", "c", "a", "e"]
    )
    ranked = divisive_units(table, level="ordinal")
    assert [unit.unit for unit in ranked] == ["b", "a", "d", "c"]
    assert [unit.disagreement for unit in ranked] == pytest.approx([40.5, 0.5, 0.5, 0])
    assert ranked[0].distribution == ((1, 1), (10, 1))
    assert [unit.unit for unit in divisive_units(table, level="ordinal", limit=1)] == ["b"]


def test_classes_by_entropy_or_minority():
    table = Ratings.from_matrix([[1, 1, 1, 2], [1, 2, 3, 4], [2, 2, 2, 2], [1, 1, 2, 2]])
    units = divisive_units(table, level="nominal")
    assert [unit.unit for unit in units] == [1, 3, 0, 2]
    assert [unit.disagreement for unit in units] == pytest.approx(
        [2, 1, 0.811278, 0], abs=1e-6
    )  # bits
    minority = divisive_units(table, level="nominal", measure="minority")
    assert [unit.disagreement for unit in minority] == [0.75, 0.5, 0.25, 0]
    with pytest.raises(ValueError, match="one of variance"):
        divisive_units(table, level="nominal", measure="spread")


def test_only_brackets_or_only_errors():
    apart = [DerivedScore("u", 10, 3, 0), DerivedScore("u", 6, 2, 0)]
    parts = decomposition(apart, TOPS)
    assert (parts.bracket, parts.errors, parts.rest) == (1, 0, 0)
    counted = [
        DerivedScore("u", 10, 3, 0),
        DerivedScore("u", 7, 3, 3, {"omission": 2, "confusion": 1}),
    ]
    parts = decomposition(counted, TOPS)
    assert (parts.bracket, parts.errors, parts.rest) == (0, 1, 0)
    assert dict(parts.by_type) == pytest.approx({"omission": 2 / 3, "confusion": 1 / 3})
    assert (parts.units, parts.judgments, parts.squares) == (1, 2, 4.5)


def test_the_floor_is_the_rest():
    # Bracket 1 with two errors: 1 − 2 is below the floor of 1, the rest gives both points back.
    parts = decomposition([DerivedScore("u", 1, 1, 2), DerivedScore("u", 6, 2, 0)], TOPS)
    # Δscore = ±2.5, Δtop = ±2.5, −Δerrors = ±1, Δrest = ∓1: shares 1, 0.4, −0.4.
    assert (parts.bracket, parts.errors, parts.rest) == pytest.approx((1, 0.4, -0.4))


judgments = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 3), st.integers(0, 12), st.integers(0, 12)),
    min_size=0,
    max_size=30,
)


@given(judgments)
def test_shares_sum_to_one_or_there_is_a_reason(rows):
    listed = [
        DerivedScore(unit, score(bracket, errors), bracket, errors, {"omission": min(some, errors)})
        for unit, bracket, errors, some in rows
    ]
    parts = decomposition(listed, TOPS)
    if parts.undefined is None:
        assert sum(filter(None, (parts.bracket, parts.errors, parts.rest))) == pytest.approx(1)
        assert sum(share or 0 for _, share in parts.by_type) == pytest.approx(parts.errors)
    else:
        assert parts.undefined == NO_DISAGREEMENT
        assert (parts.bracket, parts.errors, parts.rest, parts.squares) == (None, None, None, 0)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="more than 1 errors"):
        decomposition([DerivedScore("u", 9, 3, 1, {"omission": 2})], TOPS)
    with pytest.raises(KeyError):
        decomposition([DerivedScore("u", 9, 4, 1)], TOPS)
