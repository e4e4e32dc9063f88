"""Tables of summaries held to a window: refused by row and column with their tokens, or cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.corpus.summaries import read_summaries
from annotation.questions.lengths import Border, tokens
from annotation.questions.table import within

FILE = read_summaries(
    b"id,reference,system,summary\n"
    b"a,A reference. With two sentences.,LED,Short.\n"
    b"a,,BART,A summary that has no end and goes on and on and on\n"
)
GAVEL = Path(__file__).parents[2].parent / "shared" / "data" / "gavel" / "ten_cases.jsonl"


def test_what_fits_is_left_as_it_is() -> None:
    fitted = within(FILE, 100)
    assert (fitted.file, fitted.cut) == (FILE, ())


def test_what_is_too_long_is_refused_by_row_and_column() -> None:
    fitted = within(FILE, 14)
    assert [row.system for row in fitted.file.rows] == ["LED"]
    (problem,) = fitted.file.problems
    assert (problem.row, problem.field, problem.code) == (3, "summary", "too_long")
    assert f" {tokens(FILE.rows[1].text)} tokens; 14 " in problem.message.en
    assert problem.remedy.fr


def test_or_cut_where_the_lead_says() -> None:
    fitted = within(FILE, 7, Border.SENTENCE)
    assert [(row.reference, row.text) for row in fitted.file.rows] == [("A reference.", "Short.")]
    assert fitted.cut == ((2, "reference"),)
    assert [(problem.row, problem.field) for problem in fitted.file.problems] == [(3, "summary")]


@pytest.mark.skipif(not GAVEL.exists(), reason="the ten cases are not here")
def test_legal_summaries_are_cut_at_sentences() -> None:
    whole = read_summaries(GAVEL.read_bytes())
    fitted = within(whole, 400, Border.SENTENCE)
    assert len(fitted.file.rows) == 40
    assert fitted.file.problems == ()
    assert fitted.cut
    for before, after in zip(whole.rows, fitted.file.rows, strict=True):
        assert tokens(after.text) <= 400
        assert before.text.startswith(after.text)
    assert len(within(whole, 400).file.problems) >= len(fitted.cut)
