"""One output per generation, whatever comes twice, late or never; and no more spent than was
allowed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone

from annotation.models import Event, Generation, GenerationCall, GenerationRun, Output
from annotation.selectors.generation.orders import generation_order
from annotation.services.generation.calls import (
    BACKOFF,
    MOST_LOSSES,
    MOST_TRIES,
    MOST_UNREAD,
    MOST_WAITS,
    REFUSALS_STOP,
    Failure,
    generation_claim,
    generation_fail,
    generation_store,
    over_ceiling,
)
from annotation.services.generation.runs import run_cancel, run_pause, run_retry_failed
from annotation.services.generation.sending import generations_resend
from tests.factories import make_study
from tests.services.generation.generating import (
    CALL,
    FINE,
    answered,
    broker,
    fresh,
    make_items,
    order,
    reply,
    started,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db
AGAIN = Failure("server_error", again=True, http_status=500, detail="oops")
REFUSED = Failure("unauthorized", again=False, everywhere=True, http_status=401)


def outcomes(run):
    return list(
        GenerationCall.objects.filter(generation__run=run)
        .order_by("pk")
        .values_list("outcome", flat=True)
    )


def long_ago(**fields):
    return timezone.now() - timedelta(**(fields or {"hours": 1}))


def lease_ends(run):
    run.generations.filter(state="running").update(lease_until=long_ago())


@pytest.fixture
def run(broker):
    return started()


class TestClaim:
    def test_the_cost_is_set_aside(self, run):
        call_order = order(run)
        assert generation_claim(call_order, "m1")
        generation = Generation.objects.get(pk=call_order.generation)
        assert (generation.state, generation.claim, generation.reserved) == (
            "running",
            "m1",
            call_order.at_most,
        )
        assert generation.lease_until is not None
        assert generation.lease_until > timezone.now()
        assert fresh(run).spent == call_order.at_most > CALL

    def test_twice_is_once(self, run):
        call_order = order(run)
        assert generation_claim(call_order, "m1")
        assert not generation_claim(call_order, "m2")
        assert not generation_claim(call_order, "m1")
        assert fresh(run).spent == call_order.at_most
        assert run.generations.get(pk=call_order.generation).claim == "m1"

    def test_not_beyond_the_ceiling(self, run):
        call_order = order(run)
        GenerationRun.objects.update(ceiling=call_order.at_most * 2 - Decimal("0.000001"))
        assert generation_claim(call_order, "m1")
        other = order(run, 2)
        with transaction.atomic():
            assert not generation_claim(replace(other, at_most=call_order.at_most), "m2")
        assert run.generations.get(pk=other.generation).state == "waiting"
        assert fresh(run).spent == call_order.at_most

    def test_up_to_the_ceiling(self, run):
        call_order = order(run)
        GenerationRun.objects.update(ceiling=call_order.at_most)
        assert generation_claim(call_order, "m1")

    def test_not_in_a_run_that_stands_still(self, run):
        call_order = order(run)
        run_pause(actor=None, run=run)
        with transaction.atomic():
            assert not generation_claim(call_order, "m1")
        assert run.generations.get(pk=call_order.generation).state == "waiting"

    def test_not_for_an_output_that_came_meanwhile(self, run):
        call_order = order(run)
        run.generations.update(outputs_wanted=2)
        assert not generation_claim(call_order, "m1")

    def test_a_message_that_comes_again_takes_over_what_its_worker_held(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        assert generation_order(call_order.generation, "m1") is None
        assert generation_order(call_order.generation, "m2", redelivered=True) is None
        again = generation_order(call_order.generation, "m1", redelivered=True)
        assert generation_claim(again, "m1", redelivered=True)
        generation = run.generations.get(pk=call_order.generation)
        assert (generation.state, generation.losses, generation.claim) == ("running", 1, "m1")
        # The first call may have been billed.
        assert fresh(run).spent == call_order.at_most * 2
        assert outcomes(run) == ["lost"]

    def test_a_message_that_comes_again_too_often_is_given_up(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        run.generations.update(losses=MOST_LOSSES - 1)
        assert not generation_claim(call_order, "m1", redelivered=True)
        generation = run.generations.get(pk=call_order.generation)
        assert (generation.state, generation.problem) == ("failed", "worker_lost")

    def test_a_message_that_comes_again_after_the_end_finds_nothing(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        generation_store(call_order, "m1", reply())
        assert generation_order(call_order.generation, "m1", redelivered=True) is None
        assert not generation_claim(call_order, "m1", redelivered=True)
        assert outcomes(run) == ["answered"]


class TestCeiling:
    def test_what_fits_is_not_over(self, run):
        assert not over_ceiling(order(run))

    def test_while_calls_are_under_way_it_is_too_early_to_say(self, run):
        call_order = order(run)
        GenerationRun.objects.update(ceiling=call_order.at_most)
        generation_claim(call_order, "m1")
        assert over_ceiling(order(run, 2))
        assert fresh(run).state == "running"
        generation_store(call_order, "m1", reply())
        assert over_ceiling(order(run, 2))
        assert (fresh(run).state, run.stopped) == ("paused", "budget")
        assert run.spent == CALL <= run.ceiling
        assert not over_ceiling(order(run, 2))


class TestStore:
    def test_the_answer_the_call_and_the_bill(self, run):
        generation = answered(
            run, 1, f"  {FINE}\x00", response_id="x" * 150, latency_ms=812, fingerprint="fp"
        )
        assert (generation.state, generation.claim, generation.reserved) == ("done", "", 0)
        output = generation.outputs.get()
        assert (output.raw, output.text, output.number, output.flags) == (f"  {FINE}", FINE, 1, [])
        call = generation.calls.get()
        assert (call.outcome, call.model, call.prompt_tokens, call.completion_tokens) == (
            "answered",
            "m-1",
            100,
            20,
        )
        assert (call.response_id, call.latency_ms, call.cost) == ("x" * 100, 812, CALL)
        assert fresh(run).spent == CALL

    def test_what_no_database_stores_is_left_out(self, run):
        output = answered(run, 1, f"{FINE}\ud83d\x00").outputs.get()
        assert (output.raw, output.text) == (FINE, FINE)

    def test_flags_are_raised(self, run):
        output = answered(run, 1, f"Voici : {FINE}", finish_reason="length").outputs.get()
        assert output.flags == ["truncated", "preamble"]

    @pytest.mark.parametrize(
        ("protocol", "raised"), [("jades", []), ("legal_meaning", ["language"])]
    )
    def test_a_language_is_another_where_the_protocol_expects_one(self, broker, protocol, raised):
        study = make_study(protocol_key=protocol, protocol_version="1")
        make_items(study, 1, original="The owner notifies the insurer of the theft at once.")
        run = started(study, items=0)
        output = answered(run, 1, "The owner tells the insurer about the theft.").outputs.get()
        assert output.flags == raised

    def test_without_a_count_the_most_is_paid(self, run):
        most = order(run).at_most
        answered(run, 1, prompt_tokens=None)
        assert fresh(run).spent == most

    def test_a_batch_pays_half(self, broker):
        run = started(mode="batch")
        call_order = order(run)
        assert generation_claim(call_order, "m")
        generation_store(call_order, "m", reply())
        assert fresh(run).spent == CALL / 2

    def test_an_answer_ends_a_row_of_refusals_and_the_last_ends_the_run(self, run):
        GenerationRun.objects.update(refusals_in_a_row=4)
        answered(run, 1)
        assert (fresh(run).refusals_in_a_row, run.state) == (0, "running")
        answered(run, 2)
        assert fresh(run).state == "finished"

    def test_a_second_answer_is_noted_and_not_stored(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        assert generation_store(call_order, "m1", reply("Le premier."))
        assert not generation_store(call_order, "m1", reply("Le second."))
        assert [output.raw for output in Output.objects.all()] == ["Le premier."]
        assert outcomes(run) == ["answered", "late"]
        assert fresh(run).spent == CALL

    def test_after_a_lost_lease_an_answer_that_comes_first_counts(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        lease_ends(run)
        generations_resend()
        assert generation_store(call_order, "m1", reply())
        generation = run.generations.get(pk=call_order.generation)
        assert (generation.state, generation.outputs.count()) == ("done", 1)
        # Counted as spent when the lease was lost, at its most; not again.
        assert fresh(run).spent == call_order.at_most
        assert [call.cost for call in generation.calls.all()] == [call_order.at_most, 0]

    @pytest.mark.parametrize(("days", "is_lost"), [(365, True), (2, False)])
    def test_a_lease_of_a_clock_that_was_ahead_is_lost(self, run, days, is_lost):
        """Two days are what a batch has."""
        generation_claim(order(run), "m1")
        until = timezone.now() + timedelta(days=days)
        run.generations.filter(state="running").update(lease_until=until)
        generations_resend()
        assert run.generations.filter(state="running").exists() is not is_lost

    def test_after_a_lost_lease_an_answer_that_comes_second_is_late(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        lease_ends(run)
        generations_resend()
        assert generation_claim(call_order, "m2")
        assert not generation_store(call_order, "m1", reply("trop tard"))
        assert generation_store(call_order, "m2", reply())
        assert [output.raw for output in Output.objects.all()] == [FINE]
        assert outcomes(run) == ["lost", "late", "answered"]
        assert fresh(run).spent == call_order.at_most + CALL
        assert sum(call.cost for call in GenerationCall.objects.all()) == run.spent

    def test_a_call_under_way_is_stored_though_the_run_was_cancelled(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        run_cancel(actor=None, run=run)
        assert generation_store(call_order, "m1", reply())
        assert fresh(run).state == "cancelled"
        assert run.spent == CALL


class TestFail:
    def failed(self, run, failure, position=1):
        call_order = order(run, position)
        assert generation_claim(call_order, "m")
        assert generation_fail(call_order, "m", failure)
        return Generation.objects.get(pk=call_order.generation)

    def test_what_may_pass_is_tried_again_later(
        self, run, broker, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            generation = self.failed(run, AGAIN)
        assert (generation.state, generation.tries, generation.problem) == (
            "waiting",
            1,
            "server_error",
        )
        assert generation.problem_detail == "oops"
        assert generation.not_before > timezone.now()
        assert broker.later == [(generation.pk, BACKOFF.seconds(generation.pk, 0))]
        assert generation_order(generation.pk, "m") is None  # not before its time
        assert fresh(run).spent == 0

    def test_each_retry_backs_off_longer_and_never_less_than_the_service_asked_for(
        self, run, broker, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            for failure in (AGAIN, AGAIN, replace(AGAIN, outcome="rate_limited", retry_after=7.0)):
                pk = self.failed(run, failure).pk
        waits = [
            BACKOFF.seconds(pk, 0),
            BACKOFF.seconds(pk, 1),
            BACKOFF.seconds(pk, 2, at_least=7.0),
        ]
        assert broker.later == [(pk, wait) for wait in waits]

    def test_in_a_batch_without_a_delay(self, broker):
        run = started(mode="batch")
        generation = self.failed(run, AGAIN)
        assert (generation.state, generation.not_before) == ("waiting", None)
        assert order(run).tries == 1

    def test_what_may_have_been_billed_is_paid(self, run):
        most = order(run).at_most
        generation = self.failed(
            run, Failure("timeout", again=True, maybe_billed=True, request_id="r" * 150)
        )
        assert fresh(run).spent == most
        call = generation.calls.get()
        assert (call.cost, call.request_id) == (most, "r" * 100)

    def test_what_does_not_pass_is_given_up_and_told(self, run):
        generation = self.failed(
            run, Failure("bad_request", again=False, detail="a\x00b" + "c" * 600)
        )
        assert (generation.state, generation.problem) == ("failed", "bad_request")
        assert generation.problem_detail == "ab" + "c" * 498
        assert fresh(run).state == "running"

    @pytest.mark.parametrize(
        ("outcome", "most"),
        [("server_error", MOST_TRIES), ("rate_limited", MOST_WAITS), ("malformed", MOST_UNREAD)],
    )
    def test_not_for_ever(self, run, outcome, most):
        failure = replace(AGAIN, outcome=outcome)
        for number in range(1, most):
            assert (self.failed(run, failure).tries, number) == (number, number)
        assert self.failed(run, failure).state == "failed"

    def test_what_is_paid_and_cannot_be_read_counts_apart_from_other_troubles(self, run):
        unread = replace(AGAIN, outcome="malformed", maybe_billed=True)
        for _ in range(MOST_UNREAD - 1):
            assert self.failed(run, unread).state == "waiting"
            assert self.failed(run, replace(AGAIN, outcome="rate_limited")).state == "waiting"
        assert self.failed(run, unread).state == "failed"

    def test_asked_for_again_by_a_lead_it_has_all_its_tries(self, run):
        unread = replace(AGAIN, outcome="malformed", maybe_billed=True)
        for _ in range(2):
            for _ in range(MOST_UNREAD - 1):
                assert self.failed(run, unread).state == "waiting"
            assert self.failed(run, unread).state == "failed"
            run_retry_failed(actor=None, run=fresh(run))

    def test_a_failure_that_comes_late_changes_nothing(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        assert not generation_fail(call_order, "another", AGAIN)
        generation_store(call_order, "m1", reply())
        assert not generation_fail(call_order, "m1", REFUSED)
        assert outcomes(run) == ["answered"]
        assert fresh(run).refusals_in_a_row == 0

    def test_refusals_in_a_row_stop_the_run(self, broker):
        run = started(items=REFUSALS_STOP + 2)
        for position in range(1, REFUSALS_STOP):
            self.failed(run, REFUSED, position)
        assert fresh(run).state == "running"
        self.failed(run, REFUSED, REFUSALS_STOP)
        assert (fresh(run).state, run.stopped) == ("paused", "refused")
        assert run.generations.filter(state="waiting").count() == 2
        assert Event.objects.get(verb="generation_run_stopped").details["because"] == "refused"

    def test_an_answer_between_begins_the_row_anew(self, broker):
        run = started(items=REFUSALS_STOP + 2)
        for position in range(1, REFUSALS_STOP):
            self.failed(run, REFUSED, position)
        answered(run, REFUSALS_STOP)
        self.failed(run, REFUSED, REFUSALS_STOP + 1)
        assert fresh(run).state == "running"

    @pytest.mark.parametrize("outcome", ["quota", "no_key"])
    def test_some_refusals_stop_it_at_once(self, run, outcome):
        self.failed(run, replace(REFUSED, outcome=outcome))
        assert (fresh(run).state, run.stopped) == ("paused", outcome)

    def test_what_comes_back_into_a_cancelled_run_is_cancelled(self, run):
        call_order = order(run)
        generation_claim(call_order, "m1")
        run_cancel(actor=None, run=run)
        generation_fail(call_order, "m1", AGAIN)
        generations_resend()
        assert set(run.generations.values_list("state", flat=True)) == {"cancelled"}

    def test_in_a_batch_no_message_is_sent(self, broker, django_capture_on_commit_callbacks):
        run = started(mode="batch")
        with django_capture_on_commit_callbacks(execute=True):
            self.failed(run, AGAIN)
        assert broker.later == []
