"""What is asked of a text, answered from another, and graded.

After Xu and Ashley (2023), *Question-Answering Approach to Evaluating Legal Summaries*: a model
writes questions with their answers from a reference summary, answers them again from a system's
summary, and grades each answer from 0 to 10 against the expected one; 5 and above is YES.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.protocols.base import Wording

LOWEST, HIGHEST, THRESHOLD = 0, 10, 5
"""The ends of a grade, included, and the lowest that is a YES where nobody says otherwise."""
NOT_IN_TEXT_SCORE = LOWEST
"""The grade of an answer that is not in the text, by rule: no model is asked for it."""
NOT_IN_TEXT_REASON = "by rule: the text does not say"
"""What stands beside it where a model gives its reason."""


@dataclass(frozen=True)
class QuestionType:
    """What a question is about: ``description`` is what a model is told of it."""

    key: str
    label: Wording
    description: Wording


TYPES: Mapping[str, QuestionType] = {
    question_type.key: question_type
    for question_type in (
        QuestionType(
            "issue",
            Wording("Question en litige", "Issue"),
            Wording(
                "ce que le tribunal devait trancher",
                "what the court had to decide",
            ),
        ),
        QuestionType(
            "reason",
            Wording("Motif", "Reason"),
            Wording(
                "pourquoi le tribunal décide ainsi : faits retenus, règle appliquée",
                "why the court decides so: facts relied on, rule applied",
            ),
        ),
        QuestionType(
            "conclusion",
            Wording("Conclusion", "Conclusion"),
            Wording(
                "ce que le tribunal décide, ou l'état de l'affaire",
                "what the court decides, or where the case stands",
            ),
        ),
        QuestionType(
            "condition",
            Wording("Condition", "Condition"),
            Wording(
                "ce qui doit être rempli pour que la clause s'applique",
                "what must be met for the clause to apply",
            ),
        ),
        QuestionType(
            "amount",
            Wording("Montant", "Amount"),
            Wording(
                "une somme, une part ou une limite chiffrée",
                "a sum, a share or a limit in figures",
            ),
        ),
        QuestionType(
            "deadline",
            Wording("Délai", "Deadline"),
            Wording(
                "une date, une durée ou un moment à respecter",
                "a date, a duration or a moment to be kept",
            ),
        ),
        QuestionType(
            "exception",
            Wording("Exception", "Exception"),
            Wording(
                "un cas où la règle ne vaut pas",
                "a case in which the rule does not hold",
            ),
        ),
        QuestionType(
            "obligation",
            Wording("Obligation", "Obligation"),
            Wording(
                "ce que quelqu'un doit faire, peut faire ou ne doit pas faire",
                "what somebody must do, may do or must not do",
            ),
        ),
    )
}
SUMMARY_TYPES = ("issue", "reason", "conclusion")
"""Of summaries of judgments."""
CLAUSE_TYPES = ("condition", "amount", "deadline", "exception", "obligation")
"""Of clauses of a contract or a statute."""


@dataclass(frozen=True)
class Question:
    """``number`` from 1 within its reference; ``quotation``: the words of the reference that bear
    the ``expected`` answer."""

    number: int
    type: str
    text: str
    expected: str
    quotation: str


@dataclass(frozen=True)
class Answer:
    """An answer to the question of that number. ``is_in_text``: the model says that the text
    answers; without it there are no words. ``beyond_text``: it says so, and the words that it
    quotes are not in the text."""

    question: int
    text: str
    quotation: str
    is_in_text: bool
    beyond_text: bool


@dataclass(frozen=True)
class Grade:
    """``score`` from ``LOWEST`` to ``HIGHEST``: how far an answer says what was expected."""

    question: int
    score: int
    reason: str


_QUESTION = Wording("Question : {text}", "Question: {text}")
_EXPECTED = Wording("Réponse attendue : {text}", "Expected answer: {text}")
_ANSWER = Wording("Réponse donnée : {text}", "Answer given: {text}")


def pair_text(question: str, expected: str, language: str) -> str:
    """A question with its expected answer as people who judge the pair read it."""
    return _lines(((_QUESTION, question), (_EXPECTED, expected)), language)


def answer_text(question: str, expected: str, answer: str, language: str) -> str:
    """A question, its expected answer and the one that was given, as people read them."""
    parts = ((_QUESTION, question), (_EXPECTED, expected), (_ANSWER, answer))
    return _lines(parts, language)


def _lines(parts: tuple[tuple[Wording, str], ...], language: str) -> str:
    return "\n".join(words.get(language).replace("{text}", text) for words, text in parts)
