"""What a worker needs for one call to a model."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Q
from django.db.models.functions import Now

from annotation.generation import judging
from annotation.generation.presets import filled
from annotation.generation.prices import Price, Tokens, call_tokens
from annotation.models import (
    Generation,
    GenerationRun,
)
from annotation.selectors.base.sizes import expected_languages
from annotation.selectors.generation.questions import (
    asks_questions,
    messages_of,
    reply_format,
)
from annotation.selectors.generation.runs import price_of


@dataclass(frozen=True)
class Order:
    """Everything that one call needs, as plain values: a worker asks for it before it waits for its
    turn."""

    generation: int
    run: int
    endpoint: str
    model: str
    messages: list[dict[str, str]]
    parameters: dict[str, Any]
    tokens: Tokens
    at_most: Decimal
    output_number: int
    price: Price
    prompt: str
    original: str
    language: str = ""
    """In which the texts that are written should be; "" for that of their originals."""
    tries: int = 0
    batch: bool = False
    purpose: str = GenerationRun.Purpose.SIMPLIFY.value

    @property
    def writes_texts(self) -> bool:
        """Whether the reply is a text to be judged, and no answer of a given shape."""
        return self.purpose == GenerationRun.Purpose.SIMPLIFY


# The pages' columns of these tables are many, and a worker reads one row at a time.
_NEEDED = (
    *(
        "outputs_wanted",
        "tries",
        "problem",
        "problem_detail",
        "run__purpose",
        "run__mode",
        "run__endpoint",
    ),
    *(
        "system__model",
        "system__prompt",
        "system__parameters",
        "system__price_prompt",
        "system__price_completion",
    ),
    *(
        "item__original",
        "item__structure",
        "simplification__text",
        "run__study__protocol_key",
        "run__study__protocol_version",
    ),
    "run__study__rulings",
    "run__questioning",
    *("question__text", "question__expected", "answer__text"),
)
ORDERED_WITH = ("run__study", "system", "item", "simplification", "question", "answer")
"""What an order is made from, beside the generation's own row."""


def generation_order(pk: int, claim: str, *, redelivered: bool = False) -> Order | None:
    """What to ask for this generation now; None where there is nothing to do.

    A message that comes again because its worker died may take up what that worker had claimed with
    it.
    """
    mine = Q(state=Generation.State.RUNNING, claim=claim) if redelivered else Q(pk__in=())
    generations = (
        Generation.objects.filter(
            pk=pk, run__state=GenerationRun.State.RUNNING, run__mode=GenerationRun.Mode.LIVE
        )
        .filter(mine | Q(state=Generation.State.WAITING))
        .filter(Q(not_before__isnull=True) | Q(not_before__lte=Now()))
        .select_related(*ORDERED_WITH)
        .only(*_NEEDED)
        .order_by()[:1]
    )
    return order_of(generations[0]) if generations else None


def order_of(generation: Generation) -> Order:
    """The call that this generation asks for next."""
    run, system, item = generation.run, generation.system, generation.item
    batch = run.mode == GenerationRun.Mode.BATCH
    parameters = dict(system.parameters)
    if run.purpose == GenerationRun.Purpose.JUDGE and generation.simplification is not None:
        study = run.study
        instructions = judging.instructions(study.protocol, study.rulings, system.prompt)
        refused = generation.problem_detail.splitlines() if generation.problem == "rules" else []
        question = judging.question(item.original, generation.simplification.text, refused)
        messages = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": question},
        ]
        tokens = call_tokens("{input}", question, parameters, system_message=instructions)
        parameters["response_format"] = judging.response_format(study.protocol)
    elif asks_questions(run):
        instructions, question = messages_of(generation)
        messages = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": question},
        ]
        tokens = call_tokens("{input}", question, parameters, system_message=instructions)
        parameters["response_format"] = reply_format(run)
    else:
        messages = [{"role": "user", "content": filled(system.prompt, item.original)}]
        tokens = call_tokens(system.prompt, item.original, parameters)
    price = price_of(system)
    return Order(
        generation=generation.pk,
        run=run.pk,
        endpoint=run.endpoint,
        model=system.model,
        messages=messages,
        parameters=parameters,
        tokens=tokens,
        at_most=price.of(tokens.prompt, tokens.at_most, batch=batch),
        output_number=generation.outputs_wanted,
        price=price,
        prompt=system.prompt,
        original=item.original,
        language=next(filter(None, expected_languages(run.study)), ""),
        purpose=run.purpose,
        tries=generation.tries,
        batch=batch,
    )
