"""A model's call as a worker writes it down: claimed, then its reply stored or its failure noted,
and what is next.

Exactly one output per generation and number: whoever claims works, whoever still holds the claim
stores (see ``services.platform.leases``), and the unique constraint stands behind both. What a call
may cost at most is set aside with the claim, so that all workers together cannot pass the ceiling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from annotation.generation.review import flags, storable, tidy
from annotation.jobs import send_generation_later
from annotation.leasing import Backoff, Outcome, State, next_state
from annotation.models import Generation, GenerationCall, GenerationRun, Output
from annotation.selectors.generation.orders import ORDERED_WITH, Order
from annotation.services.generation.judging import AnswerRefused, machine_judgment_store
from annotation.services.generation.questions import answer_store, grade_store, questions_store
from annotation.services.generation.runs import (
    run_finish_if_done,
    run_spend,
    run_stop,
    run_stop_if_left,
)
from annotation.services.platform.leases import Work, from_now

CALLS = Work(
    rows=Generation.objects.all,
    holder="claim",
    cleared={"claim": "", "reserved": Decimal(0)},
)
BACKOFF = Backoff(first=1.0, longest=60.0)
# Beyond the client's own time-out, for storing and for a machine that is busy.
LEASE_MARGIN = timedelta(seconds=30)
MOST_LOSSES = 10
MOST_TRIES = 10
# What becomes of a reply that is no text to be judged.
_KEEP: dict[str, Callable[[Generation, str], object]] = {
    GenerationRun.Purpose.JUDGE: machine_judgment_store,
    GenerationRun.Purpose.QUESTION: questions_store,
    GenerationRun.Purpose.ANSWER: answer_store,
    GenerationRun.Purpose.GRADE: grade_store,
}
# Each answer that cannot be read is paid for like any other.
UNREAD = frozenset({"malformed", "rules"})
MOST_UNREAD = 3
# A limit of requests is nobody's fault: it is waited out for much longer than an error.
MOST_WAITS = 50
# So many refusals in a row, without one answer between them, mean that every call would be refused.
REFUSALS_STOP = 5


@dataclass(frozen=True)
class Reply:
    """What the service answered."""

    text: str
    finish_reason: str
    model: str = ""
    response_id: str = ""
    request_id: str = ""
    fingerprint: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_ms: int | None = None


@dataclass(frozen=True)
class Failure:
    """How a call ended without an answer. ``maybe_billed``: it may have been worked on, and is
    counted as paid.

    ``again``: trying again can help. ``everywhere``: it may be the same for every other call of the
    run, and is held to be where ``REFUSALS_STOP`` of these come in a row.
    """

    outcome: str
    again: bool
    everywhere: bool = False
    maybe_billed: bool = False
    http_status: int | None = None
    detail: str = ""
    request_id: str = ""
    retry_after: float | None = None
    latency_ms: int | None = None


@transaction.atomic
def generation_claim(order: Order, claim: str, *, redelivered: bool = False) -> bool:
    """Take the generation and set its cost aside. False where somebody else has it or the run
    stands still."""
    if redelivered:
        calls_lose(CALLS.held(order.generation, claim), resend=False)
    if run_stop_if_left(order.run):
        return False
    lease = timedelta(seconds=settings.LLM_TIMEOUT_SECONDS) + LEASE_MARGIN
    free = Generation.objects.filter(
        pk=order.generation, state=State.WAITING, outputs_wanted=order.output_number
    )
    if not CALLS.take(free, lease, claim=claim, reserved=order.at_most, not_before=None):
        return False
    paid = GenerationRun.objects.filter(
        pk=order.run, state=GenerationRun.State.RUNNING, spent__lte=F("ceiling") - order.at_most
    ).update(spent=F("spent") + order.at_most)
    if not paid:
        # Nothing is claimed without its cost being set aside.
        transaction.set_rollback(True)
    return bool(paid)


def over_ceiling(order: Order) -> bool:
    """Whether the run stands still because one more call could pass its ceiling; stops it if
    nothing is under way.

    While other calls are under way, less may be spent than is set aside: then it is only too early
    to say.
    """
    run = GenerationRun.objects.get(pk=order.run)
    if run.state != GenerationRun.State.RUNNING or run.spent + order.at_most <= run.ceiling:
        return False
    if not run.generations.filter(state=State.RUNNING).exists():
        run_stop(run=run.pk, because=GenerationRun.Stopped.BUDGET)
    return True


@transaction.atomic
def generation_store(order: Order, claim: str, reply: Reply) -> bool:
    """Keep what came back. False where this claim is no longer the generation's: then nothing is
    stored twice."""
    cost = _cost(order, reply)
    if not order.writes_texts and not _store_answer(order, claim, reply, cost):
        return False
    held = CALLS.held(order.generation, claim)
    given_back = CALLS.given_back(order.generation, claim)
    wanted = Q(outputs_wanted=order.output_number)
    done = {"tries": 0, "problem": ""}
    if CALLS.move(held.filter(wanted), State.DONE, **done):
        aside = order.at_most
    elif CALLS.move(given_back.filter(wanted), State.DONE, **done):
        # What was set aside has been counted as spent when the claim was lost.
        cost = aside = Decimal(0)
    else:
        # Somebody else has it: paid with the lost claim, and only noted.
        _log_reply(order, reply, Decimal(0), outcome="late")
        return False
    is_flagged = _store_output(order, reply)
    _log_reply(order, reply, cost, outcome="answered")
    GenerationRun.objects.filter(pk=order.run).update(
        spent=F("spent") + (cost - aside),
        refusals_in_a_row=0,
        undecided=F("undecided") + int(is_flagged),
    )
    run_finish_if_done(order.run)
    return True


def _store_answer(order: Order, claim: str, reply: Reply, cost: Decimal) -> bool:
    """Keep what the reply says: a machine's judgment, questions, an answer, a grade. False where it
    was refused and will be asked for again."""
    held = CALLS.held(order.generation, claim) | CALLS.given_back(order.generation, claim)
    rows = held.select_related(*ORDERED_WITH, "system__judge")
    generation = rows.select_for_update(of=("self",)).first()
    if generation is None:
        return True  # the caller finds the same, and notes that it came too late
    try:
        _KEEP[order.purpose](generation, reply.text)
    except AnswerRefused as error:
        # Of a claim that was given back, what was set aside has been counted as spent.
        paid = cost if generation.state == State.RUNNING else Decimal(0)
        _log_reply(order, reply, paid, outcome="rules")
        _settle(generation, paid)
        # The service answers, whatever it says.
        GenerationRun.objects.filter(pk=order.run).update(refusals_in_a_row=0)
        _next(generation, Outcome.RETRY, "rules", error.reasons)
        return False
    return True


@transaction.atomic
def generation_fail(order: Order, claim: str, failure: Failure) -> bool:
    """Note how the call ended; the generation waits for a retry or is given up. False: no longer
    ours.

    A retry backs off; what was asked in a batch waits for the next batch instead.
    """
    held = CALLS.held(order.generation, claim).select_related("run")
    generation = held.select_for_update(of=("self",)).first()
    if generation is None:
        return False
    cost = generation.reserved if failure.maybe_billed else Decimal(0)
    GenerationCall.objects.create(
        generation=generation,
        output_number=order.output_number,
        outcome=failure.outcome,
        http_status=failure.http_status,
        request_id=failure.request_id[:100],
        cost=cost,
        latency_ms=failure.latency_ms,
        retry_after=failure.retry_after,
    )
    _settle(generation, cost)
    outcome = Outcome.RETRY if failure.again else Outcome.FAILED
    wait = (
        0.0
        if order.batch
        else BACKOFF.seconds(order.generation, order.tries, at_least=failure.retry_after)
    )
    _next(generation, outcome, failure.outcome, failure.detail, wait=wait)
    if failure.everywhere:
        _count_refusal(generation.run_id, failure)
    return True


def _cost(order: Order, reply: Reply) -> Decimal:
    """As billed; at most that, where the service does not say how many tokens it counted."""
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return order.at_most
    return order.price.of(reply.prompt_tokens, reply.completion_tokens, batch=order.batch)


def _store_output(order: Order, reply: Reply) -> bool:
    """Whether something of it was flagged."""
    raised = (
        []
        if not order.writes_texts
        else flags(
            original=order.original,
            raw=reply.text,
            finish_reason=reply.finish_reason,
            prompt=order.prompt,
            language=order.language,
        )
    )
    Output.objects.create(
        generation_id=order.generation,
        number=order.output_number,
        raw=storable(reply.text),
        text=tidy(reply.text) if order.writes_texts else "",
        finish_reason=reply.finish_reason[:40],
        flags=raised,
    )
    return bool(raised)


def _log_reply(order: Order, reply: Reply, cost: Decimal, *, outcome: str) -> None:
    GenerationCall.objects.create(
        generation_id=order.generation,
        output_number=order.output_number,
        outcome=outcome,
        http_status=200,
        model=reply.model[:100],
        response_id=reply.response_id[:100],
        request_id=reply.request_id[:100],
        fingerprint=reply.fingerprint[:100],
        finish_reason=reply.finish_reason[:40],
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost=cost,
        latency_ms=reply.latency_ms,
    )


def _settle(generation: Generation, cost: Decimal) -> None:
    """Replace what was set aside by what it cost."""
    run_spend(generation.run_id, cost - generation.reserved)


def _next(
    generation: Generation, outcome: Outcome, problem: str, detail: str, *, wait: float = 0.0
) -> None:
    """From an attempt without an output to the generation's next state, and the run's where it was
    the last."""
    most = MOST_WAITS if problem == "rate_limited" else MOST_TRIES
    if problem in UNREAD and _unread(generation) >= MOST_UNREAD:
        outcome = Outcome.FAILED
    state = next_state(outcome, attempts=generation.tries + 1, most=most)
    row = Generation.objects.filter(pk=generation.pk)
    changes = {"problem": problem, "problem_detail": storable(detail)[:500]}
    if state == State.FAILED:
        CALLS.move(row, state, **changes)
        run_finish_if_done(generation.run_id)
        return
    later = from_now(timedelta(seconds=wait))
    CALLS.move(
        row,
        state,
        tries=F("tries") + 1,
        not_before=later if wait else None,
        sent_at=later,
        **changes,
    )
    if generation.run.mode == GenerationRun.Mode.LIVE:
        pk = generation.pk
        transaction.on_commit(lambda: send_generation_later(pk, wait), robust=True)


def _unread(generation: Generation) -> int:
    """How many answers of these tries, the last one included, were paid for and could not be
    read. A lead who has it asked for again begins anew: every try and every loss has its line in
    the log, and both were set to 0 then."""
    since = generation.tries + generation.losses + 1
    last = generation.calls.exclude(outcome="late").order_by("-pk")[:since]
    return sum(call.outcome in UNREAD for call in last)


def _count_refusal(run: int, failure: Failure) -> None:
    GenerationRun.objects.filter(pk=run).update(refusals_in_a_row=F("refusals_in_a_row") + 1)
    if failure.outcome == "quota":
        run_stop(run=run, because=GenerationRun.Stopped.QUOTA)
    elif failure.outcome == "no_key":
        run_stop(run=run, because=GenerationRun.Stopped.NO_KEY)
    elif GenerationRun.objects.filter(pk=run, refusals_in_a_row__gte=REFUSALS_STOP).exists():
        run_stop(run=run, because=GenerationRun.Stopped.REFUSED)


def calls_lose(running: QuerySet[Generation], *, resend: bool) -> int:
    """Give back what dead workers held. Their calls may have been billed: what was set aside counts
    as spent."""
    return sum(_lose(generation, resend=resend) for generation in running.select_related("run"))


@transaction.atomic
def _lose(generation: Generation, *, resend: bool) -> bool:
    # Conditional on the lease: a worker that claims it anew in this moment keeps it.
    lapsed = CALLS.held(generation.pk, generation.claim).filter(lease_until=generation.lease_until)
    state = next_state(Outcome.LOST, attempts=generation.losses + 1, most=MOST_LOSSES)
    changes = {"losses": F("losses") + 1, "problem": "worker_lost", "problem_detail": ""}
    if resend:
        changes["sent_at"] = None
    # The claim stays in the row, so that an answer that comes after all is not thrown away.
    if not CALLS.move(lapsed, state, claim=generation.claim, **changes):
        return False
    GenerationCall.objects.create(
        generation=generation,
        output_number=generation.outputs_wanted,
        outcome="lost",
        cost=generation.reserved,
    )
    return True
