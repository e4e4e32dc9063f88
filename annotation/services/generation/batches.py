"""Runs in batch mode: requests handed over as a file, fetched within a day, for half the price.

The rows are the same as for single calls; a batch holds its generations by a claim of its own for
as long as the service may take. What must not happen twice is handing the same file over: before a
batch is handed over, the service is asked whether it has it already. A batch's own lease says no
more than that somebody looks at it now.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.models import BatchEntry, Generation, GenerationBatch, GenerationRun
from annotation.selectors.generation.orders import ORDERED_WITH, Order, order_of
from annotation.services.generation.runs import run_finish_if_done, run_stop, run_stop_if_left
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import from_now, lapsed

State = GenerationBatch.State
# The service ends a batch after a day; fetching may wait for a worker.
HELD = timedelta(hours=48)
LOOK_EVERY = timedelta(seconds=30)
MOST_REQUESTS = 20_000


@transaction.atomic
def batch_prepare(run_pk: int) -> GenerationBatch | None:
    """Put what waits into a new batch, as far as the ceiling allows; None where nothing waits."""
    run = (
        GenerationRun.objects.select_for_update(of=("self",)).select_related("study").get(pk=run_pk)
    )
    if run.state != GenerationRun.State.RUNNING or run.mode != GenerationRun.Mode.BATCH:
        return None
    if run_stop_if_left(run.pk):
        return None
    orders, left = [], run.ceiling - run.spent
    waiting = run.generations.filter(state=Generation.State.WAITING).order_by(
        "item__position", "pk"
    )
    for generation in waiting.select_related(*ORDERED_WITH)[:MOST_REQUESTS]:
        order = order_of(generation)
        if order.at_most > left:
            break
        left -= order.at_most
        orders.append(order)
    if not orders:
        if waiting.exists() and not run.generations.filter(state=Generation.State.RUNNING).exists():
            run_stop(run=run.pk, because=GenerationRun.Stopped.BUDGET)
        return None
    batch = GenerationBatch.objects.create(run=run, requests=len(orders))
    _claim(batch, orders)
    GenerationRun.objects.filter(pk=run.pk).update(
        spent=F("spent") + sum((o.at_most for o in orders), Decimal(0))
    )
    event_record(
        actor=None,
        study=run.study,
        verb="generation_batch_prepared",
        target=batch,
        requests=len(orders),
    )
    return batch


def _claim(batch: GenerationBatch, orders: list[Order]) -> None:
    until = from_now(HELD)
    rows = [
        Generation(
            pk=order.generation,
            state=Generation.State.RUNNING,
            claim=batch.claim,
            lease_until=until,
            reserved=order.at_most,
        )
        for order in orders
    ]
    Generation.objects.bulk_update(
        rows, ["state", "claim", "lease_until", "reserved"], batch_size=500
    )
    BatchEntry.objects.bulk_create(
        [
            BatchEntry(batch=batch, generation_id=o.generation, output_number=o.output_number)
            for o in orders
        ],
        batch_size=2000,
    )


def batches_due() -> list[GenerationBatch]:
    """Batches that want looking at and that nobody is looking at."""
    return list(
        GenerationBatch.objects.filter(lapsed())
        .exclude(state=State.ENDED)
        .select_related("run__study")
    )


def batch_claim(batch: GenerationBatch, seconds: float) -> bool:
    """Be the one that looks at it, for so long."""
    mine = GenerationBatch.objects.filter(lapsed(), pk=batch.pk).exclude(state=State.ENDED)
    return bool(mine.update(lease_until=from_now(timedelta(seconds=seconds))))


def batch_release(batch: GenerationBatch, *, problem: str = "") -> None:
    """Look again in a while."""
    GenerationBatch.objects.filter(pk=batch.pk).update(
        lease_until=from_now(LOOK_EVERY), problem_detail=problem[:500]
    )


def batch_orders(batch: GenerationBatch) -> Iterator[tuple[str, Order]]:
    """Each request of the batch with the name by which its answer is known."""
    held = Generation.objects.filter(
        entries__batch=batch, state=Generation.State.RUNNING, claim=batch.claim
    )
    rows = held.select_related(*ORDERED_WITH).order_by("item__position", "pk")
    for generation in rows.iterator(chunk_size=500):
        yield f"{generation.pk}-{generation.outputs_wanted}", order_of(generation)


def batch_submitted(batch: GenerationBatch, remote_id: str) -> None:
    """Note under which name the service knows it."""
    GenerationBatch.objects.filter(pk=batch.pk).update(
        state=State.SUBMITTED, remote_id=remote_id, submitted_at=timezone.now(), problem_detail=""
    )
    batch.state, batch.remote_id = State.SUBMITTED, remote_id


def batch_note(batch: GenerationBatch, remote_state: str, answered: int) -> None:
    """Note how far the service says it is."""
    answered = min(max(answered, 0), batch.requests)
    GenerationBatch.objects.filter(pk=batch.pk).update(
        remote_state=remote_state[:40], answered=answered
    )


@transaction.atomic
def batch_end(batch: GenerationBatch, remote_state: str) -> None:
    """Close a batch of which every answer that there is was stored; what had none waits for the
    next one."""
    GenerationBatch.objects.filter(pk=batch.pk).update(
        state=State.ENDED, remote_state=remote_state[:40], ended_at=timezone.now(), lease_until=None
    )
    event_record(
        actor=None,
        study=batch.run.study,
        verb="generation_batch_ended",
        target=batch,
        remote_state=remote_state,
    )
    run_finish_if_done(batch.run_id)
