"""Questions of a text beside people: rows of runs with what people said of them, and what people
are to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import QuerySet

from annotation.corpus.question_rows import QuestionRow
from annotation.metrics.report.estimate import Drawn
from annotation.models import GenerationRun, Item, Question, Simplification, Study
from annotation.questions.people import PAIRS, Texts, answer_key, pair_key, with_people
from annotation.questions.report import Spent, questions_report
from annotation.questions.values import THRESHOLD
from annotation.selectors.generation.question_rows import Chain, chain_of, rows_of, spent_of
from annotation.selectors.publishing.question_people import QUESTION_PROTOCOLS, said_in

_SOME = 500


@dataclass(frozen=True)
class QuestionsRequest:
    """A report: of a run that ends a chain and of ``beside``, others of the study whose chains
    stand beside it; with what people said in the ``judged`` studies."""

    run: GenerationRun
    beside: tuple[GenerationRun, ...] = ()
    judged: tuple[Study, ...] = ()
    threshold: int = THRESHOLD
    drawn: Drawn = field(default_factory=Drawn)
    withdrawn: bool = True
    """With what those said who have left since."""

    @property
    def chains(self) -> list[Chain]:
        """Each run's, once. Raises ``RuleError`` for a run that neither answers nor grades."""
        runs = {run.pk: run for run in (self.run, *self.beside)}
        return [chain_of(run) for run in runs.values()]


def rows_with_people(questions_request: QuestionsRequest) -> list[QuestionRow]:
    """The rows of all chains, with what people said. Raises ``RuleError``."""
    rows = [row for chain in questions_request.chains for row in rows_of(chain)]
    for protocol in QUESTION_PROTOCOLS:
        studies = [study for study in questions_request.judged if study.protocol_key == protocol]
        if studies:
            rows = with_people(
                rows, said_in(studies, withdrawn=questions_request.withdrawn), protocol
            )
    return rows


def report_with_people(
    questions_request: QuestionsRequest, rows: Sequence[QuestionRow] | None = None
) -> dict[str, Any]:
    """The report, of its ``rows`` where they are there. Raises ``RuleError``."""
    spent: dict[tuple[str, str], Spent] = {}
    for chain in questions_request.chains:
        for cost in spent_of(chain):
            spent.setdefault((cost.variant, cost.model), cost)
    return questions_report(
        rows_with_people(questions_request) if rows is None else rows,
        threshold=questions_request.threshold,
        drawn=questions_request.drawn,
        spent=list(spent.values()),
    )


def comparable_runs(run: GenerationRun) -> QuerySet[GenerationRun]:
    """The other runs of the study that end a chain as this one does."""
    return (
        run.study.generation_runs.filter(purpose=run.purpose)
        .exclude(pk=run.pk)
        .exclude(state=GenerationRun.State.DRAFT)
        .order_by("number")
    )


def judging_studies(led: QuerySet[Study]) -> list[Study]:
    """Those of the studies that somebody leads in which people judge questions or answers, and
    whose answers may be read now."""
    studies = led.filter(protocol_key__in=QUESTION_PROTOCOLS).order_by("key")
    return [study for study in studies if not study.hides_answers("main")]


def made_from(studies: Sequence[Study], rows: Sequence[QuestionRow]) -> list[Study]:
    """Those of these studies that have a pair made of one of the rows."""
    keys = sorted({key for row in rows for key in (pair_key(row), answer_key(row))})
    study_ids: set[int] = set()
    for start in range(0, len(keys), _SOME):
        items = Item.objects.filter(study__in=studies, key__in=keys[start : start + _SOME])
        study_ids.update(items.values_list("study", flat=True))
    return [study for study in studies if study.pk in study_ids]


def rows_for_people(run: GenerationRun, protocol: str) -> list[QuestionRow]:
    """What people can be asked about a run: its questions, or its answers. Raises ``RuleError``
    for answers of a run that has none."""
    if run.purpose == GenerationRun.Purpose.QUESTION:
        if protocol != PAIRS:
            chain_of(run)
        return _questions(run)
    return [replace(row, system="") if protocol == PAIRS else row for row in rows_of(chain_of(run))]


def texts_of(study: Study) -> Texts:
    """What a study's questions are from, and what is answered from."""
    rows = Simplification.objects.filter(item__study=study).select_related("item")
    return Texts(
        dict(study.items.values_list("key", "original")),
        {(pair.item.key, pair.system or pair.pair_name): pair.text for pair in rows},
    )


def _questions(run: GenerationRun) -> list[QuestionRow]:
    """Those that were not dropped."""
    questions = (
        Question.objects.filter(generation__run=run, dropped_at__isnull=True)
        .select_related("generation__item", "generation__system")
        .order_by("generation__item__position", "generation__pk", "number")
    )
    return [
        QuestionRow(
            source=question.generation.item.key,
            system="",
            question=f"{question.generation.system.name}#{question.number}",
            type=question.type,
            text=question.text,
            expected=question.expected,
            reference_quotation=question.quotation,
        )
        for question in questions
    ]
