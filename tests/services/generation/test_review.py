"""From what models answered to what is judged: decided by a lead, and blind."""

from __future__ import annotations

import pytest

from annotation.allocation import seeded_order
from annotation.errors import RuleError
from annotation.models import Assignment, Event, GenerationRun, Output, Simplification, Study
from annotation.selectors.base.sizes import sizes_kept
from annotation.services.base.item_rows import unsaved_simplification
from annotation.services.base.standings import positions_check
from annotation.services.generation.review import outputs_adopt, outputs_decide
from annotation.services.generation.runs import run_cancel, run_create, run_retry_failed
from annotation.services.items.removal import item_remove
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.services.generation.generating import (
    FINE,
    ORIGINAL,
    answered,
    broker,
    fresh,
    make_items,
    order,
    started,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db
PREAMBLE = f"Voici une version simplifiée : {FINE}"


def decide(run, decision, **chosen):
    return outputs_decide(actor=chosen.pop("actor", None), run=run, decision=decision, **chosen)


def refused(caught):
    return [(problem.field, problem.code) for problem in caught.value.problems]


def texts(run):
    return list(
        Simplification.objects.filter(item__study=run.study)
        .order_by("pk")
        .values_list("text", flat=True)
    )


@pytest.fixture
def run(broker):
    return started(items=3)


def waiting(run):
    return GenerationRun.objects.values_list("undecided", flat=True).get(pk=run.pk)


def test_how_many_wait_for_a_decision_is_kept(run):
    answered(run, 1, PREAMBLE)
    second = answered(run, 2, PREAMBLE)
    answered(run, 3)
    assert waiting(run) == 2
    decide(run, "keep", outputs=[second.outputs.get().pk])
    assert waiting(run) == 1
    decide(run, "", outputs=[second.outputs.get().pk])
    assert waiting(run) == 2
    decide(run, "regenerate", outputs=[second.outputs.get().pk])
    assert waiting(run) == 1
    run_cancel(actor=None, run=fresh(run))
    item_remove(actor=None, item=run.generations.get(item__position=1).item)
    assert waiting(run) == 0


def test_what_is_kept_otherwise_is_found_and_rebuilt(run):
    answered(run, 1, PREAMBLE)
    # Of items made without a service.
    assert not [
        departure for departure in positions_check(rebuild=True) if departure.what.startswith("run")
    ]
    GenerationRun.objects.update(undecided=7)
    (departure,) = positions_check(rebuild=True)
    assert (departure.what, departure.kept, departure.counted) == (f"run {run.pk}", (7,), (1,))
    assert waiting(run) == 1
    assert list(positions_check()) == []


class TestDecide:
    def test_by_flag(self, run):
        first, second, third = (
            answered(run, n, text) for n, text in enumerate([PREAMBLE, PREAMBLE, FINE], start=1)
        )
        lead = make_user()
        assert decide(run, "keep", flag="preamble", actor=lead) == 2
        assert first.outputs.get().decision == second.outputs.get().decision == "keep"
        assert (first.outputs.get().text, first.outputs.get().decided_by) == (PREAMBLE, lead)
        assert third.outputs.get().decision == ""
        event = Event.objects.get(verb="outputs_decided")
        assert (event.actor, event.details["decision"], event.details["flag"]) == (
            lead,
            "keep",
            "preamble",
        )
        assert len(event.details["outputs"]) == 2

    def test_by_name(self, run):
        first, second = answered(run, 1, PREAMBLE), answered(run, 2)
        assert decide(run, "exclude", outputs=[second.outputs.get().pk]) == 1
        assert first.outputs.get().decision == ""
        assert second.outputs.get().decision == "exclude"

    def test_clean_takes_off_what_was_flagged_and_keeps_the_raw_output(self, run):
        generation = answered(run, 1, f"Bien sûr ! **{FINE}**")
        assert decide(run, "clean", flag="markdown") == 1
        output = generation.outputs.get()
        assert (output.text, output.raw) == (FINE, f"Bien sûr ! **{FINE}**")

    def test_a_decision_can_be_taken_back(self, run):
        generation = answered(run, 1, PREAMBLE)
        decide(run, "clean", flag="preamble")
        decide(run, "", flag="preamble")
        output = generation.outputs.get()
        assert (output.decision, output.text) == ("", PREAMBLE)

    def test_an_empty_one_cannot_be_kept(self, run):
        generation = answered(run, 1, " \n")
        for decision in ("keep", "clean"):
            with pytest.raises(RuleError) as caught:
                decide(run, decision, flag="empty")
            assert refused(caught) == [("decision", "none")]
        assert generation.outputs.get().decision == ""
        assert decide(run, "exclude", flag="empty") == 1

    def test_what_is_nothing_but_a_preamble_cannot_be_cleaned(self, run):
        answered(run, 1, "Voici une version simplifiée :")
        with pytest.raises(RuleError):
            decide(run, "clean", flag="preamble")

    def test_only_trappings_can_be_taken_off(self, run):
        answered(run, 1, ORIGINAL + " (1)")
        with pytest.raises(RuleError) as caught:
            decide(run, "clean", flag="identical")
        assert refused(caught) == [("decision", "none")]

    @pytest.mark.parametrize("unknown", ["delete", "KEEP", "none"])
    def test_an_unknown_decision(self, run, unknown):
        answered(run, 1, PREAMBLE)
        with pytest.raises(RuleError) as caught:
            decide(run, unknown)
        assert refused(caught) == [("decision", "unknown")]

    def test_an_output_of_another_run_is_out_of_reach(self, run):
        generation = answered(started(), 1, PREAMBLE)
        with pytest.raises(RuleError):
            decide(run, "exclude", outputs=[generation.outputs.get().pk])
        assert generation.outputs.get().decision == ""

    def test_what_is_judged_already_stays(self, run):
        generations = [answered(run, n) for n in (1, 2, 3)]
        outputs_adopt(actor=None, run=run)
        with pytest.raises(RuleError):
            decide(
                run, "exclude", outputs=[generation.outputs.get().pk for generation in generations]
            )

    def test_a_judging_run_has_nothing_to_decide_on_or_adopt(self):
        run = run_create(actor=None, study=make_study(), purpose="judge")
        for step in (lambda: decide(run, "keep"), lambda: outputs_adopt(actor=None, run=run)):
            with pytest.raises(RuleError) as caught:
                step()
            assert refused(caught) == [("purpose", "judging")]


class TestRegenerate:
    def test_the_former_output_is_kept_and_the_next_one_counts(
        self, run, broker, django_capture_on_commit_callbacks
    ):
        for position in (1, 2, 3):
            generation = answered(run, position, PREAMBLE if position == 1 else FINE)
        assert fresh(run).state == "finished"
        with django_capture_on_commit_callbacks(execute=True):
            assert decide(run, "regenerate", flag="preamble") == 1
        assert (fresh(run).state, len(broker.requested)) == ("running", 1)
        generation = run.generations.get(item__position=1)
        assert (generation.state, generation.outputs_wanted, generation.sent_at) == (
            "waiting",
            2,
            None,
        )
        with pytest.raises(RuleError) as caught:
            outputs_adopt(actor=None, run=run)
        assert refused(caught) == [("state", "under_way")]
        answered(run, 1, FINE)
        assert list(generation.outputs.values_list("number", "decision")) == [
            (1, "regenerate"),
            (2, ""),
        ]
        assert outputs_adopt(actor=None, run=run) == 3
        assert generation.outputs.get(number=2).simplification.text == FINE
        assert generation.outputs.get(number=1).simplification is None

    def test_what_failed_the_second_time_is_not_adopted(self, run):
        for position in (1, 2, 3):
            answered(run, position, PREAMBLE if position == 1 else FINE)
        decide(run, "regenerate", flag="preamble")
        run.generations.filter(state="waiting").update(state="failed")
        with pytest.raises(RuleError):
            decide(run, "keep", flag="preamble")
        assert outputs_adopt(actor=None, run=run) == 2
        assert run_retry_failed(actor=None, run=fresh(run)) == 1

    def test_not_in_a_cancelled_run(self, run):
        generation = answered(run, 1, PREAMBLE)
        run_cancel(actor=None, run=run)
        with pytest.raises(RuleError) as caught:
            decide(run, "regenerate", flag="preamble")
        assert refused(caught) == [("decision", "cancelled")]
        assert decide(run, "clean", flag="preamble") == 1
        assert generation.outputs.get().text == FINE


class TestAdopt:
    def test_what_is_fine_or_kept_becomes_a_simplification(self, run):
        answered(run, 1, PREAMBLE)
        answered(run, 2, "", finish_reason="stop")
        answered(run, 3, FINE + " Fin.", finish_reason="stop")
        decide(run, "clean", flag="preamble")
        decide(run, "exclude", flag="empty")
        assert outputs_adopt(actor=None, run=run) == 2
        assert texts(run) == [FINE, FINE + " Fin."]
        stored = Simplification.objects.first()
        assert (stored.system, stored.finish_reason, stored.language, stored.position) == (
            "gpt-4-turbo",
            "stop",
            "fr",
            0,
        )
        assert Event.objects.get(verb="outputs_adopted").details["number"] == 2

    def test_what_is_left_to_models_is_in_no_size_of_the_study(self, run):
        for position in (1, 2, 3):
            answered(run, position)
        run.study.items.filter(position=1).update(round="machine")
        assert outputs_adopt(actor=None, run=run) == 3
        assert sizes_kept(run.study_id).pairs == 2

    def test_a_fine_output_that_was_excluded_is_left_out(self, run):
        excluded, *_others = [answered(run, n).outputs.get() for n in (1, 2, 3)]
        decide(run, "exclude", outputs=[excluded.pk])
        assert outputs_adopt(actor=None, run=run) == 2

    def test_twice_is_once(self, run):
        for position in (1, 2, 3):
            answered(run, position)
        assert outputs_adopt(actor=None, run=run) == 3
        assert outputs_adopt(actor=None, run=run) == 0
        assert len(texts(run)) == 3
        assert Event.objects.filter(verb="outputs_adopted").count() == 1

    def test_not_while_work_is_under_way(self, run):
        answered(run, 1)
        with pytest.raises(RuleError) as caught:
            outputs_adopt(actor=None, run=run)
        assert refused(caught) == [("state", "under_way")]
        run_cancel(actor=None, run=run)
        assert outputs_adopt(actor=None, run=run) == 1

    def test_not_while_a_flag_is_undecided(self, run):
        for position, text in enumerate([PREAMBLE, FINE, FINE], start=1):
            answered(run, position, text)
        with pytest.raises(RuleError) as caught:
            outputs_adopt(actor=None, run=run)
        assert refused(caught) == [("decision", "undecided")]
        assert texts(run) == []

    def test_not_in_a_closed_study(self, run):
        Study.objects.update(state="closed")
        with pytest.raises(RuleError) as caught:
            outputs_adopt(actor=None, run=run)
        assert refused(caught) == [("study", "closed")]

    def test_a_system_has_one_simplification_of_an_item(self, run):
        """One was imported while the run was at work."""
        for position in (1, 2, 3):
            generation = answered(run, position)
        item = generation.item
        unsaved_simplification(
            original=item.original, text="De ma main.", item_id=item.pk, system="gpt-4-turbo"
        ).save()
        with pytest.raises(RuleError) as caught:
            outputs_adopt(actor=None, run=run)
        assert refused(caught) == [("system", "taken")]
        assert "c3" in caught.value.problems[0].message.fr
        decide(run, "exclude", outputs=[generation.outputs.get().pk])
        assert outputs_adopt(actor=None, run=run) == 2

    def test_of_many_such_items_the_first_are_named(self, broker):
        run = started(items=12)
        for position in range(1, 13):
            generation = answered(run, position)
            unsaved_simplification(
                original="a", text="b", item_id=generation.item_id, system="gpt-4-turbo"
            ).save()
        with pytest.raises(RuleError) as caught:
            outputs_adopt(actor=None, run=run)
        assert "c10, …" in caught.value.problems[0].message.en
        assert "c11" not in caught.value.problems[0].message.en


class TestOrder:
    NAMES = ("a", "b", "c")

    def run(self, seed, items=12):
        run = started(items=items, systems=self.NAMES, seed=seed)
        for position in range(1, items + 1):
            for name in self.NAMES:
                answered(run, position, f"{FINE} ({name})", of={"system__name": name})
        return run

    def places(self, run):
        rows = Simplification.objects.filter(item__study=run.study).order_by(
            "item__position", "position"
        )
        orders: dict[str, list[str]] = {}
        for key, name, position in rows.values_list("item__key", "system", "position"):
            orders.setdefault(key, []).append(name)
            assert position == len(orders[key]) - 1
        return orders

    def test_it_is_drawn_for_each_item_from_the_seed(self, broker):
        run = self.run(seed=11)
        outputs_adopt(actor=None, run=run)
        orders = self.places(run)
        assert orders == {key: seeded_order(self.NAMES, f"11:{key}") for key in orders}
        # No system always stands in the same place.
        assert {order[0] for order in orders.values()} == set(self.NAMES)
        again = self.run(seed=11)
        outputs_adopt(actor=None, run=again)
        assert self.places(again) == orders
        other = self.run(seed=12)
        outputs_adopt(actor=None, run=other)
        assert self.places(other) != orders

    def test_no_place_is_given_twice(self, broker):
        """Assignments are drawn by it: of two in one place, annotators would get one."""
        run = self.run(seed=11, items=6)
        late = Output.objects.filter(generation__system__name__in=["a", "b"])
        decide(run, "exclude", outputs=list(late.values_list("pk", flat=True)))
        assert outputs_adopt(actor=None, run=run) == 6
        decide(run, "", outputs=list(late.values_list("pk", flat=True)))
        assert outputs_adopt(actor=None, run=run) == 12
        assert all(sorted(order) == ["a", "b", "c"] for order in self.places(run).values())
        annotator = make_annotator(run.study)
        Study.objects.update(state="main")
        assignments_fill(actor=None, study=run.study)
        assert Assignment.objects.filter(annotator=annotator).count() == 18

    def test_beside_imported_ones(self, broker):
        study = make_study()
        pair = make_pair(study, system="person", position=4)
        run = started(study, items=0, systems=("a", "b"))
        for name in ("a", "b"):
            answered(run, 1, of={"system__name": name})
        outputs_adopt(actor=None, run=run)
        assert sorted(pair.item.simplifications.values_list("position", flat=True)) == [4, 5, 6]


class TestOpenRound:
    def test_annotators_get_the_new_pairs_after_theirs(self, broker):
        study = make_study(state="main")
        make_pair(study, system="person")
        annotators = [make_annotator(study) for _ in range(2)]
        machine = study.annotators.create(kind="machine", pseudonym="M1")
        assignments_fill(actor=None, study=study)
        make_items(study, 2)
        run = started(study, items=0)
        for position in (1, 2, 3):
            answered(run, position)
        assert outputs_adopt(actor=None, run=run) == 3
        for annotator in annotators:
            assert list(annotator.assignments.values_list("position", flat=True)) == [1, 2, 3, 4]
        assert not machine.assignments.exists()

    def test_before_it_nobody_does(self, broker):
        study = make_study()
        make_annotator(study)
        run = started(study, items=1)
        answered(run, 1)
        outputs_adopt(actor=None, run=run)
        assert not Assignment.objects.exists()


def test_a_run_that_has_nothing_adopts_nothing(broker):
    run = started(items=1)
    run.generations.update(state="failed")
    GenerationRun.objects.update(state="finished")
    assert outputs_adopt(actor=None, run=run) == 0
    assert not Event.objects.filter(verb="outputs_adopted").exists()
    assert order(run).output_number == 1
