"""Splits: every item once, no source on two sides, same seed same split, about 60-10-30."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.scoring.errors import ScoringError
from annotation.scoring.splits import source_groups, source_key, split_by_source

SOURCES = st.lists(st.integers(0, 60), min_size=40, max_size=120).filter(
    lambda ids: len(set(ids)) >= 20
)


@given(ids=SOURCES, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_no_source_stands_on_two_sides(ids, seed):
    originals = [f"Clause {number}" for number in ids]
    split = split_by_source(originals, seed)
    sides = [
        {originals[place] for place in part} for part in (split.train, split.validation, split.test)
    ]
    assert sum(map(len, sides)) == len(set.union(*sides))
    together = np.concatenate([split.train, split.validation, split.test])
    assert sorted(together) == list(range(len(ids)))


@given(ids=SOURCES, seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_the_order_of_the_file_does_not_matter(ids, seed):
    originals = [f"Clause {number}" for number in ids]
    split, other = split_by_source(originals, seed), split_by_source(originals[::-1], seed)
    assert {originals[place] for place in split.test} == {
        originals[::-1][place] for place in other.test
    }


def test_shares_are_60_10_30():
    split = split_by_source([f"Clause {number}" for number in range(297)], 42)
    assert [len(split.train), len(split.validation), len(split.test)] == pytest.approx(
        [178, 30, 89], abs=1
    )


def test_composed_and_decomposed_accents_are_one_source():
    text = "L’assuré désigné paie."
    assert (
        source_key(text)
        == source_key(unicodedata.normalize("NFD", text))
        == source_key(f"  {text}\n")
    )
    assert list(source_groups([text, "autre", text])) in ([0, 1, 0], [1, 0, 1])


@pytest.mark.parametrize("originals", [[], ["a"] * 50, list("abcd")])
def test_too_few_sources_are_refused(originals):
    with pytest.raises(ScoringError) as refusal:
        split_by_source(originals, 42)
    assert refusal.value.code == "too_few_sources"
    assert "sources" in refusal.value.message.fr
