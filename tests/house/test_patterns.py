"""No pattern takes the square of a text's length, or more, to find out that it does not match."""

from __future__ import annotations

import re

import pytest

from tests.house.patterns import Pattern, patterns, slow

# Only ever looked for in what is short by itself: why.
SHORT: dict[str, str] = {}


@pytest.mark.once
def test_no_pattern_is_slow():
    by_name = {f"{pattern.place} {pattern.text}": pattern for pattern in patterns()}
    assert len(by_name) > 100
    slow_ones = [
        f"{name}: {said}"
        for name, pattern in by_name.items()
        if pattern.place not in SHORT and (said := slow(pattern))
    ]
    assert slow_ones == []


@pytest.mark.parametrize("text", [r"(a+)+b", r"(?:a|a)*b", r"\s+$", r"[^\s«]*$"])
def test_a_slow_one_is_found(text):
    assert slow(Pattern("here", text, 0, "search"))


@pytest.mark.parametrize("text", [r"[a-z]+", r"a++b", r"\d{1,4}-\d{1,4}"])
def test_a_quick_one_is_not(text):
    re.compile(text)
    assert slow(Pattern("here", text, 0, "search")) == ""
