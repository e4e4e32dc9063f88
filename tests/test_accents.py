"""A letter and its accent are one character or two, by the program that wrote the text: no figure
may depend on it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.accents import MOST_ACCENTS, composed
from annotation.corpus.funnel import normalised as funnel_normalised
from annotation.corpus.language import detect_language, is_identical
from annotation.corpus.readability import Syllables, readability
from annotation.generation.review import cleaned, flags
from annotation.scoring.similarity import bleu, chrf, rouge_l, rouge_n, word_overlap
from annotation.scoring.splits import source_key, split_by_source
from workers.scorers.features import pair_features
from workers.scorers.text import Text

_TEXT = (
    "L’assuré élève où déclaré être çà Noël dû âgé très réponse Étant œuvre maïs naïf à prime "
    "exigée dès qu’il bénéficie d’une indemnité prévue 1 000,50 $ sauf décès. Il paie ; voilà : « "
    "règlement » simplifiée ! ### **çà**"
)
WORDS = _TEXT.split()
FRENCH = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join)


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@given(FRENCH, FRENCH)
@example("élève âgé très naïf " * 4, "élève âgé très naïf " * 4)
def test_figures_of_a_pair(original, simplification):
    def figures(first: str, second: str) -> list[object]:
        return [
            rouge_n(first, second, 1),
            rouge_n(first, second, 2),
            rouge_l(first, second),
            bleu(first, second),
            chrf(first, second),
            word_overlap(first, second),
            is_identical(first, second),
            pair_features(Text(first, "fr"), Text(second, "fr")),
        ]

    expected = figures(original, simplification)
    assert figures(decomposed(original), simplification) == expected
    assert figures(original, decomposed(simplification)) == expected


@given(FRENCH)
def test_figures_of_a_text(text):
    other = decomposed(text)
    for counter in Syllables:
        assert readability(other, counter=counter) == readability(text, counter=counter)
    assert detect_language(other) == detect_language(text)
    assert funnel_normalised(other) == funnel_normalised(text)
    assert source_key(other) == source_key(text)
    left, right = Text(text, "fr"), Text(other, "fr")
    assert (left.plain, left.stems, left.numbers, left.sentences, left.clauses, left.is_closed) == (
        right.plain, right.stems, right.numbers, right.sentences, right.clauses, right.is_closed,
    )  # fmt: skip


@given(FRENCH, FRENCH, FRENCH)
def test_what_is_seen_wrong_with_an_output(original, output, prompt):
    def seen(first: str, second: str, third: str) -> object:
        return (
            flags(original=first, raw=second, finish_reason="stop", prompt=third),
            cleaned(second, original=first, prompt=third),
        )

    expected = seen(original, output, prompt)
    for changed in (
        (decomposed(original), output, prompt),
        (original, decomposed(output), prompt),
        (original, output, decomposed(prompt)),
    ):
        assert seen(*changed) == expected


def test_splits_are_the_same():
    texts = [f"L’assuré {word} déclaré" for word in dict.fromkeys(WORDS)]
    ours, theirs = (
        split_by_source(texts, 42),
        split_by_source([decomposed(text) for text in texts], 42),
    )
    assert ours.train.tolist() == theirs.train.tolist()
    assert ours.test.tolist() == theirs.test.tolist()


@given(st.text(), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_it_is_the_normal_form_of_texts(text, form):
    assert composed(text, form) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", ["NFC", "NFKD"])
def test_rows_of_accents_are_put_in_order_piece_by_piece(form, monkeypatch):
    """In the order that costs most: each accent belongs before all that stand there already."""
    rows = ["\u0301\u0316" * MOST_ACCENTS * 20, "." * 3 * MOST_ACCENTS + "\u0338" * 70]
    normal, longest = unicodedata.normalize, 0

    def watched(form: str, text: str) -> str:
        nonlocal longest
        row = 0
        for character in text:
            row = row + 1 if unicodedata.combining(character) else 0
            longest = max(longest, row)
        return normal(form, text)

    monkeypatch.setattr(unicodedata, "normalize", watched)
    for row in rows:
        composed_row = composed(f"é{row}à", form)
        assert sorted(normal("NFD", composed_row)) == sorted(normal("NFD", f"é{row}à"))
    assert 0 < longest <= MOST_ACCENTS


def test_a_whole_text_of_accents_is_read():
    """Each of these took the square of its length."""
    hostile = "e" + "\u0301\u0316" * 100_000
    assert source_key(hostile)
    assert word_overlap(hostile, hostile) == 100
    assert Text(hostile, "fr").plain
    assert flags(original="Le preneur paie.", raw=hostile, finish_reason="stop")
    assert is_identical(hostile + "a", hostile + "b") is False
