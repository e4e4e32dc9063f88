"""What workers write: a generation claimed, its output stored, put back, or given up; each a conditional UPDATE.

Exactly one output per generation and number: whoever claims works, whoever still holds the claim stores, and the
unique constraint stands behind both. What a call may cost at most is set aside with the claim, so that all workers
together cannot pass the ceiling.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone

from annotation.generation.review import flags, storable, tidy
from annotation.jobs import send_generation_later, send_generations, waiting_messages
from annotation.models import Generation, GenerationCall, GenerationRun, Output
from annotation.selectors.generation import Order
from annotation.services.generation_judging import AnswerRefused, machine_judgment_store
from annotation.services.generation_replies import Failure, Reply
from annotation.services.generation_runs import run_finish_if_done, run_spend, run_stop

State = Generation.State
# Beyond the client's own time-out, for storing and for a machine that is busy.
LEASE_MARGIN = timedelta(seconds=30)
MOST_LOSSES = 10
MOST_TRIES = 10
# A limit of requests is nobody's fault: it is waited out for much longer than an error.
MOST_WAITS = 50
# So many refusals in a row, without one answer between them, mean that every call would be refused.
REFUSALS_STOP = 5
MESSAGE_LOST_AFTER = timedelta(seconds=60)
CHUNK = 1000
BUDGET_LOOK_SECONDS = 3.0


@transaction.atomic
def generation_claim(order: Order, claim: str, *, redelivered: bool = False) -> bool:
    """Take the generation and set its cost aside. False where somebody else has it or the run stands still."""
    if redelivered:
        _lose(_held(order.generation, claim), resend=False)
    now = timezone.now()
    lease = now + timedelta(seconds=settings.LLM_TIMEOUT_SECONDS) + LEASE_MARGIN
    taken = Generation.objects.filter(
        pk=order.generation, state=State.WAITING, outputs_wanted=order.output_number
    ).update(state=State.RUNNING, claim=claim, lease_until=lease, reserved=order.at_most, not_before=None)
    if not taken:
        return False
    paid = GenerationRun.objects.filter(
        pk=order.run, state=GenerationRun.State.RUNNING, spent__lte=F("ceiling") - order.at_most
    ).update(spent=F("spent") + order.at_most)
    if not paid:
        # Nothing is claimed without its cost being set aside.
        transaction.set_rollback(True)
    return bool(paid)


def over_ceiling(order: Order) -> bool:
    """Whether the run stands still because one more call could pass its ceiling; stops it if nothing is under way.

    While other calls are under way, less may be spent than is set aside: then it is only too early to say.
    """
    run = GenerationRun.objects.get(pk=order.run)
    if run.state != GenerationRun.State.RUNNING or run.spent + order.at_most <= run.ceiling:
        return False
    if not run.generations.filter(state=State.RUNNING).exists():
        run_stop(run=run.pk, because=GenerationRun.Stopped.BUDGET)
    return True


@transaction.atomic
def generation_store(order: Order, claim: str, reply: Reply) -> bool:
    """Keep what came back. False where this claim is no longer the generation's: then nothing is stored twice."""
    cost = _cost(order, reply)
    if order.judging and not _store_judgment(order, claim, reply, cost):
        return False
    done = {"state": State.DONE, "claim": "", "lease_until": None, "reserved": Decimal(0), "tries": 0, "problem": ""}
    wanted = Q(outputs_wanted=order.output_number)
    if _held(order.generation, claim).filter(wanted).update(**done):
        aside = order.at_most
    elif _given_back(order.generation, claim).filter(wanted).update(**done):
        # What was set aside has been counted as spent when the claim was lost.
        cost = aside = Decimal(0)
    else:
        # Somebody else has it: paid with the lost claim, and only noted.
        _log_reply(order, reply, Decimal(0), outcome="late")
        return False
    _store_output(order, reply)
    _log_reply(order, reply, cost, outcome="answered")
    GenerationRun.objects.filter(pk=order.run).update(spent=F("spent") + (cost - aside), refusals_in_a_row=0)
    run_finish_if_done(order.run)
    return True


def _store_judgment(order: Order, claim: str, reply: Reply, cost: Decimal) -> bool:
    """Seal a machine's judgment; False where its answer was refused and will be asked for again."""
    held = _held(order.generation, claim) | _given_back(order.generation, claim)
    rows = held.select_related("run__study", "system__judge", "item", "simplification")
    generation = rows.select_for_update(of=("self",)).first()
    if generation is None:
        return True  # the caller finds the same, and notes that it came too late
    try:
        machine_judgment_store(generation, reply.text)
    except AnswerRefused as error:
        # Of a claim that was given back, what was set aside has been counted as spent.
        paid = cost if generation.state == State.RUNNING else Decimal(0)
        _log_reply(order, reply, paid, outcome="rules")
        _settle(generation, paid)
        _again_or_never(generation, "rules", error.told, delay=0.0, most=MOST_TRIES)
        return False
    return True


@transaction.atomic
def generation_fail(order: Order, claim: str, failure: Failure, *, delay: float = 0.0) -> bool:
    """Note how the call ended and put the generation back for later, or give it up. False: no longer ours."""
    held = _held(order.generation, claim).select_related("run")
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
    if failure.again:
        most = MOST_WAITS if failure.outcome == "rate_limited" else MOST_TRIES
        _again_or_never(generation, failure.outcome, failure.detail, delay=delay, most=most)
    else:
        _give_up(generation, failure.outcome, failure.detail)
    if failure.everywhere:
        _count_refusal(generation.run_id, failure)
    return True


def generation_put_off(order: Order, seconds: float) -> None:
    """Not now: its turn is too far off to wait for. Nothing was claimed."""
    later = timezone.now() + timedelta(seconds=seconds)
    waiting = Generation.objects.filter(pk=order.generation, state=State.WAITING)
    if waiting.update(not_before=later, sent_at=later):
        send_generation_later(order.generation, seconds)


def generations_feed(run: int) -> int:
    """Send a message for each waiting generation that has none; how many. Memory does not grow with their number."""
    sent = 0
    while True:
        pks = list(
            Generation.objects.filter(
                run=run,
                run__state=GenerationRun.State.RUNNING,
                run__mode=GenerationRun.Mode.LIVE,
                state=State.WAITING,
                sent_at__isnull=True,
            )
            .filter(Q(not_before__isnull=True) | Q(not_before__lte=timezone.now()))
            .order_by("item__position", "pk")
            .values_list("pk", flat=True)[:CHUNK]
        )
        if not pks:
            return sent
        Generation.objects.filter(pk__in=pks, sent_at__isnull=True).update(sent_at=timezone.now())
        sent += send_generations(pks)


def generations_resend() -> int:
    """Find work whose worker died or whose message was lost, and send it again; how many messages.

    What came back unanswered into a run that was cancelled meanwhile is cancelled with it.
    Messages are taken in the order in which they were sent: one is lost when a later one has been taken up, or
    when none waits any more.
    """
    now = timezone.now()
    _lose(Generation.objects.filter(state=State.RUNNING, lease_until__lt=now), resend=True)
    Generation.objects.filter(state=State.WAITING, run__state=GenerationRun.State.CANCELLED).update(
        state=State.CANCELLED
    )
    waiting = Generation.objects.filter(
        state=State.WAITING, run__state=GenerationRun.State.RUNNING, run__mode=GenerationRun.Mode.LIVE
    ).filter(Q(not_before__isnull=True) | Q(not_before__lt=now - timedelta(seconds=5)))
    if waiting.exists():
        lost = Q(sent_at__lt=now - MESSAGE_LOST_AFTER)
        if waiting_messages(settings.LLM_QUEUE):
            taken = Generation.objects.exclude(state__in=[State.WAITING, State.CANCELLED]).aggregate(at=Max("sent_at"))
            before = (taken["at"] or now - timedelta(days=3650)) - MESSAGE_LOST_AFTER
            lost &= Q(sent_at__lt=before)
        waiting.filter(lost).update(sent_at=None)
    runs = list(waiting.filter(sent_at__isnull=True).values_list("run", flat=True).distinct())
    sent = sum(generations_feed(run) for run in runs)
    for run in GenerationRun.objects.filter(state=GenerationRun.State.RUNNING).values_list("pk", flat=True):
        run_finish_if_done(run)
    return sent


def _held(pk: int, claim: str) -> QuerySet[Generation]:
    return Generation.objects.filter(pk=pk, state=State.RUNNING, claim=claim)


def _given_back(pk: int, claim: str) -> QuerySet[Generation]:
    """Taken from this worker because it seemed dead, and not yet taken up by another."""
    return Generation.objects.filter(pk=pk, state=State.WAITING, claim=claim)


def _cost(order: Order, reply: Reply) -> Decimal:
    """As billed; at most that, where the service does not say how many tokens it counted."""
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return order.at_most
    return order.price.of(reply.prompt_tokens, reply.completion_tokens, batch=order.batch)


def _store_output(order: Order, reply: Reply) -> None:
    raised = (
        []
        if order.judging
        else flags(original=order.original, raw=reply.text, finish_reason=reply.finish_reason, prompt=order.prompt)
    )
    Output.objects.create(
        generation_id=order.generation,
        number=order.output_number,
        raw=storable(reply.text),
        text="" if order.judging else tidy(reply.text),
        finish_reason=reply.finish_reason[:40],
        flags=raised,
    )


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


def _again_or_never(generation: Generation, problem: str, detail: str, *, delay: float, most: int) -> None:
    if generation.tries + 1 >= most:
        _give_up(generation, problem, detail)
        return
    later = timezone.now() + timedelta(seconds=delay)
    Generation.objects.filter(pk=generation.pk).update(
        state=State.WAITING,
        claim="",
        lease_until=None,
        reserved=Decimal(0),
        tries=F("tries") + 1,
        not_before=later if delay else None,
        sent_at=later,
        problem=problem,
        problem_detail=storable(detail)[:500],
    )
    if generation.run.mode == GenerationRun.Mode.LIVE:
        pk = generation.pk
        transaction.on_commit(lambda: send_generation_later(pk, delay), robust=True)


def _give_up(generation: Generation, problem: str, detail: str) -> None:
    Generation.objects.filter(pk=generation.pk).update(
        state=State.FAILED,
        claim="",
        lease_until=None,
        reserved=Decimal(0),
        problem=problem,
        problem_detail=storable(detail)[:500],
    )
    run_finish_if_done(generation.run_id)


def _count_refusal(run: int, failure: Failure) -> None:
    GenerationRun.objects.filter(pk=run).update(refusals_in_a_row=F("refusals_in_a_row") + 1)
    if failure.outcome == "quota":
        run_stop(run=run, because=GenerationRun.Stopped.QUOTA)
    elif failure.outcome == "no_key":
        run_stop(run=run, because=GenerationRun.Stopped.NO_KEY)
    elif GenerationRun.objects.filter(pk=run, refusals_in_a_row__gte=REFUSALS_STOP).exists():
        run_stop(run=run, because=GenerationRun.Stopped.REFUSED)


def _lose(running: QuerySet[Generation], *, resend: bool) -> int:
    """Give back what dead workers held. Their calls may have been billed: what was set aside counts as spent."""
    lost = 0
    for generation in running.select_related("run"):
        gone = generation.losses + 1 >= MOST_LOSSES
        # Conditional on the lease: a worker that claims it anew in this moment keeps it. The claim stays in the row, so
        # that an answer that comes after all is not thrown away.
        mine = Generation.objects.filter(
            pk=generation.pk, state=State.RUNNING, claim=generation.claim, lease_until=generation.lease_until
        )
        with transaction.atomic():
            if not mine.update(
                state=State.FAILED if gone else State.WAITING,
                lease_until=None,
                reserved=Decimal(0),
                losses=F("losses") + 1,
                problem="worker_lost",
                problem_detail="",
                **({"sent_at": None} if resend else {}),
            ):
                continue
            GenerationCall.objects.create(
                generation=generation,
                output_number=generation.outputs_wanted,
                outcome="lost",
                cost=generation.reserved,
            )
        lost += 1
    return lost
