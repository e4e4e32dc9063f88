"""A machine's judgment stored as a rater of its own kind: the protocol's rules are the same, the
origin is not."""

from __future__ import annotations

from django.db.models import Max
from django.utils import timezone

from annotation import answers as storage
from annotation.generation.judging import UnreadableAnswer, answers_of
from annotation.models import (
    Annotator,
    Assignment,
    Generation,
    Item,
    Judgment,
    JudgmentRevision,
    Simplification,
    Study,
)
from annotation.protocols.base import Answers, Problem
from annotation.protocols.kinds import ShapeError
from annotation.services.base.sealing import judgment_seal
from annotation.services.base.standings import standings_append


class AnswerRefused(ValueError):
    """The model's answer breaks the rules; ``reasons`` says how, one line each, as it will be told
    so in the language in which it was asked."""

    def __init__(self, problems: list[Problem], language: str = "fr") -> None:
        self.reasons = "\n".join(
            f"{problem.field} : {problem.message.get(language)}" for problem in problems
        )
        super().__init__(self.reasons)


def machine_judgment_store(generation: Generation, raw: str) -> Judgment:
    """Seal the judgment in a model's answer. Raises ``AnswerRefused``; then nothing is stored.

    Called inside the transaction that stores the output. A simplification that this judge has
    judged keeps the judgment it has.
    """
    study, judge, simplification = (
        generation.run.study,
        generation.system.judge,
        generation.simplification,
    )
    if judge is None or simplification is None:
        raise TypeError("a generation of a simplification judges nothing")
    # Two runs may ask one judge about one pair: the second waits here, and finds what the first
    # stored.
    Annotator.objects.select_for_update(no_key=True).only("pk").get(pk=judge.pk)
    former = Judgment.objects.filter(
        assignment__annotator=judge, assignment__simplification=simplification
    ).first()
    if former is not None:
        return former
    answers = _answers(generation, simplification, raw)
    assignment = Assignment(
        annotator=judge,
        simplification=simplification,
        in_practice=generation.item.round == Item.Round.PRACTICE,
    )
    return _sealed(study, assignment, answers)


def _answers(generation: Generation, simplification: Simplification, raw: str) -> Answers:
    """What the model answered, by the protocol's rules. Raises ``AnswerRefused``."""
    study, original = generation.run.study, generation.item.original
    try:
        answers = answers_of(
            raw, study.protocol, original=original, simplification=simplification.text
        )
    except (UnreadableAnswer, ShapeError) as error:
        raise AnswerRefused([error.problem]) from error
    facts = storage.facts(
        original=original,
        simplification=simplification.text,
        is_identical=simplification.is_identical,
        language=simplification.language,
    )
    if problems := study.protocol.problems(answers, facts, study.rulings):
        raise AnswerRefused(problems)
    return answers


def _sealed(study: Study, assignment: Assignment, answers: Answers) -> Judgment:
    """The assignment, done, after all that its judge has, with its judgment."""
    standings_append([assignment], standing=Assignment.Standing.DONE)
    own = Assignment.objects.filter(annotator=assignment.annotator)
    assignment.position = (own.aggregate(last=Max("position"))["last"] or 0) + 1
    assignment.save()
    now = timezone.now()
    judgment = Judgment(
        assignment=assignment, revision=1, origin=Judgment.Origin.MACHINE, started_at=now
    )
    judgment_seal(judgment, study, answers, now)
    JudgmentRevision.objects.create(
        assignment=assignment, number=1, answers=answers, submitted_at=now
    )
    return judgment
