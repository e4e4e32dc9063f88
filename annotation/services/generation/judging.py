"""A machine's judgment stored as a rater of its own kind: the protocol's rules are the same, the
origin is not."""

from __future__ import annotations

from django.db.models import Max
from django.utils import timezone

from annotation import answers as storage
from annotation.generation.judging import UnreadableAnswer, answers_of
from annotation.models import Annotator, Assignment, Generation, Item, Judgment, JudgmentRevision
from annotation.protocols.base import Problem
from annotation.protocols.fields import ShapeError
from annotation.services.base.standings import standing_set, standings_append


class AnswerRefused(ValueError):
    """The model's answer breaks the protocol's rules; ``told`` says how, one line each, as it will
    be told so."""

    def __init__(self, problems: list[Problem]) -> None:
        self.told = "\n".join(f"{problem.field} : {problem.message.fr}" for problem in problems)
        super().__init__(self.told)


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
    protocol, settings = study.protocol, study.protocol_settings
    original = generation.item.original
    try:
        answers = answers_of(raw, protocol, original=original, simplification=simplification.text)
    except (UnreadableAnswer, ShapeError) as error:
        raise AnswerRefused([error.problem]) from error
    facts = storage.facts(
        original=original,
        simplification=simplification.text,
        is_identical=simplification.is_identical,
        language=simplification.language,
    )
    if problems := protocol.problems(answers, facts, settings):
        raise AnswerRefused(problems)
    assignment = Assignment(
        annotator=judge,
        simplification=simplification,
        in_practice=generation.item.round == Item.Round.PRACTICE,
    )
    standings_append([assignment])
    own = Assignment.objects.filter(annotator=judge)
    assignment.position = (own.aggregate(last=Max("position"))["last"] or 0) + 1
    assignment.save()
    now = timezone.now()
    judgment = Judgment.objects.create(
        assignment=assignment,
        revision=1,
        origin="machine",
        started_at=now,
        dimensions_required=len(protocol.dimensions),
        **storage.columns(protocol, answers),
    )
    storage.store(judgment, protocol, answers, settings)
    judgment.submitted_at = now
    judgment.save(update_fields=["submitted_at"])
    standing_set(assignment, assignment.standing, Assignment.Standing.DONE)
    JudgmentRevision.objects.create(
        assignment=assignment, number=1, answers=answers, submitted_at=now
    )
    return judgment
