"""Rows of pairs that are taken at once are what they would be field by field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import serializers

from api.fields import Rows
from api.items.serializers.pairs import Pair, PairRows, PairsImport

NAMES = sorted(Pair().fields)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
values = st.one_of(texts, st.integers(), st.none(), st.booleans(), st.lists(texts, max_size=1))
rows = st.dictionaries(st.sampled_from([*NAMES, "unknown"]), values, max_size=5)
text_rows = st.dictionaries(st.sampled_from([*NAMES, "unknown"]), texts, max_size=5)


def outcome(read: Any, given_rows: list[Any]) -> Any:
    try:
        return [dict(row) for row in read(given_rows)]
    except serializers.ValidationError as error:
        return error.get_full_details()


@given(
    st.one_of(
        st.lists(text_rows.map(lambda row: {"original": "Clause."} | row), max_size=4),
        st.lists(st.one_of(rows, values), max_size=4),
    )
)
def test_as_field_by_field(many: list[Any]) -> None:
    slow = Rows(child=Pair())
    assert outcome(PairRows().run_child_validation, many) == outcome(
        slow.run_child_validation, many
    )


@pytest.mark.parametrize(
    ("row", "field"),
    [({"simplification": "x"}, "original"), ({"original": ["x"]}, "original"), ("x", None)],
)
def test_what_is_wrong_is_named_with_its_row(row: Any, field: str | None) -> None:
    read = PairsImport(data={"pairs": [{"original": "Clause."}, row]})
    assert not read.is_valid()
    wrong = read.errors["pairs"][2]
    assert set(wrong) == ({field} if field else {"non_field_errors"})
