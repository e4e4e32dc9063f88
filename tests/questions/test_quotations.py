"""Where quoted words stand: folded, whole words, and back to the text's own places."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.questions.quotations import located

TEXT = (
    "L’assuré doit, « sans délai », aviser\nl'assureur — par écrit — de tout sinistre… Sinon, rien."
)
WORDS = st.text(alphabet="abcdéèàçœ Aİß\n,.;«»’'-\u00a0\u202fﬁ", max_size=60)


def quoted(text: str, quotation: str) -> str | None:
    span = located(text, quotation)
    return None if span is None else text[span[0] : span[1]]


@pytest.mark.parametrize(
    ("quotation", "passage"),
    [
        ("aviser l'assureur", "aviser\nl'assureur"),
        ("l'assuré DOIT", "L’assuré doit"),
        ('doit, "sans délai"', "doit, « sans délai"),
        ("« aviser l’assureur - par écrit »", "aviser\nl'assureur — par écrit"),
        (unicodedata.normalize("NFD", "assuré doit"), "assuré doit"),
        (
            "aviser l'assureur [...] de tout sinistre",
            "aviser\nl'assureur — par écrit — de tout sinistre",
        ),
        ("sinistre... Sinon", "sinistre… Sinon"),
    ],
)
def test_what_changes_no_word_is_found(quotation: str, passage: str) -> None:
    assert quoted(TEXT, quotation) == passage


@pytest.mark.parametrize(
    "quotation",
    [
        "",
        "« … »",
        "sans délais",
        "ssuré doit",
        "aviser l'assur",
        "de tout sinistre [...] aviser l'assureur",
        "assuré … écrit",
        "assure doit",
    ],
)
def test_other_words_are_not(quotation: str) -> None:
    assert located(TEXT, quotation) is None


def test_a_later_whole_word_is_found_after_a_part_of_one() -> None:
    assert located("la partie a pris part", "part") == (17, 21)


def test_decomposed_text_keeps_its_own_places() -> None:
    text = unicodedata.normalize("NFD", "Le délai expiré court")
    assert quoted(text, "délai expiré") == unicodedata.normalize("NFD", "délai expiré")
    assert located(text, "délai expire") is None


@given(WORDS, st.data())
def test_every_passage_of_whole_words_is_found_in_its_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    passage = text[start:end]
    if any(character.isalnum() for character in passage):
        span = located(text, passage)
        assert span is not None
        assert 0 <= span[0] < span[1] <= len(text)
        assert located(text, passage.upper()) is not None


@given(WORDS, WORDS)
def test_anything_can_be_looked_for(text: str, quotation: str) -> None:
    span = located(text, quotation)
    assert span is None or 0 <= span[0] < span[1] <= len(text)
