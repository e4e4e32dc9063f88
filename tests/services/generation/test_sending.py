"""Messages of model calls: each once, again where one was lost, and none that is too many."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Generation, GenerationRun
from annotation.services.generation import calls as generation_calls
from annotation.services.generation import sending
from annotation.services.generation.calls import MOST_LOSSES, generation_claim
from annotation.services.generation.runs import run_pause
from annotation.services.generation.sending import (
    generation_put_off,
    generations_feed,
    generations_resend,
)
from tests.services.generation.generating import answered, broker, fresh, order, started
from tests.services.generation.test_calls import lease_ends, long_ago, outcomes

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def run(broker):
    return started()


class TestPutOff:
    def test_it_comes_later(self, run, broker):
        call_order = order(run)
        generation_put_off(call_order, 30)
        generation = run.generations.get(pk=call_order.generation)
        assert generation.not_before == generation.sent_at > timezone.now() + timedelta(seconds=25)
        assert broker.later == [(generation.pk, 30)]

    def test_not_what_another_has_taken(self, run, broker):
        call_order = order(run)
        generation_claim(call_order, "m1")
        generation_put_off(call_order, 30)
        assert broker.later == []
        assert run.generations.get(pk=call_order.generation).not_before is None


class TestFeed:
    def test_each_once_in_the_order_of_the_items(self, broker, monkeypatch):
        monkeypatch.setattr(sending, "CHUNK", 2)
        run = started(items=5)
        assert generations_feed(run.pk) == 5
        assert broker.sent == list(
            run.generations.order_by("item__position").values_list("pk", flat=True)
        )
        assert generations_feed(run.pk) == 0

    def test_only_what_waits_now_in_a_run_that_goes_on_call_by_call(self, broker):
        for changed in ({"state": "paused"}, {"mode": "batch"}):
            run = started()
            GenerationRun.objects.filter(pk=run.pk).update(**changed)
            assert generations_feed(run.pk) == 0
        run = started(items=3)
        first, second, third = run.generations.order_by("item__position")
        Generation.objects.filter(pk=first.pk).update(
            not_before=timezone.now() + timedelta(hours=1)
        )
        Generation.objects.filter(pk=second.pk).update(not_before=long_ago())
        assert generations_feed(run.pk) == 2
        assert broker.sent == [second.pk, third.pk]


class TestResend:
    """A sweep finds what was lost, and leaves alone what only waits."""

    def sent(self, run, **fields):
        return run.generations.update(sent_at=long_ago(**fields))

    def test_with_an_empty_queue_a_message_of_a_minute_ago_is_lost(self, run, broker):
        self.sent(run, seconds=61)
        assert generations_resend() == 2
        assert sorted(broker.sent) == sorted(run.generations.values_list("pk", flat=True))
        assert generations_resend() == 0

    def test_a_message_just_sent_is_not_lost(self, run, broker):
        self.sent(run, seconds=50)
        assert generations_resend() == 0

    def test_behind_other_messages_none_is_lost_before_later_ones_were_taken(self, run, broker):
        broker.waiting = 7
        self.sent(run, hours=2)
        assert generations_resend() == 0
        other = started(items=1)
        other.generations.update(sent_at=long_ago(hours=1), state="done")
        assert generations_resend() == 2

    def test_behind_other_messages_one_sent_later_than_those_taken_waits(self, run, broker):
        broker.waiting = 7
        run.generations.filter(item__position=1).update(state="done", sent_at=long_ago(hours=2))
        run.generations.filter(item__position=2).update(sent_at=long_ago(hours=2, seconds=-30))
        assert generations_resend() == 0

    @pytest.mark.parametrize(("days", "messages"), [(365, 2), (1, 0)])
    def test_what_was_put_off_while_the_clock_was_ahead_is_sent(self, run, broker, days, messages):
        """A day is what a service may ask for."""
        later = timezone.now() + timedelta(days=days)
        run.generations.update(not_before=later, sent_at=later)
        assert generations_resend() == messages
        assert run.generations.filter(not_before=None).count() == messages

    def test_what_was_taken_while_the_clock_was_ahead_makes_no_other_lost(self, run, broker):
        """Each sweep would send all that waits once more, for a year."""
        broker.waiting = 7
        other = started(items=1)
        other.generations.update(sent_at=timezone.now() + timedelta(days=365), state="done")
        self.sent(run, hours=2)
        assert generations_resend() == 0

    def test_a_broker_that_does_not_answer_is_as_an_empty_one(self, run, broker):
        broker.waiting = None
        self.sent(run)
        assert generations_resend() == 2

    def test_what_was_never_sent_is(self, run, broker):
        assert generations_resend() == 2

    def test_what_waits_for_its_time_is_left(self, run, broker):
        self.sent(run)
        run.generations.update(not_before=timezone.now() + timedelta(minutes=5))
        assert generations_resend() == 0
        run.generations.update(not_before=long_ago())
        assert generations_resend() == 2

    @pytest.mark.parametrize("minutes", [-60, 60])
    def test_a_machine_whose_clock_is_wrong_pays_nothing_twice(
        self, run, broker, monkeypatch, minutes
    ):
        assert generation_claim(order(run), "m1")
        self.sent(run, seconds=1)
        right = timezone.now
        monkeypatch.setattr(timezone, "now", lambda: right() + timedelta(minutes=minutes))
        assert generations_resend() == 0
        assert outcomes(run) == []
        assert generation_claim(order(run, 2), "m2")
        monkeypatch.undo()
        assert generations_resend() == 0
        assert outcomes(run) == []

    def test_a_run_that_stands_still_is_left(self, run, broker):
        run_pause(actor=None, run=run)
        assert generations_resend() == 0

    def test_a_dead_workers_is_given_back_and_counted_as_paid(self, run, broker):
        call_order = order(run)
        generation_claim(call_order, "m1")
        assert generations_resend() == 1  # the other one; this one's lease holds
        lease_ends(run)
        assert generations_resend() == 1
        generation = run.generations.get(pk=call_order.generation)
        assert (generation.state, generation.losses, generation.problem) == (
            "waiting",
            1,
            "worker_lost",
        )
        assert fresh(run).spent == call_order.at_most
        assert outcomes(run) == ["lost"]

    def test_a_worker_that_dies_again_and_again_is_told(self, run, broker):
        answered(run, 2)
        for _ in range(MOST_LOSSES):
            assert generation_claim(order(run), "m1")
            lease_ends(run)
            generations_resend()
        generation = run.generations.get(item__position=1)
        assert (generation.state, generation.problem, generation.losses) == (
            "failed",
            "worker_lost",
            MOST_LOSSES,
        )
        assert fresh(run).state == "finished"

    def test_what_another_sweep_has_given_back_is_not_lost_twice(self, run, broker):
        call_order = order(run)
        generation_claim(call_order, "m1")
        lease_ends(run)
        seen = list(run.generations.filter(state="running").select_related("run"))
        generations_resend()

        class Seen:
            """What a sweep had read before another one wrote."""

            def select_related(self, *names):
                return seen

        assert generation_calls.calls_lose(Seen(), resend=True) == 0
        assert run.generations.get(pk=call_order.generation).losses == 1
        assert outcomes(run) == ["lost"]

    def test_a_run_whose_last_word_was_lost_ends(self, run, broker):
        run.generations.update(state="done")
        generations_resend()
        assert fresh(run).state == "finished"
