"""Texts longer than a model's window: refused with their tokens, or cut at a stated border."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.questions.lengths import BORDERS, Border, TooLong, fitted, tokens

TEXT = "Première phrase. Deuxième phrase, plus longue.\n\nTroisième phrase.\nQuatrième phrase."


def test_what_fits_is_left_as_it_is() -> None:
    assert fitted(TEXT, tokens(TEXT)) == TEXT
    assert fitted(TEXT, tokens(TEXT), Border.SENTENCE) == TEXT


def test_without_a_border_a_longer_text_is_refused_with_its_tokens() -> None:
    with pytest.raises(TooLong) as caught:
        fitted(TEXT, 10)
    assert caught.value.tokens == tokens(TEXT)
    assert str(tokens(TEXT)) in caught.value.problem.message.fr
    assert "10" in caught.value.problem.message.en


@pytest.mark.parametrize(
    ("most", "border", "kept"),
    [
        (6, Border.SENTENCE, "Première phrase."),
        (16, Border.SENTENCE, "Première phrase. Deuxième phrase, plus longue."),
        (
            22,
            Border.SENTENCE,
            "Première phrase. Deuxième phrase, plus longue.\n\nTroisième phrase.",
        ),
        (16, Border.PARAGRAPH, "Première phrase. Deuxième phrase, plus longue."),
        (
            22,
            Border.PARAGRAPH,
            "Première phrase. Deuxième phrase, plus longue.\n\nTroisième phrase.",
        ),
    ],
)
def test_it_is_cut_at_the_last_border_that_fits(most: int, border: Border, kept: str) -> None:
    assert fitted(TEXT, most, border) == kept


@pytest.mark.parametrize("border", Border)
def test_where_no_border_comes_soon_enough_it_is_refused(border: Border) -> None:
    with pytest.raises(TooLong) as caught:
        fitted(TEXT, 2, border)
    assert BORDERS[border].fr in caught.value.problem.message.fr
    with pytest.raises(TooLong):
        fitted("\n\n" + "x" * 100, 2, border)


@given(st.text(alphabet="ab. \n", max_size=80), st.integers(1, 20), st.sampled_from(Border))
def test_what_is_kept_is_a_beginning_that_fits(text: str, most: int, border: Border) -> None:
    try:
        kept = fitted(text, most, border)
    except TooLong:
        assert tokens(text) > most
    else:
        assert text.startswith(kept)
        assert tokens(kept) <= most
