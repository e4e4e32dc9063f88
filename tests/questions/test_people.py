"""Questions and answers as pairs for people, and what they said back on the rows."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from annotation.corpus.problems import TableError
from annotation.corpus.question_rows import QuestionRow
from annotation.corpus.texts import KEY_PATTERN
from annotation.questions.people import (
    ANSWERS,
    PAIRS,
    Said,
    Texts,
    answer_key,
    for_people,
    pair_key,
    with_people,
)

ROW = QuestionRow(
    "case-1",
    "LED",
    "1",
    type="issue",
    text="Who sued?",
    expected="A club.",
    answer="The club.",
    grade=9,
    variant="a",
    model="gpt",
    people={"old": False},
)
ROWS = [
    ROW,
    replace(ROW, variant="b", grade=3),
    replace(ROW, system="BART", answer="A member."),
    replace(ROW, system="GPT", answer="", is_in_text=False, grade=None),
    replace(ROW, system="T5", answer="", missing="not_json", grade=None),
]
TEXTS = Texts({"case-1": "REFERENCE"}, {("case-1", "LED"): "LED'S", ("case-1", "BART"): "BART'S"})


def test_what_shows_the_same_is_judged_once_and_names_no_grade_and_no_model() -> None:
    (pair,) = for_people(ROWS, TEXTS, PAIRS, "en")
    assert pair == (pair_key(ROW), "REFERENCE", "Question: Who sued?\nExpected answer: A club.", "")
    first, second = for_people(ROWS, TEXTS, ANSWERS, "fr")
    assert first[1:] == (
        "LED'S",
        "Question : Who sued?\nRéponse attendue : A club.\nRéponse donnée : The club.",
        "LED",
    )
    assert second[1] == "BART'S"
    assert len({pair[0], first[0], second[0]}) == 3
    assert all(re.match(KEY_PATTERN, row[0]) for row in (pair, first, second))


def test_a_text_that_is_not_given_is_named() -> None:
    with pytest.raises(TableError) as caught:
        for_people(ROWS, Texts({}, {}), PAIRS, "fr")
    assert (caught.value.problem.row, caught.value.problem.field) == (2, "source")
    with pytest.raises(TableError, match="BART"):
        for_people(ROWS, Texts({}, {("case-1", "LED"): "x"}), ANSWERS, "fr")


def test_what_people_said_stands_on_every_row_that_showed_it() -> None:
    key = answer_key(ROW)
    said = [Said(key, "A", "answered", True), Said(key, "B", "answered", False)]
    rows = with_people(ROWS, said, ANSWERS)
    assert [row.people for row in rows] == [{"A": True, "B": False}] * 2 + [{}, {}, {}]
    assert rows[0].captured == {}
    key = pair_key(ROW)
    said = [Said(key, "A", "captured", True), Said(key, "A", "correct", False)]
    for row in with_people(rows, said, PAIRS):
        assert (row.captured, row.correct) == ({"A": True}, {"A": False})
    assert with_people(rows, said, PAIRS)[0].people == {"A": True, "B": False}
