"""One call, a single descent: its order, its turn, its claim, the answer, and from there to the
row's next state.

What an error means is told by ``llm``, whose turn it is by ``limits``; everything else (who has the
row, whether and when there is a retry, when the run ends) is decided where it is written down, in
``services.generation.calls``.
"""

from __future__ import annotations

from annotation.selectors.generation.orders import generation_order
from annotation.services.generation.calls import (
    BACKOFF,
    generation_claim,
    generation_fail,
    generation_store,
    over_ceiling,
)
from annotation.services.generation.sending import BUDGET_LOOK_SECONDS, generation_put_off
from annotation.services.platform.leases import through_outage
from workers.generation.limits import Limits, TooLong

# A worker waits this long for its turn; for a later one it puts the message back and is free for
# other runs.
LONGEST_WAIT_SECONDS = 20.0


def generation_write(pk: int, claim: str, *, redelivered: bool = False) -> bool:
    """Ask the service for this generation's output and store it. False where nothing was stored.

    ``claim`` names the message: if the worker that had it dies, the message comes again under the
    same name.
    """
    from django.conf import settings

    from workers.generation import llm

    order = generation_order(pk, claim, redelivered=redelivered)
    if order is None:
        return False
    endpoint = settings.LLM_ENDPOINTS.get(order.endpoint)
    limits = (
        Limits(
            endpoint.name,
            endpoint.requests_per_minute,
            endpoint.tokens_per_minute,
            endpoint.concurrency,
        )
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
            limits.pause(error.failure.retry_after or BACKOFF.first)
        generation_fail(order, claim, error.failure)
        return False
    # Paid for: the lease lasts longer than these tries.
    return through_outage(lambda: generation_store(order, claim, reply))
