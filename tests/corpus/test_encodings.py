"""Files name no encoding: what is found, how sure it is, and what a wrong choice is told."""

from __future__ import annotations

import codecs
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus import encodings
from annotation.corpus.encodings import ENCODINGS, Confidence, decode, detect
from annotation.corpus.problems import TableError
from annotation.corpus.table_files import read_table

FRENCH = (
    "original;simplification\n"
    "Lorsque l'assuré aliène le véhicule désigné, la garantie cesse à la date où l'acquéreur en "
    "prend possession.;"
    "Si vous vendez le véhicule, vous n'êtes plus protégé dès que l'acheteur l'a reçu, où qu'il "
    "soit.\n"
)
LETTERS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1)


@pytest.mark.parametrize("encoding", ["cp1252", "mac-roman", "latin-1", "utf-16-le", "utf-16-be"])
def test_french_is_read_right_without_a_mark(encoding):
    detected, confidence = detect(FRENCH.encode(encoding))
    assert decode(FRENCH.encode(encoding), detected) == FRENCH
    assert confidence is Confidence.GUESSED


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_mark_is_believed_and_left_out(mark, encoding):
    content = mark + FRENCH.encode(encoding)
    detected, confidence = detect(content)
    assert confidence is Confidence.CERTAIN
    assert decode(content, detected) == FRENCH


@given(LETTERS)
def test_valid_utf8_is_never_taken_for_anything_else(text):
    content = text.encode()
    if not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8)):
        assert detect(content)[0] in ("utf-8", "utf-16-le", "utf-16-be")
        assert decode(content, "utf-8") == text


@given(
    st.sampled_from(
        [b"", *(mark for mark, _name in encodings._MARKS), b"a\x00b\x00", b"\x00a\x00b"]
    ),
    st.binary(),
)
def test_whatever_is_found_can_be_decoded(start, rest):
    encoding, confidence = detect(start + rest)
    assert isinstance(decode(start + rest, encoding, damaged=confidence is Confidence.DAMAGED), str)


def test_a_mark_before_damaged_bytes_does_not_hide_the_rest():
    content = codecs.BOM_UTF8 + "original;simplification\nété;".encode() + b"\xe9\n"
    assert detect(content) == ("utf-8", Confidence.DAMAGED)
    assert read_table(content).rows[0].cells == ["été", "\ufffd"]


def test_utf8_with_a_few_foreign_bytes_stays_utf8_and_the_row_is_named():
    content = FRENCH.encode() + "La prime est payable d'avance.;La prime se paie tôt.\n".encode(
        "cp1252"
    )
    assert detect(content) == ("utf-8", Confidence.DAMAGED)
    table = read_table(content)
    assert "aliène" in table.rows[0].cells[0]
    assert "\ufffd" in table.rows[1].cells[1]
    assert table.confidence is Confidence.DAMAGED


def test_bytes_that_look_like_no_text_are_still_read(monkeypatch):
    monkeypatch.setattr(
        "charset_normalizer.from_bytes", lambda *args, **kwargs: SimpleNamespace(best=lambda: None)
    )
    assert detect(b"\xe9t\xe9") == ("cp1252", Confidence.GUESSED)
    # Windows-1252 has no such byte; Latin-1 has every one.
    assert detect(b"\x81\x8d\x8f") == ("latin-1", Confidence.GUESSED)


def test_a_wrong_choice_names_the_line():
    with pytest.raises(TableError) as caught:
        decode("un\ndeux\ntrois é".encode("cp1252"), "utf-8")
    problem = caught.value.problem
    assert (problem.code, problem.row) == ("wrong_encoding", 3)
    assert "UTF-8" in problem.remedy.en


def test_an_unknown_encoding_is_told_the_known_ones():
    with pytest.raises(TableError, match="klingon") as caught:
        decode(b"x", "klingon")
    assert "cp1252" in caught.value.problem.remedy.fr


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_that_is_offered_exists(encoding):
    assert codecs.lookup(encoding)
