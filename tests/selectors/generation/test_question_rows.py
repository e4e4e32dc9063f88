"""Rows of a run: one for each question, text and chain of systems, with what is missing said."""

from __future__ import annotations

import pytest

from annotation.corpus.question_rows import as_csv, read_question_rows
from annotation.errors import RuleError
from annotation.models import GenerationCall
from annotation.questions.report import questions_report
from annotation.selectors.generation.question_rows import chain_of, rows_of, shares_of, spent_of
from tests.factories import make_study
from tests.services.generation.generating import CALL, broker
from tests.services.generation.questioning import (
    NOT_SAID,
    QUESTIONS,
    all_replied,
    answer,
    begun,
    graded,
    make_texts,
    questions,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def study(broker):
    study = make_study(state="main")
    make_texts(study)
    return study


def test_a_row_for_each_question_and_text(study):
    chain = chain_of(graded(study))
    rows = list(rows_of(chain))
    assert [(row.question, row.system, row.grade, row.missing) for row in rows] == [
        ("questions-gpt-4.1#1", "a", 9, ""),
        ("questions-gpt-4.1#1", "b", 0, ""),
        ("questions-gpt-4.1#2", "a", 6, ""),
        ("questions-gpt-4.1#2", "b", 2, ""),
    ]
    assert [(row.is_in_text, row.beyond_text) for row in rows] == [
        (True, False),
        (False, False),
        (True, False),
        (True, True),
    ]
    assert [row.reason for row in rows if not row.is_in_text] == ["by rule: the text does not say"]
    first = rows[0]
    assert first.variant == "questions-gpt-4.1 → answers-gpt-4.1 → grades-gpt-4.1"
    assert first.source == study.items.get().key
    assert (first.text, first.expected) == (QUESTIONS[0]["question"], QUESTIONS[0]["answer"])
    assert (first.tokens, first.usd) == (240, float(2 * CALL))
    assert (rows[1].tokens, rows[1].usd) == (120, float(CALL))
    again = read_question_rows(as_csv(rows).encode()).rows
    assert again == tuple(rows)
    report = questions_report(rows)
    assert questions_report(again) == report
    # Whoever takes the mean of the column gets the report's.
    whole = report["systems"][0]
    mean = sum(row.grade or 0 for row in rows) / sum(row.grade is not None for row in rows)
    assert whole["mean_as_graded"]["value"] == pytest.approx(mean)


def test_the_sum_of_all_is_what_was_paid(study):
    chain = chain_of(graded(study))
    paid = sum(row.usd for row in rows_of(chain)) + sum(row.usd for row in spent_of(chain))
    assert paid == pytest.approx(float(sum(call.cost for call in GenerationCall.objects.all())))
    (spent,) = spent_of(chain)
    assert (spent.calls, spent.tokens) == (1, 120)


def test_what_was_never_answered_is_missing_and_no_no(study):
    asking = all_replied(begun(study), questions())
    answering = begun(study, "answer", after=asking)
    waiting = answering.generations.order_by("pk")
    waiting.filter(pk=waiting[0].pk).update(state="failed", problem="content_refused")
    rows = list(rows_of(chain_of(answering)))
    assert [row.missing for row in rows] == [
        "answer: content_refused",
        *["answer: waiting"] * 3,
    ]
    all_replied(answering, NOT_SAID, answer())
    grading = begun(study, "grade", after=answering)
    grading.generations.filter(pk=grading.generations.first().pk).delete()
    rows = list(rows_of(chain_of(grading)))
    assert [row.missing for row in rows] == [
        "answer: content_refused",
        "",
        "grade: not asked",
        "grade: waiting",
    ]
    whole = questions_report(rows)["systems"][0]
    assert (whole["n"], whole["answered"]) == (4, 1)
    assert {missing["reason"]: missing["n"] for missing in whole["missing"]} == {
        "answer: content_refused": 1,
        "grade: not asked": 1,
        "grade: waiting": 1,
    }


def test_answers_alone_have_rows_too(study):
    asking = all_replied(begun(study), questions())
    chain = chain_of(all_replied(begun(study, "answer", after=asking), answer()))
    rows = list(rows_of(chain))
    assert [(row.grade, row.missing, row.model) for row in rows] == [
        (None, "grade: not asked", "gpt-4.1-2025-04-14")
    ] * 4
    assert spent_of(chain)[0].variant == "questions-gpt-4.1 → answers-gpt-4.1"


def test_without_grades_there_is_no_share_of_yes(study):
    """That a text does not say is a NO by rule: with no grade beside it, all that count were NO."""
    asking = all_replied(begun(study), questions())
    run = begun(study, "answer", after=asking)
    chain = chain_of(all_replied(run, NOT_SAID, answer()))
    whole = questions_report(list(rows_of(chain)))["systems"][0]
    assert (whole["n"], whole["answered"], whole["yes"]["value"]) == (4, 0, None)
    assert (whole["not_in_text"]["value"], whole["not_in_text"]["n"]) == (0.25, 4)
    assert shares_of(chain, 5) == []


def test_rows_bring_no_text_that_was_asked_about(study, django_assert_num_queries):
    chain = chain_of(graded(study))
    assert chain.graders
    with django_assert_num_queries(4) as captured:
        list(rows_of(chain))
    sql = captured[0]["sql"]
    for column in ('"original"', '"annotation_simplification"."text"', '"prompt"'):
        assert column not in sql
    with django_assert_num_queries(5):
        assert shares_of(chain, 5)


def test_two_graders_stand_side_by_side(study):
    asking = all_replied(begun(study), questions())
    answered = all_replied(begun(study, "answer", after=asking), answer())
    run = begun(study, "grade", after=answered, names=("strict", "souple"))
    rows = list(rows_of(chain_of(run)))
    assert len(rows) == 8
    assert len({row.key for row in rows}) == 8


def test_a_run_of_questions_has_none(study):
    with pytest.raises(RuleError):
        chain_of(begun(study))
