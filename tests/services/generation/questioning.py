"""Runs of questions, answers and grades without workers: what a model replies, and its way into a
row."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from annotation.generation.prices import Price
from annotation.models import Generation, GenerationRun, Study
from annotation.selectors.generation.orders import order_of
from annotation.selectors.generation.runs import run_preset
from annotation.services.generation.calls import generation_claim, generation_store
from annotation.services.generation.runs import run_create, run_start
from annotation.services.generation.systems import system_add
from tests.factories import make_pair
from tests.services.generation.generating import reply

ORIGINAL = (
    "L'assureur verse l'indemnité dans les soixante jours de la réception de l'avis de sinistre, "
    "sauf si l'assuré a fait une fausse déclaration."
)
TEXTS = {
    "a": "L'assureur paie dans les soixante jours, sauf si vous avez menti.",
    "b": "L'assureur finit par payer l'indemnité qui est prévue au contrat.",
}
QUESTIONS = (
    {
        "type": "deadline",
        "question": "Dans quel délai l'assureur verse-t-il l'indemnité prévue ?",
        "answer": "Dans les soixante jours de la réception de l'avis.",
        "quotation": "dans les soixante jours",
    },
    {
        "type": "exception",
        "question": "Quand l'assureur est-il dispensé de verser l'indemnité ?",
        "answer": "Quand l'assuré a fait une fausse déclaration.",
        "quotation": "sauf si l'assuré a fait une fausse déclaration",
    },
)


def questions(*entries: dict[str, Any]) -> str:
    return json.dumps({"questions": list(entries or QUESTIONS)}, ensure_ascii=False)


def answer(text: str = "Dans les soixante jours.", quotation: str = "les soixante jours") -> str:
    return json.dumps({"in_text": True, "answer": text, "quotation": quotation})


NOT_SAID = json.dumps({"in_text": False, "answer": "", "quotation": ""})


def grade(score: Any = 8, reason: str = "Le délai est le bon.") -> str:
    return json.dumps({"reason": reason, "grade": score})


def make_texts(study: Study, items: int = 1) -> None:
    """Items with a simplification by each of two systems."""
    for _ in range(items):
        first = make_pair(study, original=ORIGINAL, text=TEXTS["a"], system="a")
        first.item.simplifications.create(text=TEXTS["b"], system="b", position=1)


def prepared(
    study: Study, purpose: str = "question", *, names: tuple[str, ...] = (), **fields: Any
):
    """A run in preparation, with the systems that are offered for it."""
    run = run_create(actor=None, study=study, purpose=purpose, ceiling=Decimal(50), **fields)
    spec = run_preset(run)
    for name in names or (spec.name,):
        spec = type(spec)(name, spec.model, spec.prompt, spec.parameters)
        system_add(actor=None, run=run, spec=spec, price=Price(Decimal(10), Decimal(30)))
    return run


def begun(study: Study, purpose: str = "question", **fields: Any) -> GenerationRun:
    return run_start(actor=None, run=prepared(study, purpose, **fields))


def replied(generation: Generation, raw: str) -> bool:
    """One call: whether something was stored."""
    order = order_of(Generation.objects.select_related("run__study").get(pk=generation.pk))
    assert generation_claim(order, "m")
    return generation_store(order, "m", reply(raw))


def all_replied(run: GenerationRun, *raw: str) -> GenerationRun:
    """Every waiting call of a run, each with the next of these replies, the last for the rest."""
    left = list(raw)
    for generation in run.generations.filter(state="waiting").order_by("pk"):
        assert replied(generation, left.pop(0) if len(left) > 1 else left[0])
    run.refresh_from_db()
    return run


def graded(study: Study) -> GenerationRun:
    """The whole way of one item: its questions, the answers of two texts, their grades."""
    asking = all_replied(begun(study), questions())
    answered = all_replied(
        begun(study, "answer", after=asking),
        answer(),
        NOT_SAID,
        answer("Si l'assuré a menti.", "sauf si vous avez menti"),
        answer("Jamais, selon la loi sur les assurances.", "jamais"),
    )
    return all_replied(begun(study, "grade", after=answered), grade(9), grade(6), grade(2))


def addresses(study: Study) -> dict[str, int]:
    """What the addresses of questions name, in a study with items of any text: a run of questions
    that has ended with one question, and a run of answers in preparation."""
    asking = begun(study, names=("asks",))
    generation = asking.generations.order_by("pk")[0]
    question = generation.questions.create(
        number=1, type="amount", text="Combien ?", expected="Dix.", quotation="dix"
    )
    GenerationRun.objects.filter(pk=asking.pk).update(state="finished")
    asking.refresh_from_db()
    answering = prepared(study, "answer", after=asking, names=("answers",))
    return {"asking": asking.number, "answering": answering.number, "question": question.pk}
