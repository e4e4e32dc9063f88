"""Texts cut into tokens, and edits on them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.protocols.edits import Edit, MarkedPair, spans_of, touched
from annotation.protocols.tokens import Cut, Span, tokens


def words(text: str, cut: Cut = Cut.WORDS) -> list[str]:
    return [text[slice(*token)] for token in tokens(text, cut)]


CASES = json.loads(Path(__file__).with_name("token_cases.json").read_text(encoding="utf-8"))
"""What the page's own script is held against as well."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_words(case):
    assert words(case["text"]) == case["tokens"]


def test_spaces_are_those_of_released_files():
    assert words(" he does n't  ( go ) ", Cut.SPACES) == ["he", "does", "n't", "(", "go", ")"]


@given(text=st.text(), cut=st.sampled_from(Cut))
def test_tokens_hold_all_but_white_space(text, cut):
    spans = tokens(text, cut)
    assert all(span.start < span.end for span in spans)
    assert all(span.end <= other.start for span, other in pairwise(spans))
    kept = {place for span in spans for place in range(*span)}
    assert all(place in kept for place, character in enumerate(text) if not character.isspace())


@given(places=st.lists(st.integers(0, 11), unique=True))
def test_spans_give_their_tokens_again_in_their_order(places):
    cut = tokens("a b c d e f g h i j k l", Cut.SPACES)
    assert touched(spans_of(places, cut), cut) == tuple(places)


def test_an_edit_counts_every_token_that_it_touches():
    edit = Edit("move", (Span(1, 4), Span(7, 8)))
    pair = MarkedPair("1", "ann", "ab cd ef gh", "cd", Cut.WORDS, (edit,))
    assert pair.touched(edit, "original") == (0, 1, 2)
    assert pair.touched(edit, "simplification") == ()
    assert not pair.is_identical
    assert MarkedPair("1", "ann", "a  b", "a b", Cut.SPACES).is_identical
