"""What a model replied, as questions, an answer or a grade, or why it is none of them.

Nothing is mended: a reply that is refused is asked for again with the reason, under the engine's
rules, and listed with it in the end. A thought that ended before the object is no part of a reply.
The one thing that is no refusal is an answer whose words are not in the text: it is kept, marked as
going beyond it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.corpus.language import detect_language, is_identical
from annotation.generation.review import object_text, tidy
from annotation.protocols.base import Problem, Wording
from annotation.questions.quotations import located
from annotation.questions.values import HIGHEST, LOWEST, Answer, Grade, Question

MAX_TEXT = 5_000
"""Characters of one text in a reply."""
LANGUAGES: Mapping[str, Wording] = {
    "fr": Wording("français", "French"),
    "en": Wording("anglais", "English"),
}


class ReplyError(ValueError):
    """A reply that is refused, or a text that nothing can be asked about; ``problem`` says why."""

    def __init__(self, code: str, message: Wording, field: str = "reply") -> None:
        super().__init__(message.en)
        self.problem = Problem(field, code, message)


def check_text(text: str) -> None:
    """Raises ``ReplyError`` for a text without words: nothing is asked about it."""
    if not any(character.isalnum() for character in text):
        raise ReplyError(
            "empty_text",
            Wording(
                "Le texte est vide : il n'y a rien à demander.",
                "The text is empty: there is nothing to ask.",
            ),
            "text",
        )


def read_questions(
    reply: str, reference: str, *, types: Sequence[str], least: int, most: int, language: str
) -> list[Question]:
    """The questions of a reply, numbered from 1 in its order. ``types``: the keys that were asked
    for; ``least`` and ``most``: how many, included; ``language``: "fr" or "en". Raises
    ``ReplyError``."""
    check_text(reference)
    entries = _member(_object(reply), "questions", list)
    _check_number(len(entries), least, most)
    questions = [
        _question(number, entry, reference, types) for number, entry in enumerate(entries, start=1)
    ]
    _check_different(questions)
    _check_language(
        " ".join(f"{question.text} {question.expected}" for question in questions),
        language,
        reference,
    )
    return questions


def read_answer(reply: str, text: str, *, question: int, language: str) -> Answer:
    """The answer of a reply from ``text``, which may be that the text does not say. Raises
    ``ReplyError``."""
    check_text(text)
    received = _object(reply)
    if not _member(received, "in_text", bool):
        return Answer(question, "", "", is_in_text=False, beyond_text=False)
    answer = _text(received, "answer", "answer")
    quotation = _text(received, "quotation", "quotation", may_be_empty=True)
    _check_language(answer, language, text)
    return Answer(
        question, answer, quotation, is_in_text=True, beyond_text=located(text, quotation) is None
    )


def read_grade(reply: str, *, question: int) -> Grade:
    """The grade of a reply, a whole number from 0 to 10. Raises ``ReplyError``."""
    received = _object(reply)
    score = received.get("grade")
    # JSON has one kind of number: 7.0 is a whole one.
    if isinstance(score, float) and score.is_integer():
        score = int(score)
    if isinstance(score, bool) or not isinstance(score, int) or not LOWEST <= score <= HIGHEST:
        shown = json.dumps(score, ensure_ascii=False)[:40]
        raise ReplyError(
            "grade",
            Wording(
                f"La note doit être un nombre entier de {LOWEST} à {HIGHEST}, et non {shown}.",
                f"The grade must be a whole number from {LOWEST} to {HIGHEST}, not {shown}.",
            ),
            "grade",
        )
    return Grade(question, score, _text(received, "reason", "reason"))


def _object(reply: str) -> dict[str, Any]:
    try:
        received = json.loads(object_text(reply))
        # Half a character can be escaped in JSON, and not stored.
        json.dumps(received, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ReplyError(
            "not_json",
            Wording("La réponse n'est pas du JSON.", "The reply is not JSON."),
        ) from error
    if not isinstance(received, dict):
        raise ReplyError(
            "not_json",
            Wording("La réponse n'est pas un objet JSON.", "The reply is no JSON object."),
        )
    return received


_SHAPES: Mapping[type, Wording] = {
    list: Wording("une liste", "a list"),
    bool: Wording("vrai ou faux", "true or false"),
    str: Wording("un texte", "a text"),
    dict: Wording("un objet", "an object"),
}


def _member(received: Mapping[str, Any], name: str, kind: type) -> Any:
    value = received.get(name)
    if not isinstance(value, kind):
        raise _shape(name, kind)
    return value


def _shape(field: str, kind: type) -> ReplyError:
    words = _SHAPES[kind]
    return ReplyError(
        "shape",
        Wording(f"« {field} » doit être {words.fr}.", f"“{field}” must be {words.en}."),
        field,
    )


def _text(received: Mapping[str, Any], name: str, field: str, *, may_be_empty: bool = False) -> str:
    text = tidy(_member(received, name, str))
    if not text and not may_be_empty:
        raise ReplyError(
            "empty",
            Wording(f"« {field} » est vide.", f"“{field}” is empty."),
            field,
        )
    if len(text) > MAX_TEXT:
        raise ReplyError(
            "too_long",
            Wording(
                f"« {field} » a plus de {MAX_TEXT} caractères.",
                f"“{field}” has more than {MAX_TEXT} characters.",
            ),
            field,
        )
    return text


def _question(number: int, entry: object, reference: str, types: Sequence[str]) -> Question:
    place = f"questions.{number}"
    if not isinstance(entry, dict):
        raise _shape(place, dict)
    kind = _text(entry, "type", f"{place}.type")
    if kind not in types:
        allowed = ", ".join(types)
        raise ReplyError(
            "unknown_type",
            Wording(
                f"Question {number} : type inconnu « {kind[:40]} ». Permis : {allowed}.",
                f"Question {number}: unknown type “{kind[:40]}”. Allowed: {allowed}.",
            ),
            f"{place}.type",
        )
    question = Question(
        number,
        kind,
        _text(entry, "question", f"{place}.question"),
        _text(entry, "answer", f"{place}.answer"),
        _text(entry, "quotation", f"{place}.quotation", may_be_empty=True),
    )
    if not question.quotation:
        raise ReplyError(
            "no_quotation",
            Wording(
                f"La question {number} ne cite pas les mots qui portent sa réponse.",
                f"Question {number} does not quote the words that bear its answer.",
            ),
            f"{place}.quotation",
        )
    if located(reference, question.quotation) is None:
        raise ReplyError(
            "quotation_not_found",
            Wording(
                f"La citation de la question {number} n'est pas dans le texte.",
                f"The quotation of question {number} is not in the text.",
            ),
            f"{place}.quotation",
        )
    return question


def _check_number(number: int, least: int, most: int) -> None:
    if number < least:
        raise ReplyError(
            "too_few",
            Wording(
                f"Trop peu de questions : {number}; il en faut au moins {least}.",
                f"Too few questions: {number}; there must be at least {least}.",
            ),
            "questions",
        )
    if number > most:
        raise ReplyError(
            "too_many",
            Wording(
                f"Trop de questions : {number}; il en faut au plus {most}.",
                f"Too many questions: {number}; there must be at most {most}.",
            ),
            "questions",
        )


def _check_different(questions: Sequence[Question]) -> None:
    for place, question in enumerate(questions):
        for before in questions[:place]:
            if is_identical(before.text, question.text):
                raise ReplyError(
                    "duplicate",
                    Wording(
                        f"La question {question.number} répète la question {before.number}.",
                        f"Question {question.number} repeats question {before.number}.",
                    ),
                    f"questions.{question.number}.question",
                )


def _check_language(written: str, language: str, text: str) -> None:
    """Raises ``ReplyError`` for what is plainly in another language; not for words of the text
    itself, names above all."""
    if detect_language(written) in ("", language) or located(text, written) is not None:
        return
    words = LANGUAGES[language]
    raise ReplyError(
        "language",
        Wording(f"La réponse n'est pas en {words.fr}.", f"The reply is not in {words.en}."),
    )
