"""Tables of reference summaries and systems' summaries: both layouts, and each refusal by row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.corpus.reader import READERS
from annotation.corpus.summaries import SummariesFile, Summary, read_summaries
from annotation.reading import summaries_read

GAVEL = Path(__file__).parents[2].parent / "shared" / "data" / "gavel" / "ten_cases.jsonl"
LONG = (
    "id,reference,structure,system,summary\n"
    "a,Une référence.,issue; reason,LED,Un résumé.\n"
    "a,,,BART,Un autre.\n"
    "b,Autre référence.,,LED,Un troisième.\n"
)


def read(text: str) -> SummariesFile:
    return read_summaries(text.encode())


def test_one_row_for_each_summary() -> None:
    parsed = read(LONG)
    assert parsed.problems == ()
    assert parsed.rows == (
        Summary(2, "a", "Une référence.", ("issue", "reason"), "LED", "Un résumé."),
        Summary(3, "a", "Une référence.", ("issue", "reason"), "BART", "Un autre."),
        Summary(4, "b", "Autre référence.", (), "LED", "Un troisième."),
    )


def test_one_row_for_each_reference() -> None:
    rows = [
        {"id": "a", "reference": "R", "structure": ["issue"], "summaries": {"X": "1", "Y": "2"}},
        {"id": "b", "reference": "S", "summaries": {"X": "3", "Y": ""}},
    ]
    parsed = read("\n".join(map(json.dumps, rows)))
    assert [(row.id, row.system, row.text, row.structure) for row in parsed.rows] == [
        ("a", "X", "1", ("issue",)),
        ("a", "Y", "2", ("issue",)),
        ("b", "X", "3", ()),
    ]


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        (",R,,LED,T", "id", "required"),
        ("a b?,R,,LED,T", "id", "bad_key"),
        ("c,,,LED,T", "reference", "required"),
        ("c,R,,,T", "system", "required"),
        ("c,R,,LED,", "summary", "required"),
        ("a,Tout autre.,,X,T", "reference", "differs"),
        ("a,,conclusion,X,T", "reference", "differs"),
        ("a,,,LED,T", "system", "twice"),
        (f"c,{'x' * 20_001},,LED,T", "reference", "too_long"),
        ("c,R,,LED,a\u0007b", "summary", "forbidden_character"),
        (f"c,R,{'x' * 301},LED,T", "structure", "too_long"),
    ],
)
def test_what_is_wrong_is_named_by_row_and_field(row: str, field: str, code: str) -> None:
    parsed = read(f"{LONG}{row}\n")
    (problem,) = parsed.problems
    assert (problem.row, problem.field) == (5, field)
    assert problem.code == code, problem.code
    assert problem.message.fr
    assert problem.remedy.en
    assert len(parsed.rows) == 3, "the others are taken"


def test_a_wide_row_without_any_summary_is_refused() -> None:
    parsed = read('{"id":"a","reference":"R","summaries":{"X":"1"}}\n{"id":"b","reference":"S"}')
    assert [(problem.row, problem.field, problem.code) for problem in parsed.problems] == [
        (2, "summary", "required")
    ]


@pytest.mark.parametrize("text", ["", "id,system\na,b\n", "id,reference\na,b\n", "\x00\x01"])
def test_a_file_that_is_none_is_refused_as_a_whole(text: str) -> None:
    parsed = read(text)
    assert parsed.fatal is not None
    assert parsed.fatal.remedy.fr


def test_it_is_read_by_a_process_of_its_own(settings) -> None:
    assert "summaries" in READERS
    assert summaries_read(LONG.encode(), person=None) == read(LONG)
    assert summaries_read(b"", person=None).fatal is not None
    settings.READING_LIMITS = settings.READING_LIMITS.__class__(1, 1, 1, 1)
    assert summaries_read(LONG.encode(), person=None).fatal is not None


@pytest.mark.skipif(not GAVEL.exists(), reason="the ten cases are not here")
def test_ten_legal_references_with_four_systems() -> None:
    parsed = read_summaries(GAVEL.read_bytes())
    assert parsed.problems == ()
    assert len(parsed.rows) == 40
    assert len({row.id for row in parsed.rows}) == 10
    assert len({row.system for row in parsed.rows}) == 4
