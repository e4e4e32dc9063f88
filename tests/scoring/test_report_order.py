"""Strata stand in the order in which people read their names."""

from __future__ import annotations

from annotation.scoring.report import _natural


def test_numbers_come_in_their_order_and_any_name_is_one():
    assert sorted(["10", "2", "²", "gpt", "9"], key=_natural) == ["gpt", "²", "2", "9", "10"]
