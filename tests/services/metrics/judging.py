"""A study that a model has judged, step by step as workers do."""

from __future__ import annotations

from decimal import Decimal

from annotation.generation.presets import SystemSpec
from annotation.generation.prices import Price
from annotation.models import GenerationRun, Study
from annotation.selectors.generation.orders import order_of
from annotation.services.generation.calls import generation_claim, generation_store
from annotation.services.generation.runs import run_create, run_start
from annotation.services.generation.systems import system_add
from tests.services.generation.generating import judged, reply

PRICE = Price(Decimal(10), Decimal(30))
"""A call of 100 tokens read and 20 written costs 0.0016 USD."""


def judging_run(
    study: Study, *, name: str = "juge", price: Price | None = PRICE, model: str = "gpt-4.1"
) -> GenerationRun:
    """A started run of one judge, with the prompt «Juge.»."""
    run = run_create(actor=None, study=study, purpose="judge", ceiling=Decimal(5))
    spec = SystemSpec(name, model, "Juge.", {"temperature": 0.0, "max_tokens": 900})
    system_add(actor=None, run=run, spec=spec, price=price)
    return run_start(actor=None, run=run)


def answers(run: GenerationRun, *brackets: int) -> None:
    """The judge's answers in the items' order: the top of each bracket, less nothing."""
    rows = run.generations.select_related("run__study", "system__judge", "item", "simplification")
    for row, bracket in zip(rows.order_by("item__position"), brackets, strict=False):
        call_order = order_of(row)
        assert generation_claim(call_order, "m")
        assert generation_store(call_order, "m", reply(judged(bracket=bracket, errors=[])))
