"""The messages of model calls: sent out, put off, and sent again where one or its worker was lost.

A message only says "look at this row" (see ``services.platform.leases``). A run's are sent in one
go and in the order of the items: there may be hundreds of thousands.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Max, Q
from django.db.models.functions import Now

from annotation.jobs import send_generation_later, send_generations, waiting_messages
from annotation.models import Generation, GenerationRun
from annotation.selectors.generation.orders import Order
from annotation.services.generation.batches import HELD
from annotation.services.generation.calls import calls_lose
from annotation.services.generation.runs import run_finish_if_done
from annotation.services.platform.leases import MESSAGE_LOST_AFTER, from_now, late

State = Generation.State
CHUNK = 1000
BUDGET_LOOK_SECONDS = 3.0
# A service may ask for a day's patience (Retry-After).
_FURTHEST = 2 * HELD


def generation_put_off(order: Order, seconds: float) -> None:
    """Not now: its turn is too far off to wait for. Nothing was claimed."""
    later = from_now(timedelta(seconds=seconds))
    waiting = Generation.objects.filter(pk=order.generation, state=State.WAITING)
    if waiting.update(not_before=later, sent_at=later):
        send_generation_later(order.generation, seconds)


def generations_feed(run: int) -> int:
    """Send a message for each waiting generation that has none; how many. Memory does not grow with
    their number."""
    messages = 0
    while True:
        pks = list(
            Generation.objects.filter(
                run=run,
                run__state=GenerationRun.State.RUNNING,
                run__mode=GenerationRun.Mode.LIVE,
                state=State.WAITING,
                sent_at__isnull=True,
            )
            .filter(Q(not_before__isnull=True) | Q(not_before__lte=Now()))
            .order_by("item__position", "pk")
            .values_list("pk", flat=True)[:CHUNK]
        )
        if not pks:
            return messages
        Generation.objects.filter(pk__in=pks, sent_at__isnull=True).update(sent_at=Now())
        messages += send_generations(pks)


def generations_resend() -> int:
    """Find work whose worker died or whose message was lost, and send it again; how many messages.

    What came back unanswered into a run that was cancelled meanwhile is cancelled with it. Messages
    are taken in the order in which they were sent: one is lost when a later one has been taken up,
    or when none waits any more.
    """
    calls_lose(Generation.objects.filter(late(_FURTHEST), state=State.RUNNING), resend=True)
    _moments_forget()
    Generation.objects.filter(state=State.WAITING, run__state=GenerationRun.State.CANCELLED).update(
        state=State.CANCELLED
    )
    waiting = Generation.objects.filter(
        state=State.WAITING,
        run__state=GenerationRun.State.RUNNING,
        run__mode=GenerationRun.Mode.LIVE,
    ).filter(Q(not_before__isnull=True) | Q(not_before__lt=from_now(timedelta(seconds=-5))))
    if waiting.exists():
        lost = Q(sent_at__lt=from_now(-MESSAGE_LOST_AFTER))
        if waiting_messages(settings.LLM_QUEUE):
            # Not by what was taken up while the clock was ahead: all others would count as lost.
            taken = (
                Generation.objects.exclude(state__in=[State.WAITING, State.CANCELLED])
                .filter(sent_at__lte=Now())
                .aggregate(at=Max("sent_at"))["at"]
            )
            lost &= Q(sent_at__lt=taken - MESSAGE_LOST_AFTER) if taken else Q(pk__in=())
        waiting.filter(lost).update(sent_at=None)
    runs = list(waiting.filter(sent_at__isnull=True).values_list("run", flat=True).distinct())
    messages = sum(generations_feed(run) for run in runs)
    for run in GenerationRun.objects.filter(state=GenerationRun.State.RUNNING).values_list(
        "pk", flat=True
    ):
        run_finish_if_done(run)
    return messages


def _moments_forget() -> None:
    """Moments that nothing is put off to were written while the clock was ahead: what waits for
    them would wait by as much."""
    far = from_now(_FURTHEST)
    ahead = Q(not_before__gt=far) | Q(sent_at__gt=far)
    Generation.objects.filter(ahead, state=State.WAITING).update(not_before=None, sent_at=None)
