"""One call from its message to its row: wait for the turn, claim, ask, store."""

from __future__ import annotations

import hashlib
import time

from django.db import InterfaceError, OperationalError, connections

from annotation.selectors.generation import Order, generation_order
from annotation.services.generation_work import (
    BUDGET_LOOK_SECONDS,
    Failure,
    Reply,
    generation_claim,
    generation_fail,
    generation_put_off,
    generation_store,
    over_ceiling,
)
from workers.limits import Limits, TooLong

# A worker waits this long for its turn; for a later one it puts the message back and is free for other runs.
LONGEST_WAIT_SECONDS = 20.0
_FIRST_DELAY_SECONDS = 1.0
_STORE_AGAIN_SECONDS = (0.5, 2.0, 5.0)
_LONGEST_DELAY_SECONDS = 60.0


def generation_write(pk: int, claim: str, *, redelivered: bool = False) -> bool:
    """Ask the service for this generation's output and store it. False where nothing was stored.

    ``claim`` names the message: if the worker that had it dies, the message comes again under the same name.
    """
    from django.conf import settings

    from workers import llm

    order = generation_order(pk, claim, redelivered=redelivered)
    if order is None:
        return False
    endpoint = settings.LLM_ENDPOINTS.get(order.endpoint)
    limits = (
        Limits(endpoint.name, endpoint.requests_per_minute, endpoint.tokens_per_minute, endpoint.concurrency)
        if endpoint
        else Limits(order.endpoint)
    )
    try:
        with limits.turn(order.tokens.prompt + order.tokens.at_most, longest=LONGEST_WAIT_SECONDS):
            if not generation_claim(order, claim, redelivered=redelivered):
                if over_ceiling(order):
                    generation_put_off(order, BUDGET_LOOK_SECONDS)
                return False
            reply = llm.ask(order)
    except TooLong as error:
        generation_put_off(order, error.seconds)
        return False
    except llm.CallFailed as error:
        if error.failure.outcome == "rate_limited":
            limits.pause(error.failure.retry_after or _FIRST_DELAY_SECONDS)
        generation_fail(order, claim, error.failure, delay=delay(order, error.failure))
        return False
    return _store(order, claim, reply)


def _store(order: Order, claim: str, reply: Reply) -> bool:
    """Store a paid answer, also if the database is away for a moment: the lease lasts longer than these tries."""
    for pause in _STORE_AGAIN_SECONDS:
        try:
            return generation_store(order, claim, reply)
        except (OperationalError, InterfaceError):
            connections.close_all()
            time.sleep(pause)
    return generation_store(order, claim, reply)


def delay(order: Order, failure: Failure) -> float:
    """Seconds until the next try: twice as long each time, spread so that not all come back at once.

    The spread is drawn from the generation and the try, so the same failure waits the same time. Never less than
    the service asked for.
    """
    if not failure.again:
        return 0.0
    longest = min(_LONGEST_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2.0**order.tries)
    drawn = hashlib.sha256(f"{order.generation}:{order.tries}".encode()).digest()[0] / 255
    spread = longest * (0.5 + drawn / 2)
    return spread if failure.retry_after is None else failure.retry_after + spread * 0.2
