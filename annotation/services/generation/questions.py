"""A model's questions, answers and grades, stored from its replies; and what a lead changes of a
question before it is asked."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import Generation, Question, QuestionAnswer, QuestionGrade, User
from annotation.protocols.base import Problem, Wording
from annotation.questions.quotations import located
from annotation.questions.reading import ReplyError, read_answer, read_grade, read_questions
from annotation.selectors.generation.questions import questioning_of, shown_text
from annotation.services.generation.judging import AnswerRefused
from annotation.services.generation.rows import run_locked
from annotation.services.platform.events import event_record

# What leads may change, and how the trail calls it.
_TOLD = {
    "type": "type",
    "text": "question",
    "expected": "expected_answer",
    "quotation": "quotation",
}


def questions_store(generation: Generation, raw: str) -> None:
    """Store the questions in a reply. Raises ``AnswerRefused``; then nothing is stored.

    Called, as those below, inside the transaction that stores the output, with the generation's row
    locked by whoever still holds its claim: nothing is stored twice.
    """
    setting = questioning_of(generation.run)
    try:
        questions = read_questions(
            raw,
            shown_text(generation),
            types=setting.types,
            least=setting.least,
            most=setting.most,
            language=setting.language,
        )
    except ReplyError as error:
        raise AnswerRefused([error.problem], setting.language) from error
    Question.objects.bulk_create(
        Question(
            generation=generation,
            number=question.number,
            type=question.type,
            text=question.text,
            expected=question.expected,
            quotation=question.quotation,
        )
        for question in questions
    )


def answer_store(generation: Generation, raw: str) -> None:
    """Store the answer in a reply. Raises ``AnswerRefused``."""
    question, simplification = generation.question, generation.simplification
    if question is None or simplification is None:
        raise TypeError("a generation without a question answers none")
    language = questioning_of(generation.run).language
    try:
        answer = read_answer(
            raw, shown_text(generation), question=question.number, language=language
        )
    except ReplyError as error:
        raise AnswerRefused([error.problem], language) from error
    QuestionAnswer.objects.create(
        generation=generation,
        question=question,
        simplification=simplification,
        is_said=answer.is_in_text,
        text=answer.text,
        quotation=answer.quotation,
        is_beyond=answer.beyond_text,
    )


def grade_store(generation: Generation, raw: str) -> None:
    """Store the grade in a reply. Raises ``AnswerRefused``."""
    question, answer = generation.question, generation.answer
    if question is None or answer is None:
        raise TypeError("a generation without an answer grades none")
    try:
        grade = read_grade(raw, question=question.number)
    except ReplyError as error:
        raise AnswerRefused([error.problem], questioning_of(generation.run).language) from error
    QuestionGrade.objects.create(
        generation=generation, answer=answer, score=grade.score, reason=grade.reason
    )


@transaction.atomic
def question_edit(*, actor: User | None, question: Question, **changes: str) -> Question:
    """Change a question that nobody was asked yet: its type, text, expected answer, quotation.

    The quotation must stand in the original. What it was stands in the event. Raises ``RuleError``
    naming the field.
    """
    question = _unasked(question)
    after = {name: changes[name].strip() for name in _TOLD if name in changes}
    before = {name: getattr(question, name) for name in after}
    for name, value in after.items():
        setattr(question, name, value)
    if problems := _problems(question):
        raise RuleError(problems)
    changed = [name for name in after if after[name] != before[name]]
    if changed:
        question.edited_at = timezone.now()
        question.save(update_fields=[*changed, "edited_at"])
        _record(
            actor,
            question,
            "question_edited",
            before={_TOLD[name]: before[name] for name in changed},
            after={_TOLD[name]: after[name] for name in changed},
        )
    return question


@transaction.atomic
def question_drop(*, actor: User | None, question: Question) -> Question:
    """Leave a question out that nobody was asked yet. A second time changes nothing."""
    question = _unasked(question)
    if question.dropped_at is None:
        question.dropped_at = timezone.now()
        question.save(update_fields=["dropped_at"])
        _record(actor, question, "question_dropped", question=question.text)
    return question


@transaction.atomic
def question_restore(*, actor: User | None, question: Question) -> Question:
    """Take a question in again that was left out. A second time changes nothing."""
    question = _unasked(question)
    if question.dropped_at is not None:
        question.dropped_at = None
        question.save(update_fields=["dropped_at"])
        _record(actor, question, "question_restored", question=question.text)
    return question


def _unasked(question: Question) -> Question:
    """The question as it is now, its run locked: a run of answers that begins takes that row too.
    Raises ``RuleError`` where it was asked."""
    run_locked(question.generation.run)
    question = Question.objects.select_related("generation__run__study", "generation__item").get(
        pk=question.pk
    )
    if question.asked_in.exists():
        raise RuleError.single(
            "question",
            "asked",
            "Cette question a été posée : elle ne change plus. Préparez une autre passe.",
            "This question was asked: it does not change any more. Prepare another run.",
        )
    return question


def _problems(question: Question) -> list[Problem]:
    setting = questioning_of(question.generation.run)
    problems = [
        _problem(name, "required", "Remplissez ce champ.", "Fill in this field.")
        for name in ("text", "expected", "quotation")
        if not getattr(question, name)
    ]
    if question.type not in setting.types:
        known = ", ".join(setting.types)
        problems.append(
            _problem(
                "type",
                "unknown_type",
                f"Types de la passe : {known}.",
                f"Types of the run: {known}.",
            )
        )
    original = question.generation.item.original
    if question.quotation and located(original, question.quotation) is None:
        problems.append(
            _problem(
                "quotation",
                "quotation_not_found",
                "Ces mots ne se trouvent pas dans le texte original : citez-le tel quel.",
                "These words are not in the original: quote it as it is.",
            )
        )
    return problems


def _problem(field: str, code: str, fr: str, en: str) -> Problem:
    return Problem(field, code, Wording(fr, en))


def _record(actor: User | None, about: Question, verb: str, **details: Any) -> None:
    event_record(
        actor=actor,
        study=about.generation.run.study,
        verb=verb,
        target=about,
        item=about.generation.item.key,
        number=about.number,
        **details,
    )
