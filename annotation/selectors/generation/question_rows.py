"""Answers and grades of a run as long rows: what a report is computed from, and what is exported.

A row is one question put to one simplification by one chain of systems: those that wrote the
question, answered it and graded the answer. What failed or was never answered has its row, with the
reason in ``missing``: it is no NO.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, product
from math import isnan

from django.db.models import Count, QuerySet, Sum

from annotation.corpus.metric_scores import LONGEST_NAME
from annotation.corpus.question_rows import QuestionRow
from annotation.errors import RuleError
from annotation.models import (
    Generation,
    GenerationCall,
    GenerationRun,
    GenerationSystem,
    QuestionAnswer,
    Simplification,
)
from annotation.questions.report import GRADE_MISSING, Graded, Spent
from annotation.questions.values import NOT_IN_TEXT_REASON, NOT_IN_TEXT_SCORE

_CHUNK = 500
_DONE = Generation.State.DONE


@dataclass(frozen=True)
class Chain:
    """The runs behind rows: who wrote the questions, who answered them, who graded, if any did."""

    asking: GenerationRun
    answering: GenerationRun
    grading: GenerationRun | None = None

    @property
    def graders(self) -> list[GenerationSystem | None]:
        return [None] if self.grading is None else list(self.grading.systems.all())


def chain_of(run: GenerationRun) -> Chain:
    """The chain that a run of answers or of grades ends. Raises ``RuleError`` for any other run."""
    before = run.after
    if before is not None and before.after is not None:
        return Chain(before.after, before, run)
    if before is not None:
        return Chain(before, run)
    raise RuleError.single(
        "purpose",
        "unfit",
        "Choisissez une passe qui répond à des questions ou qui note des réponses.",
        "Choose a run that answers questions or grades answers.",
    )


def rows_of(chain: Chain) -> Iterator[QuestionRow]:
    """Each row, in the order of the items."""
    for chunk in _chunks(answers_of(chain).order_by("item__position", "pk")):
        yield from rows_about(chain, chunk)


def answers_of(chain: Chain) -> QuerySet[Generation]:
    """The calls for an answer, each with all that its rows tell."""
    generations = chain.answering.generations.select_related(
        "system", "item", "simplification", "question__generation__system", "question_answer"
    )
    # Rows hold no text that was asked about, and every row of an item would bring its own copy.
    return generations.defer(
        "item__original",
        "simplification__text",
        "system__prompt",
        "question__generation__system__prompt",
    )


def rows_about(chain: Chain, answers: Sequence[Generation]) -> list[QuestionRow]:
    """The rows of some of these calls: one for each system that graded them."""
    grades = _grades(chain.grading, answers)
    calls = _calls([*answers, *grades.values()])
    return [
        _row(answer, grader, grades.get((answer.pk, grader.pk)) if grader else None, calls)
        for answer, grader in product(answers, chain.graders)
    ]


def spent_of(chain: Chain) -> list[Spent]:
    """What the questions cost that stand in the rows, by chain of systems."""
    spent = []
    for asker in chain.asking.systems.all():
        sums = GenerationCall.objects.filter(generation__system=asker).aggregate(
            calls=Count("pk"),
            read=Sum("prompt_tokens"),
            written=Sum("completion_tokens"),
            usd=Sum("cost"),
        )
        for answers, grader in product(chain.answering.systems.all(), chain.graders):
            spent.append(
                Spent(
                    variant=_variant(asker, answers, grader),
                    model=(grader or answers).model,
                    calls=sums["calls"],
                    tokens=(sums["read"] or 0) + (sums["written"] or 0),
                    usd=float(sums["usd"] or 0),
                )
            )
    return spent


def shares_of(chain: Chain, threshold: int) -> list[tuple[str, str, float]]:
    """Of each pair, the chain of systems and the share of questions that its simplification still
    answers (0 to 1): grades of ``threshold`` and more among those that count. A pair of which
    everything is missing has none."""
    answered: dict[tuple[str, str], list[bool]] = {}
    names = {
        (
            pair.item.key,
            pair.system or pair.pair_name,
        ): pair.pair_name
        for pair in Simplification.objects.filter(item__study_id=chain.answering.study_id)
        .filter(repeat_of__isnull=True)
        .select_related("item")
        .only("system", "position", "item__key")
    }
    rows = tuple(rows_of(chain))
    for row, score in zip(rows, Graded(rows).scores, strict=True):
        if not isnan(score):
            place = names[row.source, row.system], row.variant
            answered.setdefault(place, []).append(bool(score >= threshold))
    return [(pair, variant, sum(yes) / len(yes)) for (pair, variant), yes in answered.items()]


def named_shares(chain: Chain, threshold: int) -> list[tuple[str, str, float]]:
    """The same with each chain called as a metric: by its systems, numbered where the name would be
    too long for one."""
    shares = shares_of(chain, threshold)
    variants = sorted({variant for _pair, variant, _share in shares})
    names = {
        variant: variant if len(variant) <= LONGEST_NAME else f"questions answered {number}"
        for number, variant in enumerate(variants, start=1)
    }
    return [(pair, names[variant], share) for pair, variant, share in shares]


def _row(
    answer: Generation,
    grader: GenerationSystem | None,
    grade: Generation | None,
    calls: Mapping[int, tuple[int, Decimal]],
) -> QuestionRow:
    question, simplification = answer.question, answer.simplification
    if question is None or simplification is None:
        raise TypeError("a generation without a question has no row")
    asker = question.generation.system
    said: QuestionAnswer | None = getattr(answer, "question_answer", None)
    score, reason = _grade(said, grader, grade)
    spent = [
        calls.get(generation.pk, (0, Decimal(0)))
        for generation in (answer, grade)
        if generation is not None
    ]
    return QuestionRow(
        source=answer.item.key,
        system=simplification.system or simplification.pair_name,
        question=f"{asker.name}#{question.number}",
        type=question.type,
        text=question.text,
        expected=question.expected,
        reference_quotation=question.quotation,
        answer=said.text if said else "",
        quotation=said.quotation if said else "",
        is_in_text=said is None or said.is_said,
        beyond_text=said is not None and said.is_beyond,
        grade=score,
        reason=reason,
        missing=_missing(answer, said, grader, grade),
        variant=_variant(asker, answer.system, grader),
        model=(grader or answer.system).model,
        tokens=sum(call[0] for call in spent),
        usd=float(sum(call[1] for call in spent)),
    )


def _grade(
    said: QuestionAnswer | None, grader: GenerationSystem | None, grade: Generation | None
) -> tuple[int | None, str]:
    """The grade and its reason: the rule's own where no grader is asked."""
    if said is not None and not said.is_said and grader is not None:
        return NOT_IN_TEXT_SCORE, NOT_IN_TEXT_REASON
    given = getattr(grade, "question_grade", None)
    return (given.score, given.reason) if given else (None, "")


def _missing(
    answer: Generation,
    said: QuestionAnswer | None,
    grader: GenerationSystem | None,
    grade: Generation | None,
) -> str:
    """Why there is no answer or no grade: which of both, and what became of its call."""
    if said is None:
        return f"answer: {answer.problem or answer.state}"
    if grader is None:
        # Nor by rule: of all answers those alone would count that are a NO.
        return f"{GRADE_MISSING}not asked"
    if not said.is_said:
        return ""  # that a text does not say has its grade by rule
    if grade is None:
        return f"{GRADE_MISSING}not asked"
    return "" if grade.state == _DONE else f"{GRADE_MISSING}{grade.problem or grade.state}"


def _variant(
    asker: GenerationSystem, answers: GenerationSystem, grader: GenerationSystem | None
) -> str:
    return " → ".join(system.name for system in (asker, answers, grader) if system is not None)


def _grades(
    run: GenerationRun | None, answers: Iterable[Generation]
) -> dict[tuple[int, int], Generation]:
    """The grading of each answer by each system, by the answer's generation and the system."""
    if run is None:
        return {}
    generations = run.generations.filter(answer__generation__in=list(answers)).select_related(
        "answer", "question_grade"
    )
    return {
        (generation.answer.generation_id, generation.system_id): generation
        for generation in generations
        if generation.answer
    }


def _calls(generations: Iterable[Generation]) -> dict[int, tuple[int, Decimal]]:
    """Tokens and USD of each generation's calls."""
    sums = (
        GenerationCall.objects.filter(generation__in=list(generations))
        .order_by()
        .values_list("generation")
        .annotate(Sum("prompt_tokens"), Sum("completion_tokens"), Sum("cost"))
    )
    return {pk: ((read or 0) + (written or 0), usd) for pk, read, written, usd in sums}


def _chunks(rows: QuerySet[Generation]) -> Iterator[list[Generation]]:
    iterator = rows.iterator(chunk_size=_CHUNK)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk
