"""Long tables of questions, answers and grades: written, read again, refused by row and field."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.question_rows import (
    COLUMNS,
    QuestionRow,
    QuestionRows,
    as_csv,
    read_question_rows,
)
from annotation.reading import question_rows_read

WORDS = st.text(alphabet="aé =+@-'\"\n;,{}«»", max_size=12).map(str.strip)
NAMES = st.text(alphabet="abcXYZ019", min_size=1, max_size=6)
PEOPLE = st.dictionaries(NAMES, st.booleans(), max_size=3)
ROWS = st.builds(
    QuestionRow,
    source=NAMES,
    system=NAMES,
    question=NAMES,
    type=st.sampled_from(["issue", "reason", ""]),
    text=WORDS,
    expected=WORDS,
    reference_quotation=WORDS,
    answer=WORDS,
    quotation=WORDS,
    is_in_text=st.booleans(),
    beyond_text=st.booleans(),
    grade=st.none() | st.integers(0, 10),
    reason=WORDS,
    missing=st.sampled_from(["", "not_json"]),
    variant=NAMES,
    model=NAMES,
    people=PEOPLE,
    captured=PEOPLE,
    correct=PEOPLE,
    tokens=st.none() | st.integers(0, 10**6),
    usd=st.none() | st.floats(0, 100),
)


def read(text: str) -> QuestionRows:
    return read_question_rows(text.encode())


@given(st.lists(ROWS, min_size=1, max_size=4, unique_by=lambda row: row.key))
def test_what_is_written_is_read_again(rows: list[QuestionRow]) -> None:
    parsed = read(as_csv(rows))
    assert parsed.problems == ()
    assert list(parsed.rows) == rows


def test_what_a_table_does_not_say_is_as_without_the_column() -> None:
    parsed = read("source,system,question,grade,is_in_text,colour\na,LED,1,7.0,,red\n")
    assert parsed.rows == (QuestionRow("a", "LED", "1", grade=7),)
    assert parsed.rows[0].is_in_text


GOOD = QuestionRow("a", "LED", "1", grade=7)


@pytest.mark.parametrize(
    ("column", "cell", "code"),
    [
        ("source", " ", "required"),
        ("source", "\u200b", "required"),
        ("grade", "11", "grade"),
        ("grade", "7.5", "grade"),
        ("grade", "-1", "not_a_number"),
        ("grade", "high", "not_a_number"),
        ("tokens", "1.5", "tokens"),
        ("usd", "nan", "not_a_number"),
        ("is_in_text", "maybe", "flag"),
        ("people", "YES", "people"),
        ("people", '{""A"": 1}', "people"),
        ("correct", "[" * 5000, "people"),
    ],
)
def test_what_is_wrong_is_named_by_row_and_field(column: str, cell: str, code: str) -> None:
    given_cells = {"source": "a", "system": "LED", "question": "2"} | {column: f'"{cell}"'}
    names, written = ",".join(given_cells), ",".join(given_cells.values())
    parsed = read(f"{names}\n{written}\n{names.replace('source', 'b', 1)}\n")
    problem = parsed.problems[0]
    assert (problem.row, problem.field, problem.code) == (2, column, code)
    assert problem.message.fr
    assert problem.remedy.fr


def test_a_row_that_stands_twice_is_refused() -> None:
    parsed = read(as_csv([GOOD, replace(GOOD, variant="b"), replace(GOOD, grade=3)]))
    assert len(parsed.rows) == 2
    assert [(problem.row, problem.code) for problem in parsed.problems] == [(4, "twice")]


@pytest.mark.parametrize("text", ["", "source,grade\na,1\n"])
def test_a_file_that_is_none_is_refused_as_a_whole(text: str) -> None:
    assert read(text).fatal is not None


def test_it_is_read_by_a_process_of_its_own(settings) -> None:
    text = as_csv([GOOD])
    assert text.splitlines()[0] == ",".join(COLUMNS)
    assert question_rows_read(text.encode()).rows == (GOOD,)
    settings.READING_LIMITS = settings.READING_LIMITS.__class__(1, 1, 1, 1)
    assert question_rows_read(text.encode()).fatal is not None
