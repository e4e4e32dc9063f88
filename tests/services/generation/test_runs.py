"""A run as a lead steers it: what is refused, and that doing it twice does it once."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import timezone

from annotation.config.llm import Endpoint, PriceTable
from annotation.errors import RuleError
from annotation.generation.judging import judge_preset
from annotation.generation.prices import Price
from annotation.models import (
    Annotator,
    Event,
    Generation,
    GenerationRun,
    Lead,
    Simplification,
    Study,
)
from annotation.protocols.legal_meaning.rules import PROTOCOL
from annotation.selectors.generation.runs import price_of
from annotation.services.generation.batches import batch_prepare
from annotation.services.generation.calls import (
    Failure,
    generation_claim,
    generation_fail,
    generation_store,
)
from annotation.services.generation.review import outputs_adopt
from annotation.services.generation.runs import (
    run_cancel,
    run_create,
    run_finish_if_done,
    run_pause,
    run_resume,
    run_retry_failed,
    run_spend,
    run_start,
    run_stop,
    run_update,
)
from annotation.services.generation.systems import MOST_SYSTEMS, system_add, system_remove
from annotation.services.people.people import lead_remove, user_set_active
from tests.factories import make_pair, make_study, make_user
from tests.services.generation.generating import (
    answered,
    broker,
    fresh,
    make_items,
    make_run,
    order,
    reply,
    started,
    system,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db
PRICE = Price(Decimal(10), Decimal(30))


def refused(caught):
    return [(problem.field, problem.code) for problem in caught.value.problems]


def verbs(run):
    all_verbs = Event.objects.filter(study=run.study).order_by("pk").values_list("verb", flat=True)
    return [verb for verb in all_verbs if verb.startswith("generation")]


class TestMaking:
    def test_runs_are_numbered_within_their_study(self):
        first, other = make_study(), make_study()
        lead = make_user()
        runs = [run_create(actor=lead, study=study) for study in (first, first, other)]
        assert [run.number for run in runs] == [1, 2, 1]
        assert (runs[0].state, runs[0].created_by, runs[0].ceiling) == ("draft", lead, Decimal(5))
        event = Event.objects.filter(study=first).order_by("pk").first()
        assert (event.actor, event.verb, event.details["seed"]) == (
            lead,
            "generation_run_created",
            runs[0].seed,
        )

    @pytest.mark.parametrize(
        "ceiling", ["-0.01", "NaN", "sNaN", "Infinity", "0", "0.0000001", "1.0000005", "10000000"]
    )
    def test_a_ceiling_is_an_amount(self, ceiling):
        with pytest.raises(RuleError) as caught:
            run_create(actor=None, study=make_study(), ceiling=Decimal(ceiling))
        assert refused(caught) == [("ceiling", "invalid")]
        assert not GenerationRun.objects.exists()
        run = make_run()
        with pytest.raises(RuleError) as caught:
            run_update(actor=None, run=run, ceiling=Decimal(ceiling))
        assert refused(caught) == [("ceiling", "invalid")]
        assert fresh(run).ceiling == 5

    def test_a_service_is_one_of_those_that_are_configured(self):
        with pytest.raises(RuleError) as caught:
            run_create(actor=None, study=make_study(), endpoint="http://evil.example")
        assert refused(caught) == [("endpoint", "unknown")]

    def test_in_preparation_settings_change(self):
        run = make_run()
        run = run_update(actor=None, run=run, ceiling=Decimal(9), mode="batch", round="main")
        assert (fresh(run).ceiling, run.mode, run.round) == (9, "batch", "main")
        event = Event.objects.get(verb="generation_run_updated")
        assert event.details["before"] == {"ceiling": "5.000000", "mode": "live", "round": "all"}

    def test_what_is_the_same_is_no_change(self):
        run = make_run()
        run_update(actor=None, run=run, ceiling=run.ceiling)
        assert not Event.objects.filter(verb="generation_run_updated").exists()

    def test_later_only_the_ceiling_changes(self):
        run = started()
        run_update(actor=None, run=run, ceiling=Decimal(9), mode="live")
        with pytest.raises(RuleError) as caught:
            run_update(actor=None, run=run, ceiling=Decimal(10), mode="batch")
        assert refused(caught) == [("mode", "started")]
        assert fresh(run).ceiling == 9

    def test_a_changed_ceiling_is_an_amount_too(self):
        with pytest.raises(RuleError):
            run_update(actor=None, run=make_run(), ceiling=Decimal(-1))


class TestSystems:
    def test_the_price_of_the_table_is_stored_with_its_date(self, settings):
        settings.LLM_PRICES = PriceTable("2026-02-03", {"m": (Decimal(1), Decimal(2))})
        run = make_run(systems=())
        added = system_add(actor=None, run=run, spec=system("s", model="m"))
        assert (added.price_prompt, added.price_completion, added.price_as_of) == (
            Decimal(1),
            Decimal(2),
            "2026-02-03",
        )
        same = system_add(
            actor=None, run=run, spec=system("t", model="m"), price=Price(Decimal(1), Decimal(2))
        )
        assert same.price_as_of == "2026-02-03"

    def test_a_price_that_was_typed_is_of_today(self):
        added = system_add(
            actor=None,
            run=make_run(systems=()),
            spec=system("s"),
            price=Price(Decimal(0), Decimal(0)),
        )
        assert (added.price_prompt, added.price_as_of) == (
            Decimal(0),
            timezone.localdate().isoformat(),
        )

    def test_without_any_price_nothing_is_added(self):
        run = make_run(systems=())
        with pytest.raises(RuleError) as caught:
            system_add(actor=None, run=run, spec=system("s", model="unheard-of"))
        assert refused(caught) == [("price_prompt", "unknown")]
        assert not run.systems.exists()

    def test_a_service_without_a_key_costs_nothing_where_no_price_is_given(self, settings):
        settings.LLM_ENDPOINTS = {
            "openai": Endpoint("openai", "http://localhost:11434/v1", "", 0, 0, 0)
        }
        added = system_add(
            actor=None, run=make_run(systems=()), spec=system("s", model="unheard-of")
        )
        assert price_of(added) == Price(Decimal(0), Decimal(0))
        assert added.price_as_of == ""
        dear = Price(Decimal(1), Decimal(2))
        paid = system_add(actor=None, run=added.run, spec=system("t"), price=dear)
        assert price_of(paid) == dear

    def test_everything_wrong_is_told_at_once(self):
        with pytest.raises(RuleError) as caught:
            system_add(
                actor=None, run=make_run(), spec=system("", prompt="x", parameters={"top_p": 7})
            )
        assert refused(caught) == [
            ("name", "required"),
            ("prompt", "placeholder"),
            ("parameters.top_p", "outside"),
        ]

    def test_a_name_stands_once_in_a_run(self):
        run = make_run()
        with pytest.raises(RuleError) as caught:
            system_add(actor=None, run=run, spec=system(" gpt-4-turbo "), price=PRICE)
        assert refused(caught) == [("name", "taken")]

    def test_a_name_keeps_its_meaning_in_the_study(self):
        run = started()
        again = run_create(actor=None, study=run.study)
        with pytest.raises(RuleError) as caught:
            system_add(
                actor=None, run=again, spec=system(parameters={"temperature": 0}), price=PRICE
            )
        assert refused(caught) == [("name", "taken")]
        system_add(actor=None, run=again, spec=system(model=f" {system().model} "), price=PRICE)
        # In another study, and of a run that was never started, a name means what it likes.
        make_run(systems=("draft",), study=run.study, items=0)
        system_add(actor=None, run=again, spec=system("draft", parameters={}), price=PRICE)
        system_add(actor=None, run=make_run(systems=()), spec=system(parameters={}), price=PRICE)

    @pytest.mark.parametrize("purpose", ["judge", "question"])
    def test_a_prompt_that_does_not_simplify_has_no_place_for_the_passage(self, purpose):
        """The model was sent the seven characters, and each call was paid for."""
        run = run_create(actor=None, study=make_study(), purpose=purpose)
        with pytest.raises(RuleError) as caught:
            system_add(actor=None, run=run, spec=system("j", prompt="Lis : {input}"), price=PRICE)
        assert refused(caught) == [("prompt", "placeholder")]

    def test_a_judge_that_was_let_start_with_such_a_prompt_goes_on(self):
        study = make_study()
        run = run_create(actor=None, study=study, purpose="judge")
        spec = system("j", prompt="Lis : {input}")
        facts = {"model": spec.model, "prompt": spec.prompt, "parameters": dict(spec.parameters)}
        run.systems.create(name="j", price_prompt=1, price_completion=1, **facts)
        GenerationRun.objects.update(state="finished")
        again = run_create(actor=None, study=study, purpose="judge")
        assert system_add(actor=None, run=again, spec=spec, price=PRICE).prompt == spec.prompt

    def test_so_many_and_no_more(self):
        run = make_run(systems=tuple(f"s{n}" for n in range(MOST_SYSTEMS)))
        with pytest.raises(RuleError) as caught:
            system_add(actor=None, run=run, spec=system("one-more"), price=PRICE)
        assert refused(caught) == [("name", "too_many")]

    def test_one_is_taken_out(self):
        run = make_run(systems=("a", "b"))
        system_remove(actor=None, system=run.systems.get(name="a"))
        assert list(run.systems.values_list("name", flat=True)) == ["b"]
        assert verbs(run)[-1] == "generation_system_removed"

    def test_after_the_start_they_stay(self):
        run = started()
        with pytest.raises(RuleError) as caught:
            system_add(actor=None, run=run, spec=system("b"), price=PRICE)
        assert refused(caught) == [("systems", "started")]
        with pytest.raises(RuleError) as caught:
            system_remove(actor=None, system=run.systems.get())
        assert refused(caught) == [("systems", "started")]


class TestAServiceThatBeginsToBill:
    """Its key was not set yet when the system was added, or its run was for another service."""

    FREE = Price(Decimal(0), Decimal(0))

    @pytest.fixture(autouse=True)
    def unkeyed(self, settings):
        self.settings = settings
        self.key("")

    def key(self, key):
        service = Endpoint("openai", "https://llm.example.org/v1", key, 0, 0, 0)
        self.settings.LLM_ENDPOINTS = {"openai": service}

    def run(self, price=None):
        run = make_run(systems=())
        system_add(actor=None, run=run, spec=system("s", model="unheard-of"), price=price)
        return run

    def test_is_not_started_at_a_price_that_nobody_gave(self):
        run = self.run()
        self.key("k")
        with pytest.raises(RuleError) as caught:
            run_start(actor=None, run=run)
        assert refused(caught) == [("systems", "unpriced")]
        assert "« s »" in caught.value.problems[0].message.fr
        assert fresh(run).state == "draft"
        system_remove(actor=None, system=run.systems.get())
        system_add(actor=None, run=run, spec=system("s", model="unheard-of"), price=self.FREE)
        assert run_start(actor=None, run=run).state == "running"

    def test_is_started_at_a_0_that_was_typed(self):
        run = self.run(price=self.FREE)
        self.key("k")
        assert run_start(actor=None, run=run).state == "running"

    def test_is_started_where_it_still_takes_no_key(self):
        assert run_start(actor=None, run=self.run()).state == "running"

    def test_does_not_go_on(self):
        """The usual way: the run stops because the service refuses it, and its key is set then."""
        run = run_start(actor=None, run=self.run())
        run_stop(run=run.pk, because="no_key")
        self.key("k")
        with pytest.raises(RuleError) as caught:
            run_resume(actor=None, run=run)
        assert refused(caught) == [("systems", "unpriced")]
        assert (fresh(run).state, run.stopped) == ("paused", "no_key")
        assert run_cancel(actor=None, run=run).state == "cancelled"

    def test_is_not_asked_again_for_what_failed(self):
        run = run_start(actor=None, run=self.run())
        Generation.objects.update(state="failed")
        GenerationRun.objects.update(state="finished")
        self.key("k")
        with pytest.raises(RuleError) as caught:
            run_retry_failed(actor=None, run=run)
        assert refused(caught) == [("systems", "unpriced")]
        assert set(run.generations.values_list("state", flat=True)) == {"failed"}


class TestStart:
    def test_one_generation_for_each_item_and_system(
        self, broker, django_capture_on_commit_callbacks
    ):
        run = make_run(items=3, systems=("a", "b"))
        with django_capture_on_commit_callbacks(execute=True):
            run = run_start(actor=None, run=run)
        assert (run.state, run.generations.count()) == ("running", 6)
        assert run.generations.filter(state="waiting", sent_at=None).count() == 6
        assert [name for name, _ in broker.requested] == ["workers.tasks.generation_feed"]
        assert broker.requested[0][1] == (run.pk,)
        assert run.estimate["total"]["calls"] == 6
        assert set(run.estimate["systems"]) == {"a", "b"}

    def test_twice_is_once(self, broker, django_capture_on_commit_callbacks):
        run = make_run()
        run_start(actor=None, run=run)
        with django_capture_on_commit_callbacks(execute=True):
            again = run_start(actor=None, run=run)
        assert again.state == "running"
        assert run.generations.count() == 2
        assert verbs(run).count("generation_run_started") == 1
        assert broker.requested == []

    def test_nothing_to_do(self):
        for run in (make_run(items=0), make_run(systems=())):
            with pytest.raises(RuleError) as caught:
                run_start(actor=None, run=run)
            assert refused(caught) == [("systems", "nothing")]
            assert fresh(run).state == "draft"

    def test_the_expected_cost_stays_under_the_ceiling(self):
        run = make_run(ceiling=Decimal("0.0001"))
        with pytest.raises(RuleError) as caught:
            run_start(actor=None, run=run)
        assert refused(caught) == [("ceiling", "too_low")]
        assert "(0,0001 USD)" in caught.value.problems[0].message.fr
        assert "(0.0001 USD)" in caught.value.problems[0].message.en
        assert not run.generations.exists()

    def test_only_the_round_that_was_chosen(self):
        study = make_study()
        make_items(study, 2, round="practice")
        run = make_run(study, items=3, round="practice")
        assert run_start(actor=None, run=run).generations.count() == 2

    def test_items_that_this_system_has_dealt_with_are_left_out(self):
        study = make_study()
        make_pair(study, system="gpt-4-turbo")
        make_pair(study, system="other")
        first = started(study, items=1)
        assert list(first.generations.values_list("item__position", flat=True)) == [2, 3]
        generation = first.generations.get(item__position=2)
        Generation.objects.filter(pk=generation.pk).update(state="failed")
        # At work in the first run: 3. Failed there: 2, which a second run may ask for.
        second = started(study, items=0)
        assert list(second.generations.values_list("item__position", flat=True)) == [2]

    def test_a_judge_is_a_rater_of_its_own_kind(self):
        study = make_study()
        pairs = [make_pair(study, system=name) for name in "ab"]
        Annotator.objects.create(study=study, kind="imported", pseudonym="M1")
        run = run_create(actor=None, study=study, purpose="judge", ceiling=Decimal(5))
        system_add(actor=None, run=run, spec=judge_preset(PROTOCOL))
        run_start(actor=None, run=run)
        judge = run.systems.get().judge
        assert (judge.kind, judge.pseudonym, judge.user) == ("machine", "M2", None)
        assert set(run.generations.values_list("simplification", "item")) == {
            (p.pk, p.item_id) for p in pairs
        }
        again = run_create(actor=None, study=study, purpose="judge", ceiling=Decimal(5))
        system_add(actor=None, run=again, spec=judge_preset(PROTOCOL))
        run_start(actor=None, run=again)
        assert again.systems.get().judge == judge


class TestSteering:
    def test_pause_and_go_on(self, broker, django_capture_on_commit_callbacks):
        run = run_pause(actor=None, run=started())
        assert fresh(run).state == "paused"
        Generation.objects.update(sent_at=timezone.now())
        GenerationRun.objects.update(stopped="quota", refusals_in_a_row=4)
        with django_capture_on_commit_callbacks(execute=True):
            run = run_resume(actor=None, run=run)
        assert (run.state, run.stopped, run.refusals_in_a_row) == ("running", "", 0)
        assert (fresh(run).state, run.stopped, run.refusals_in_a_row) == ("running", "", 0)
        assert run.generations.filter(sent_at=None).count() == 2
        assert len(broker.requested) == 1

    def test_cancelling_keeps_what_came_back_and_what_is_under_way(self):
        run = started(items=3)
        answered(run, 1)
        generation_claim(order(run, 2), "m")
        run_cancel(actor=None, run=run)
        assert fresh(run).finished_at is not None
        assert list(run.generations.order_by("item").values_list("state", flat=True)) == [
            "done",
            "running",
            "cancelled",
        ]

    def test_a_draft_is_cancelled_too(self):
        assert run_cancel(actor=None, run=make_run()).state == "cancelled"

    @pytest.mark.parametrize(
        ("state", "refusing"),
        [
            ("draft", (run_pause, run_resume, run_retry_failed)),
            ("running", (run_resume,)),
            ("paused", (run_start, run_pause)),
            ("cancelled", (run_start, run_pause, run_resume, run_cancel, run_retry_failed)),
            ("finished", (run_start, run_pause, run_resume, run_cancel)),
        ],
    )
    def test_steps_that_a_state_does_not_allow(self, state, refusing):
        run = make_run()
        GenerationRun.objects.update(state=state)
        for step in refusing:
            with pytest.raises(RuleError) as caught:
                step(actor=None, run=run)
            assert refused(caught) == [("state", "no_such_step")]
        assert fresh(run).state == state

    def test_what_failed_is_asked_again(self, broker, django_capture_on_commit_callbacks):
        run = started(items=2)
        answered(run, 1)
        call_order = order(run, 2)
        generation_claim(call_order, "m")
        generation_fail(call_order, "m", Failure("bad_request", again=False, detail="no"))
        assert fresh(run).state == "finished"
        with django_capture_on_commit_callbacks(execute=True):
            assert run_retry_failed(actor=None, run=run) == 1
        assert (fresh(run).state, run.finished_at) == ("running", None)
        generation = run.generations.get(item__position=2)
        assert (generation.state, generation.tries, generation.problem, generation.sent_at) == (
            "waiting",
            0,
            "",
            None,
        )
        assert len(broker.requested) == 1
        assert run_retry_failed(actor=None, run=run) == 0
        assert verbs(run).count("generation_retried") == 1

    @pytest.mark.parametrize("state", ["paused", "finished"])
    def test_where_nothing_failed_nothing_is_asked_again(self, state):
        run = started()
        GenerationRun.objects.update(state=state)
        with pytest.raises(RuleError) as caught:
            run_retry_failed(actor=None, run=run)
        assert refused(caught) == [("state", "nothing")]
        assert fresh(run).state == state

    def test_what_failed_in_a_paused_run_waits_with_it(
        self, broker, django_capture_on_commit_callbacks
    ):
        run = run_pause(actor=None, run=started())
        Generation.objects.update(state="failed")
        with django_capture_on_commit_callbacks(execute=True):
            assert run_retry_failed(actor=None, run=run) == 2
        assert fresh(run).state == "paused"
        assert broker.requested == []

    def test_a_run_that_cannot_go_on_is_stopped_once(self):
        run = started()
        assert run_stop(run=run.pk, because="budget")
        assert not run_stop(run=run.pk, because="refused")
        assert (fresh(run).state, run.stopped) == ("paused", "budget")
        assert verbs(run).count("generation_run_stopped") == 1

    def test_a_run_ends_when_nothing_is_left_and_only_then(self):
        run = started(items=1)
        assert not run_finish_if_done(run.pk)
        Generation.objects.update(state="failed")
        assert run_finish_if_done(run.pk)
        assert not run_finish_if_done(run.pk)
        assert Event.objects.get(verb="generation_run_finished").details["failed"] == 1

    def test_nothing_spent_is_no_query(self, django_assert_num_queries):
        run = started()
        with django_assert_num_queries(0):
            run_spend(run.pk, Decimal(0))
        run_spend(run.pk, Decimal("0.5"))
        assert fresh(run).spent == Decimal("0.5")


def test_two_runs_with_the_same_system_have_no_item_in_common():
    study = make_study()
    first = started(study, items=2)
    for position in (1, 2):
        answered(first, position)
    with pytest.raises(RuleError):
        started(study, items=0)
    outputs_adopt(actor=None, run=first)
    assert Simplification.objects.count() == 2
    second = started(study, items=1)
    assert list(second.generations.values_list("item__position", flat=True)) == [3]


class TestInAClosedStudy:
    """Nothing of a run that simplifies can be adopted there, so no call of it is paid for."""

    def test_it_does_not_begin_and_says_why(self, broker):
        study = make_study(state="closed")
        run = make_run(study)
        with pytest.raises(RuleError) as caught:
            run_start(actor=None, run=run)
        assert refused(caught) == [("study", "closed")]
        assert (fresh(run).state, run.generations.count()) == ("draft", 0)
        Study.objects.update(state="main")
        assert run_start(actor=None, run=run).state == "running"

    def test_a_run_that_stood_still_when_it_was_closed_does_not_go_on(self, broker):
        run = started(items=2)
        run_pause(actor=None, run=run)
        run.generations.filter(item__position=1).update(state="failed")
        Study.objects.update(state="closed")
        for step in (run_resume, run_retry_failed):
            with pytest.raises(RuleError) as caught:
                step(actor=None, run=fresh(run))
            assert refused(caught) == [("study", "closed")]
        assert fresh(run).state == "paused"
        assert sorted(run.generations.values_list("state", flat=True)) == ["failed", "waiting"]

    def test_models_still_judge_there(self, broker):
        study = make_study(state="closed")
        make_pair(study)
        run = run_create(actor=None, study=study, purpose="judge")
        system_add(actor=None, run=run, spec=judge_preset(study.protocol), price=PRICE)
        assert run_start(actor=None, run=run).state == "running"


class TestWhoAnswersForIt:
    """A run spends money on the right of whoever let it go on last."""

    def led(self):
        lead, other = make_user("lead"), make_user("other")
        study = make_study(lead=lead)
        part = Lead.objects.create(study=study, user=other)
        return lead, other, part, study

    def test_no_call_is_paid_for_whom_the_study_was_taken_from(self, broker):
        lead, other, part, study = self.led()
        run = run_start(actor=other, run=make_run(study))
        assert generation_claim(order(run), "first")
        lead_remove(actor=lead, lead=part, reason="parti")
        assert not generation_claim(order(run, 2), "second")
        run = fresh(run)
        assert (run.state, run.stopped) == ("paused", "left")
        assert verbs(run)[-1] == "generation_run_stopped"
        run_resume(actor=lead, run=run)
        assert (fresh(run).state, fresh(run).stopped) == ("running", "")
        assert generation_claim(order(run, 2), "second")

    def test_what_was_asked_before_is_stored(self, broker):
        lead, other, part, study = self.led()
        run = run_start(actor=other, run=make_run(study, items=1))
        call_order = order(run)
        assert generation_claim(call_order, "first")
        lead_remove(actor=lead, lead=part, reason="parti")
        assert generation_store(call_order, "first", reply())
        assert fresh(run).state == "finished"

    def test_a_closed_account_pays_for_no_batch(self, broker):
        lead, other, _part, study = self.led()
        run = run_start(actor=other, run=make_run(study, mode="batch"))
        user_set_active(actor=None, user=other, is_active=False, reason="volé")
        assert batch_prepare(run.pk) is None
        assert fresh(run).stopped == "left"
        run_resume(actor=lead, run=fresh(run))
        assert batch_prepare(run.pk) is not None

    def test_who_asks_again_answers_for_it_from_then_on(self, broker):
        lead, other, part, study = self.led()
        run = run_start(actor=other, run=make_run(study, items=1))
        call_order = order(run)
        assert generation_claim(call_order, "first")
        generation_fail(call_order, "first", Failure("bad_request", again=False))
        assert run_retry_failed(actor=lead, run=fresh(run)) == 1
        lead_remove(actor=lead, lead=part, reason="parti")
        assert generation_claim(order(run), "again")

    def test_what_a_command_started_goes_on(self, broker):
        run = started()
        assert fresh(run).let_on_by is None
        assert generation_claim(order(run), "first")
