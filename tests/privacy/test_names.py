"""How somebody is recognised in running text, and when what is found may be a word."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.privacy.folding import Folded, fold
from annotation.privacy.names import Doubt, Person, hits
from tests.timing import least_seconds

EVE = Person("Marie-Ève Tremblay", "m.tremblay@example.org")


def found(person: Person, text: str) -> list[str]:
    """What surely is the person's, as it stands in the text."""
    return [text[hit.start : hit.end] for hit in person.hits(text) if not hit.doubt]


@pytest.mark.parametrize(
    "text",
    [
        "Marie-Ève Tremblay",
        "MARIE-ÈVE TREMBLAY",
        "marie-eve tremblay",
        "Marie Eve Tremblay",
        "Marie-\u00c8ve\u00a0Tremblay",
        "Marie\u2011Ève\nTremblay",
        "Tremblay, Marie-Ève",
        "Tremblay Marie-Ève",
        "M.-È. Tremblay",
        "M. È. Tremblay",
        "TREMBLAY",
        "Tremblay",
        "Ève",
        "m.tremblay@EXAMPLE.org",
        "@m.tremblay",
        "m.tremblay",
        "Trem\u00adblay",
    ],
)
@pytest.mark.parametrize(
    "around",
    ["{}", "Voir {}.", "d'{}, dit-on", "({})", "Selon «\u00a0{}\u00a0» ; oui", "{}'s note"],
)
def test_however_it_is_written(text, around):
    for form in ("NFC", "NFD"):
        said = unicodedata.normalize(form, around.format(text))
        assert found(EVE, said) == [unicodedata.normalize(form, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Tremblaye",
        "entremblay",
        "Tremblay-Roy",
        "les_tremblay_",
        "Maria",
        "xm.tremblay@example.org",
        "m.tremblay@example.org.au",
    ],
)
def test_what_is_somebody_or_something_else(text):
    assert "Tremblay" not in found(EVE, text)
    assert not [hit for hit in EVE.hits(text) if hit.kind == "address"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("les", "Lisez les deux"), ("Main", "main round, Main"), ("Côté", "du côté de")],
)
def test_a_word_is_in_doubt(name, text):
    assert {hit.doubt for hit in Person(name).hits(text)} == {Doubt.WORD}


@pytest.mark.parametrize(
    ("name", "text", "sure"),
    [
        ("Pierre Côté", "Pierre Côté a raison", ["Pierre Côté"]),
        ("Pierre Côté", "ce que dit Côté, du côté de la pierre", ["Côté"]),
        ("Pierre Côté", "Côté forme, rien", []),
        ("Pierre Côté", "DU CÔTÉ DU DROIT", []),
        ("Les Deux Parties", "les deux parties", []),
        ("Kim Lo", "M. Lo, Me Lo et la juge Lo", ["Lo", "Lo", "Lo"]),
        ("Kim Lo", "le lo, LO", []),
        ("Li Lo", "Mme Li", ["Li"]),
        ("Rose", "Mme Rose", ["Rose"]),
        ("Anne de La Tour", "de la loi", []),
        ("Sean O'Brien", "Brien, O'Brien", ["Brien", "O'Brien"]),
        ("Anne Roy (stagiaire)", "Anne Roy (stagiaire) dit", ["Anne Roy (stagiaire)"]),
        ("", "rien", []),
        ("- .", "- . rien", []),
        ("De La O", "de la o, De La O", ["De La O"]),
    ],
)
def test_words_that_are_names_too(name, text, sure):
    assert found(Person(name), text) == sure


def test_initials_are_shown_and_in_doubt():
    text = "Selon M.-È. T., et M. E. T. ; m. e. t. non"
    assert [(text[h.start : h.end], h.doubt) for h in EVE.hits(text)] == [
        ("M.-È. T.", Doubt.INITIALS),
        ("M. E. T.", Doubt.INITIALS),
    ]
    assert Person("Anne Roy").hits("R.S.A.R. c. A.R.C.") == []


def test_several_people_at_once_and_nothing_twice():
    text = "Anne Roy, puis Roy et Anne"
    both = hits([Person("Anne Roy"), Person("Paul Roy")], text)
    assert [text[hit.start : hit.end] for hit in both] == ["Anne Roy", "Roy", "Anne"]


def test_further_words_of_a_study():
    assert Person("Zelte").hits("la zelte", frozenset({"zelte"}))[0].doubt is Doubt.WORD
    assert Person("Zelte").hits("la zelte")[0].doubt is Doubt.NONE


@given(st.text())
def test_a_folded_text_knows_its_places(text):
    folded = Folded.of(text)
    assert len(folded.text) == len(folded.places)
    assert list(folded.places) == sorted(folded.places)
    if folded.text:
        assert folded.span(0, len(folded.text))[1] <= len(text)
    assert fold(fold(text)) == fold(text) or not text.isascii()


@given(st.text(alphabet="aé-'. M\n@ZŒß\u0301"), st.text(alphabet="aé-'. M\n@ZŒß\u0301"))
def test_any_name_in_any_text(name, text):
    for hit in Person(name, "a@b.example").hits(text):
        assert 0 <= hit.start < hit.end <= len(text)


def test_long_texts_take_no_longer_than_their_length():
    def seconds(text: str) -> float:
        return least_seconds(lambda: EVE.hits(text))

    for piece in ("m.-", "tremblay-", "marie ", "m. e. ", "@m.tremblay", "a\u0301", "M. "):
        short = max(seconds(piece * 1_000), 0.002)
        assert seconds(piece * 10_000) < 60 * short
