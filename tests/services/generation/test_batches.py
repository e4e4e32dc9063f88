"""Batches: what is in one, who looks at it, and what becomes of what had no answer."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotation.models import BatchEntry, Event, Generation, GenerationBatch, GenerationRun
from annotation.services.generation import batches as generation_batches
from annotation.services.generation.batches import (
    batch_claim,
    batch_end,
    batch_note,
    batch_orders,
    batch_prepare,
    batch_release,
    batch_submitted,
    batches_due,
)
from annotation.services.generation.calls import Failure, generation_fail, generation_store
from annotation.services.generation.runs import run_pause
from annotation.services.generation.sending import generations_resend
from tests.services.generation.generating import CALL, broker, fresh, order, reply, started

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def run(broker):
    return started(items=3, mode="batch")


class TestPrepare:
    def test_all_that_waits_is_held_and_set_aside(self, run):
        most = sum(order(run, position).at_most for position in (1, 2, 3))
        batch = batch_prepare(run.pk)
        assert (batch.requests, batch.state) == (3, "prepared")
        held = run.generations.filter(state="running", claim=f"batch:{batch.key}")
        assert held.count() == BatchEntry.objects.filter(batch=batch, output_number=1).count() == 3
        assert min(held.values_list("lease_until", flat=True)) > timezone.now() + timedelta(
            hours=24
        )
        assert fresh(run).spent == most
        assert Event.objects.get(verb="generation_batch_prepared").details["requests"] == 3
        assert batch_prepare(run.pk) is None

    def test_half_the_price_is_set_aside(self, run):
        live = started(items=1)
        assert order(run).at_most == order(live).at_most / 2

    def test_only_as_much_as_the_ceiling_allows(self, run):
        GenerationRun.objects.update(ceiling=order(run).at_most * 2)
        batch = batch_prepare(run.pk)
        assert batch.requests == 2
        assert fresh(run).spent <= run.ceiling
        # The rest waits for what the first part really costs.
        assert batch_prepare(run.pk) is None
        assert fresh(run).state == "running"

    def test_a_ceiling_below_one_request_stops_the_run(self, run):
        GenerationRun.objects.update(ceiling=Decimal("0.0001"))
        assert batch_prepare(run.pk) is None
        assert (fresh(run).state, run.stopped) == ("paused", "budget")

    def test_not_for_a_run_that_stands_still_or_goes_call_by_call(self, run, broker):
        assert batch_prepare(started(items=1).pk) is None
        run_pause(actor=None, run=run)
        assert batch_prepare(run.pk) is None
        assert not GenerationBatch.objects.exists()

    def test_a_batch_has_its_size(self, run, monkeypatch):
        monkeypatch.setattr(generation_batches, "MOST_REQUESTS", 2)
        assert [batch_prepare(run.pk).requests, batch_prepare(run.pk).requests] == [2, 1]

    def test_no_message_is_sent_and_the_sweep_leaves_it(self, run, broker):
        batch_prepare(run.pk)
        assert generations_resend() == 0
        assert broker.sent == []
        assert run.generations.filter(state="running").count() == 3


class TestLooking:
    @pytest.fixture
    def batch(self, run):
        return batch_prepare(run.pk)

    def test_one_at_a_time(self, batch):
        assert batches_due() == [batch]
        assert batch_claim(batch, 60)
        assert not batch_claim(batch, 60)
        assert batches_due() == []

    @pytest.mark.parametrize("minutes", [-60, 60])
    def test_a_machine_whose_clock_is_wrong_leaves_it_to_whoever_looks(
        self, batch, monkeypatch, minutes
    ):
        assert batch_claim(batch, 60)
        right = timezone.now
        monkeypatch.setattr(timezone, "now", lambda: right() + timedelta(minutes=minutes))
        assert batches_due() == []
        assert not batch_claim(batch, 60)

    def test_whose_worker_died_is_looked_at_again(self, batch):
        batch_claim(batch, 60)
        GenerationBatch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert batches_due() == [batch]
        assert batch_claim(batch, 60)

    def test_again_in_a_while(self, batch):
        batch_release(batch, problem="p" * 600)
        assert fresh(batch).problem_detail == "p" * 500
        assert not batch_claim(batch, 60)
        assert timezone.now() < batch.lease_until < timezone.now() + timedelta(minutes=1)

    def test_handed_over(self, batch):
        GenerationBatch.objects.update(problem_detail="before")
        batch_submitted(batch, "batch_7")
        assert batch.state == "submitted"
        assert (fresh(batch).state, batch.remote_id, batch.problem_detail) == (
            "submitted",
            "batch_7",
            "",
        )
        assert batch.submitted_at is not None

    @pytest.mark.parametrize(("answered", "stored"), [(-1, 0), (2, 2), (99, 3)])
    def test_how_far_it_is(self, batch, answered, stored):
        batch_note(batch, "in_progress" * 9, answered)
        assert (fresh(batch).answered, len(batch.remote_state)) == (stored, 40)

    def test_its_requests_have_names(self, run, batch):
        names = [name for name, _order in batch_orders(batch)]
        pks = run.generations.order_by("item__position").values_list("pk", flat=True)
        assert names == [f"{pk}-1" for pk in pks]

    def test_answered_and_ended(self, run, batch):
        answered, refused, expired = (call_order for _name, call_order in batch_orders(batch))
        assert generation_store(answered, batch.claim, reply())
        assert generation_fail(refused, batch.claim, Failure("bad_request", again=False))
        assert generation_fail(expired, batch.claim, Failure("batch_expired", again=True))
        assert list(batch_orders(batch)) == []
        batch_end(batch, "expired")
        assert (fresh(batch).state, batch.lease_until) == ("ended", None)
        assert not batch_claim(batch, 60)
        assert batches_due() == []
        assert fresh(run).spent == CALL / 2
        again = batch_prepare(run.pk)
        assert [call_order.generation for _name, call_order in batch_orders(again)] == [
            expired.generation
        ]
        assert Event.objects.get(verb="generation_batch_ended").details["remote_state"] == "expired"

    def test_the_order_of_a_batch_is_not_another_ones(self, run, batch):
        generation = Generation.objects.first()
        Generation.objects.filter(pk=generation.pk).update(claim="somebody else")
        assert len(list(batch_orders(batch))) == 2
