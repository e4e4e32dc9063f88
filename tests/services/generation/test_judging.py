"""A machine's judgment goes through the rules of people's and is none of theirs."""

from __future__ import annotations

from decimal import Decimal

import pytest

from annotation.generation.judging import judge_preset
from annotation.models import (
    Assignment,
    Generation,
    GenerationCall,
    GenerationRun,
    Judgment,
    JudgmentRevision,
    Output,
    Study,
)
from annotation.protocols.legal_meaning.rules import PROTOCOL
from annotation.selectors.generation.orders import order_of
from annotation.services.generation.calls import MOST_UNREAD, generation_claim, generation_store
from annotation.services.generation.judging import AnswerRefused, machine_judgment_store
from annotation.services.generation.runs import run_create, run_start
from annotation.services.generation.sending import generations_resend
from annotation.services.generation.systems import system_add
from annotation.services.planning.assignments import assignments_fill
from tests.factories import ORIGINAL, make_annotator, make_pair, make_study
from tests.services.generation.generating import answered, broker, fresh, judged, reply, started

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


def judging_run(study, **fields):
    run = run_create(actor=None, study=study, purpose="judge", ceiling=Decimal(5), **fields)
    system_add(actor=None, run=run, spec=judge_preset(PROTOCOL))
    return run_start(actor=None, run=run)


def row(run, position=1):
    generations = run.generations.select_related(
        "run__study", "system__judge", "item", "simplification"
    )
    return generations.get(item__position=position)


def asked(run, raw, position=1):
    """One call: whether something was stored."""
    order = order_of(row(run, position))
    assert generation_claim(order, "m")
    return generation_store(order, "m", reply(raw))


@pytest.fixture
def study(broker):
    study = make_study(state="main")
    for _ in range(2):
        make_pair(study, system="s")
    return study


@pytest.fixture
def run(study):
    return judging_run(study)


class TestStored:
    def test_a_sealed_judgment_with_its_ratings_and_errors(self, run):
        assert asked(run, judged())
        judgment = Judgment.objects.get()
        assert (judgment.origin, judgment.revision) == ("machine", 1)
        assert judgment.submitted_at is not None
        assert judgment.assignment.annotator == run.systems.get().judge
        assert judgment.assignment.simplification == row(run).simplification
        ratings = dict(judgment.ratings.values_list("dimension", "value"))
        # Bracket 3 less one error.
        assert ratings == {"simplicity": 1, "characterization": 7, "legal_meaning": 9}
        error = judgment.errors.get()
        assert ORIGINAL[error.original_start : error.original_end] == "sauf si l'assuré"
        assert JudgmentRevision.objects.get().answers["bracket"] == 3
        output = Output.objects.get()
        assert (output.raw, output.text, output.flags) == (judged(), "", [])

    def test_positions_follow(self, run):
        asked(run, judged(), 1)
        asked(run, judged(), 2)
        assert list(Assignment.objects.values_list("position", flat=True)) == [1, 2]
        assert fresh(run).state == "finished"
        assert run.spent == (2 * 100 + 8 * 20) * Decimal("0.000001") * 2

    def test_one_for_each_simplification_and_judge(self, study, run):
        again = judging_run(study)
        asked(run, judged())
        assert asked(again, judged(simplicity=0))
        assert Judgment.objects.count() == 1
        assert (
            dict(Judgment.objects.get().ratings.values_list("dimension", "value"))["simplicity"]
            == 1
        )

    def test_people_are_given_nothing_of_it(self, study, run):
        annotator = make_annotator(study)
        asked(run, judged())
        assignments_fill(actor=None, study=study)
        assert annotator.assignments.count() == 2
        assert run.systems.get().judge.assignments.count() == 1
        assert not Judgment.objects.filter(assignment__annotator=annotator).exists()

    def test_what_simplifies_judges_nothing(self, broker):
        run = started(items=1)
        answered(run, 1)
        generation = Generation.objects.select_related(
            "run__study", "system", "item", "simplification"
        ).get()
        with pytest.raises(TypeError):
            machine_judgment_store(generation, judged())


class TestRefused:
    def test_it_is_an_answer_and_ends_a_row_of_refusals_of_the_service(self, run):
        GenerationRun.objects.update(refusals_in_a_row=4)
        assert not asked(run, judged(characterization=None))
        assert fresh(run).refusals_in_a_row == 0

    def test_it_is_told_why_and_asked_again(self, run):
        assert not asked(run, judged(characterization=None))
        generation = row(run)
        assert (generation.state, generation.tries, generation.problem) == ("waiting", 1, "rules")
        assert generation.problem_detail.startswith("characterization : ")
        assert not Judgment.objects.exists()
        assert not Output.objects.exists()
        order = order_of(generation)
        assert (
            "Ta réponse précédente a été refusée :\n- characterization : "
            in order.messages[-1]["content"]
        )
        assert order.parameters["response_format"]["json_schema"]["strict"] is True
        # It was answered, and is paid.
        assert [call.outcome for call in generation.calls.all()] == ["rules"]
        assert fresh(run).spent == generation.calls.get().cost > 0
        assert asked(run, judged())

    @pytest.mark.parametrize(
        "raw",
        [
            "Je suis désolé.",
            "[" * 100_000,
            '{"a\\u0000": 1}',
            '{"comment": "\\ud83d"}',
            judged(simplicity=99),
            judged(
                errors=[
                    {
                        "type": "omission",
                        "note": "a\x00b",
                        "original_quote": "",
                        "simplification_quote": "",
                    }
                ]
            ),
        ],
    )
    def test_whatever_came(self, run, raw):
        assert not asked(run, raw)
        assert row(run).problem == "rules"
        assert not Judgment.objects.exists()
        assert not Assignment.objects.exists()

    def test_the_studys_own_rules_hold(self, run):
        Study.objects.update(rulings={"crossing_policy": "ask", "span_required": True})
        unquoted = {
            "type": "omission",
            "note": "x",
            "original_quote": "",
            "simplification_quote": "nulle part",
        }
        assert not asked(run, judged(errors=[unquoted]))
        assert row(run).problem_detail.startswith("errors.0")

    def test_not_for_ever(self, run):
        for _ in range(MOST_UNREAD):
            assert row(run).state == "waiting"
            assert not asked(run, "{}")
        generation = row(run)
        assert (generation.state, generation.problem) == ("failed", "rules")

    def test_the_exception_says_what_will_be_told(self, run):
        with pytest.raises(AnswerRefused) as caught:
            machine_judgment_store(row(run), "{}")
        assert str(caught.value) == caught.value.reasons
        assert "simplicity : " in caught.value.reasons


class TestLate:
    """The claim was lost while the model was thinking."""

    def lost(self, run):
        order = order_of(row(run))
        generation_claim(order, "m1")
        run.generations.filter(state="running").update(lease_until="2026-01-01T00:00:00Z")
        generations_resend()
        return order

    def test_an_answer_that_nobody_else_has_given_counts(self, run):
        order = self.lost(run)
        assert generation_store(order, "m1", reply(judged()))
        assert Judgment.objects.count() == 1
        assert fresh(run).spent == order.at_most

    def test_a_refused_one_is_not_paid_twice(self, run):
        order = self.lost(run)
        assert not generation_store(order, "m1", reply("{}"))
        assert (row(run).state, row(run).problem) == ("waiting", "rules")
        assert fresh(run).spent == order.at_most
        assert sum(call.cost for call in GenerationCall.objects.all()) == order.at_most

    def test_one_that_another_worker_is_at_is_only_noted(self, run):
        order = self.lost(run)
        assert generation_claim(order_of(row(run)), "m2")
        assert not generation_store(order, "m1", reply(judged()))
        assert not Judgment.objects.exists()
        assert [call.outcome for call in row(run).calls.all()] == ["lost", "late"]
