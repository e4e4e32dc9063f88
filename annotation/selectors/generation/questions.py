"""Reads about runs of questions, answers and grades: what they ask of a model, and of what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import (
    Generation,
    GenerationRun,
    GenerationSystem,
    Item,
    Question,
    QuestionAnswer,
)
from annotation.questions.calls import FOLLOWS, TASKS, Questioning
from annotation.questions.lengths import TooLong
from annotation.questions.prompts import (
    Task,
    answer_messages,
    grade_messages,
    questions_messages,
    response_format,
)
from annotation.questions.reading import ReplyError, check_text

EMPTY_TEXT, TOO_LONG = "empty_text", "too_long"
NEVER_ASKED = (EMPTY_TEXT, TOO_LONG)
"""Problems of a text that no call can mend: it is listed, and no model is asked."""
_GIVEN_UP = (Generation.State.CANCELLED, Generation.State.FAILED)


@dataclass(frozen=True)
class Subject:
    """What one call is about. ``text``: what the model is shown; ``structure``: what people marked
    in it; ``problem``: why it is not asked."""

    item: int
    text: str
    structure: str = ""
    simplification: int | None = None
    question: Question | None = None
    answer: QuestionAnswer | None = None
    problem: str = ""
    detail: str = ""


def asks_questions(run: GenerationRun) -> bool:
    """Whether the run is one of questions, answers or grades."""
    return run.purpose in TASKS


def questioning_of(run: GenerationRun) -> Questioning:
    return Questioning.of(run.questioning)


def subjects(
    run: GenerationRun, former: QuerySet[GenerationSystem], rounds: Iterable[str]
) -> Iterator[Subject]:
    """Each thing that a system is to be asked about in this run. ``former``: the system of that
    name in other runs, which is not asked a second time."""
    task = TASKS[run.purpose]
    if task == Task.QUESTIONS:
        yield from _items(run, former, rounds)
    elif task == Task.ANSWERS:
        yield from _questions(run, former, rounds)
    else:
        yield from _answers(run, former)


def messages_of(generation: Generation) -> tuple[str, str]:
    """The system's and the user's message of a call; after a refused reply with what was wrong with
    it."""
    refused = generation.problem_detail.splitlines() if generation.problem == "rules" else []
    return _messages(
        generation.run,
        generation.system.prompt,
        # Who grades is told no text: one beyond the window of such a run is nothing to it.
        _shown(generation) if generation.answer is None else "",
        structure=generation.item.structure,
        question=generation.question,
        answer=generation.answer,
        problems=refused,
    )


def subject_messages(run: GenerationRun, prompt: str, subject: Subject) -> tuple[str, str]:
    """The same before there is a call."""
    return _messages(
        run,
        prompt,
        subject.text,
        structure=subject.structure,
        question=subject.question,
        answer=subject.answer,
        problems=[],
    )


def instructions_of(run: GenerationRun, prompt: str) -> str:
    """The system's message, which is the same for every call of a system."""
    question = Question() if run.purpose in FOLLOWS else None
    answer = QuestionAnswer() if TASKS[run.purpose] == Task.GRADES else None
    return _messages(run, prompt, "", question=question, answer=answer, problems=[])[0]


def reply_format(run: GenerationRun) -> dict[str, object]:
    """The API's parameter that asks for the run's kind of JSON."""
    return response_format(TASKS[run.purpose], questioning_of(run).types)


def shown_text(generation: Generation) -> str:
    """The text that a model was shown: what its quotations are looked for in."""
    return _shown(generation)


def _shown(generation: Generation) -> str:
    about = generation.simplification
    return questioning_of(generation.run).shown(
        generation.item.original if about is None else about.text
    )


def _messages(
    run: GenerationRun,
    prompt: str,
    text: str,
    *,
    question: Question | None,
    structure: str = "",
    answer: QuestionAnswer | None,
    problems: list[str],
) -> tuple[str, str]:
    setting = questioning_of(run)
    if question is None:
        return questions_messages(
            prompt,
            text,
            types=setting.types,
            least=setting.least,
            most=setting.most,
            language=setting.language,
            structure=structure,
            problems=problems,
        )
    if answer is None:
        return answer_messages(
            prompt, question.text, text, language=setting.language, problems=problems
        )
    return grade_messages(
        prompt,
        question.text,
        question.expected,
        answer.text,
        language=setting.language,
        problems=problems,
    )


def _items(
    run: GenerationRun, former: QuerySet[GenerationSystem], rounds: Iterable[str]
) -> Iterator[Subject]:
    elsewhere = Generation.objects.filter(item=OuterRef("pk"), system__in=former).exclude(
        state__in=_GIVEN_UP
    )
    items = Item.objects.filter(study_id=run.study_id, round__in=list(rounds)).exclude(
        Exists(elsewhere)
    )
    rows = items.order_by("position").values_list("pk", "original", "structure")
    for pk, original, structure in rows.iterator():
        yield _fitted(run, Subject(item=pk, text=original, structure=structure))


def _questions(
    run: GenerationRun, former: QuerySet[GenerationSystem], rounds: Iterable[str]
) -> Iterator[Subject]:
    """Each question that was kept, with each simplification of its item."""
    answered = set(
        Generation.objects.filter(question__generation__run=run.after_id, system__in=former)
        .exclude(state__in=_GIVEN_UP)
        .values_list("question", "simplification")
    )
    of_item, text = "generation__item", "generation__item__simplifications"
    questions = Question.objects.filter(
        **{f"{of_item}__round__in": list(rounds), f"{text}__isnull": False},
        **{f"{text}__repeat_of__isnull": True},
        generation__run=run.after_id,
        dropped_at__isnull=True,
    ).order_by(f"{of_item}__position", "pk", f"{text}__position", f"{text}__pk")
    rows = questions.values_list("pk", "text", of_item, f"{text}__pk", f"{text}__text")
    for pk, question_text, item, simplification, simplified in rows.iterator(chunk_size=2000):
        if (pk, simplification) not in answered:
            question = Question(pk=pk, text=question_text)
            yield _fitted(
                run,
                Subject(
                    item=item, text=simplified, simplification=simplification, question=question
                ),
            )


def _answers(run: GenerationRun, former: QuerySet[GenerationSystem]) -> Iterator[Subject]:
    """Each answer that says something: that a text does not say has its grade by rule."""
    elsewhere = Generation.objects.filter(answer=OuterRef("pk"), system__in=former).exclude(
        state__in=_GIVEN_UP
    )
    answers = QuestionAnswer.objects.filter(generation__run=run.after_id, is_said=True).exclude(
        Exists(elsewhere)
    )
    ordered = answers.select_related("question", "generation").order_by(
        "generation__item__position", "pk"
    )
    for answer in ordered.iterator(chunk_size=2000):
        yield Subject(
            item=answer.generation.item_id,
            text=answer.text,
            simplification=answer.simplification_id,
            question=answer.question,
            answer=answer,
        )


def _fitted(run: GenerationRun, subject: Subject) -> Subject:
    """The subject with its text as it is sent, or with why it is not."""
    setting = questioning_of(run)
    try:
        check_text(subject.text)
        return replace(subject, text=setting.shown(subject.text))
    except ReplyError as error:
        problem, detail = EMPTY_TEXT, error.problem
    except TooLong as error:
        problem, detail = TOO_LONG, error.problem
    return replace(subject, problem=problem, detail=detail.message.get(setting.language))


def has_replies(run: GenerationRun) -> bool:
    """Whether anything came back that a run after this one could be about."""
    return run.generations.filter(state=Generation.State.DONE).exists()
