"""Runs of models without workers: what a worker does is done by the test, step by step."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from annotation.generation.presets import PAPER, SystemSpec
from annotation.generation.prices import Price
from annotation.models import Generation, GenerationRun, Item, Study
from annotation.selectors.generation.orders import Order, order_of
from annotation.services.generation.calls import Reply, generation_claim, generation_store
from annotation.services.generation.runs import run_create, run_start
from annotation.services.generation.systems import system_add
from tests.factories import make_study

ORIGINAL = (
    "Le locataire remet les clés au propriétaire le jour où le bail prend fin, sauf entente "
    "contraire."
)
FINE = "Le locataire rend les clés à la fin du bail, sauf si on a convenu d'autre chose."
CALL = Decimal("0.0016")
"""Of 100 tokens read and 20 written at 10 and 30 USD a million."""


class Broker:
    """What would have been sent."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.later: list[tuple[int, float]] = []
        self.requested: list[tuple[str, Any]] = []
        self.waiting: int | None = 0

    def send(self, pks: list[int]) -> int:
        self.sent += pks
        return len(pks)


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    new_broker = Broker()
    rooms = "annotation.services.generation"
    monkeypatch.setattr(f"{rooms}.sending.send_generations", new_broker.send)
    for room in ("calls", "sending"):
        monkeypatch.setattr(
            f"{rooms}.{room}.send_generation_later",
            lambda pk, seconds: new_broker.later.append((pk, seconds)),
        )
    monkeypatch.setattr(f"{rooms}.sending.waiting_messages", lambda queue: new_broker.waiting)
    monkeypatch.setattr(
        "annotation.jobs._send", lambda name, *given: new_broker.requested.append((name, given))
    )
    return new_broker


def make_items(study: Study, number: int = 2, **fields: Any) -> list[Item]:
    first = study.items.count() + 1
    return [
        Item.objects.create(
            study=study, key=f"c{n}", position=n, original=fields.get("original", f"{ORIGINAL} ({n})"),  # noqa: E501
            round=fields.get("round", "main"),
        )
        for n in range(first, first + number)
    ]  # fmt: skip


def system(name: str = "gpt-4-turbo", **changed: Any) -> SystemSpec:
    fields = {
        "model": PAPER.model,
        "prompt": PAPER.prompt,
        "parameters": dict(PAPER.parameters),
    } | changed
    return SystemSpec(name, **fields)


def make_run(
    study: Study | None = None,
    *,
    items: int = 2,
    systems: tuple[str, ...] = ("gpt-4-turbo",),
    **fields: Any,
):
    """A run in preparation."""
    study = study or make_study()
    make_items(study, items)
    run = run_create(actor=None, study=study, ceiling=fields.pop("ceiling", Decimal(5)), **fields)
    for name in systems:
        system_add(actor=None, run=run, spec=system(name), price=Price(Decimal(10), Decimal(30)))
    return run


def started(study: Study | None = None, **fields: Any) -> GenerationRun:
    return run_start(actor=None, run=make_run(study, **fields))


def order(run: GenerationRun, position: int = 1, **of: Any) -> Order:
    """What the generation of this item would be asked now."""
    generations = run.generations.select_related("run__study", "system", "item", "simplification")
    return order_of(generations.get(item__position=position, **of))


def reply(text: str = FINE, **changed: Any) -> Reply:
    fields: dict[str, Any] = {
        "finish_reason": "stop",
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "model": "m-1",
    }
    return Reply(text, **(fields | changed))


def answered(
    run: GenerationRun,
    position: int = 1,
    text: str = FINE,
    *,
    of: dict[str, Any] | None = None,
    **changed,
):
    """One call from claim to row."""
    call_order = order(run, position, **(of or {}))
    assert generation_claim(call_order, "message")
    assert generation_store(call_order, "message", reply(text, **changed))
    return Generation.objects.get(pk=call_order.generation)


def fresh(row: Any) -> Any:
    row.refresh_from_db()
    return row


def judged(**changed: Any) -> str:
    """A machine's whole answer, right by default."""
    error = {
        "type": "omission",
        "note": "",
        "original_quote": "sauf si l'assuré",
        "simplification_quote": "",
    }
    return json.dumps(
        {
            "simplicity": 1,
            "simplicity_confirmed": False,
            "characterization": 7,
            "explanation": "",
            "bracket": 3,
            "errors": [error],
            "crossing_answer": "",
            "moved_from": None,
            "comment": "",
            "doubt": False,
        }
        | changed
    )
