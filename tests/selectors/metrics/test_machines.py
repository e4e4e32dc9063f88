"""What is known of machine judges: how they were set, and what they cost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from annotation.generation.prices import Price
from annotation.models import Annotator, GenerationSystem, Study
from annotation.selectors.metrics.machines import machine_judges
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study
from tests.services.generation.generating import broker
from tests.services.metrics.judging import answers, judging_run

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def study(cast: Cast, broker) -> Study:
    new_study = make_study("judged", lead=cast.lead, state="main")
    fill_study(new_study, pairs=3, annotators=2)
    return new_study


def test_a_judge_of_two_runs_is_one(study):
    first = judging_run(study)
    answers(first, 3)
    first.state = "finished"
    first.save()
    second = judging_run(study)
    assert second.generations.count() == 2, "what it has judged it is not asked about again"
    answers(second, 2, 3)
    (judge,) = machine_judges(study, "legal_meaning")
    assert (judge.pseudonym, judge.name, sorted(judge.values.values())) == (
        "M1",
        "juge",
        [6.0, 10.0, 10.0],
    )
    assert judge.cost is not None
    assert judge.cost.pairs == 3
    assert judge.cost.usd == pytest.approx(0.0048)
    assert dict(judge.facts)["model"] == "gpt-4.1"


def test_calls_that_came_to_nothing_are_paid_all_the_same(study):
    run = judging_run(study)
    answers(run, 3)
    row = run.generations.order_by("item__position").first()
    row.calls.create(
        output_number=1, outcome="unreadable", prompt_tokens=100, cost=Decimal("0.001")
    )
    (judge,) = machine_judges(study, "legal_meaning")
    assert judge.cost.as_dict() == {
        "pairs": 1,
        "usd_per_pair": 0.0026,
        "tokens_per_pair": 220.0,
    }


def test_a_price_that_nobody_gave_is_no_cost_of_nothing(study):
    run = judging_run(study, price=Price(Decimal(0), Decimal(0)))
    answers(run, 3)
    (free,) = machine_judges(study, "legal_meaning")
    assert free.cost.usd == 0, "somebody said that it costs nothing"
    GenerationSystem.objects.update(price_as_of="")
    (unknown,) = machine_judges(study, "legal_meaning")
    assert unknown.cost.usd is None
    assert unknown.cost.tokens == 120


def test_a_service_that_counts_no_tokens(study):
    run = judging_run(study)
    answers(run, 3)
    run.generations.order_by("item__position").first().calls.update(
        prompt_tokens=None, completion_tokens=None
    )
    (judge,) = machine_judges(study, "legal_meaning")
    assert judge.cost.as_dict()["tokens_per_pair"] is None


def test_a_lost_answer_makes_no_pair_of_few_tokens(study):
    """Its call was paid for, and stood among the pairs with no tokens at all."""
    run = judging_run(study)
    answers(run, 3, 2)
    run.generations.order_by("item__position").last().calls.create(
        output_number=1, outcome="lost", cost=Decimal("0.001")
    )
    (judge,) = machine_judges(study, "legal_meaning")
    assert judge.cost.as_dict() == {
        "pairs": 3,
        "usd_per_pair": 0.0014,
        "tokens_per_pair": 120.0,
    }


def test_a_machine_that_came_otherwise(study):
    """From an export of another installation: its model stands nowhere."""
    Annotator.objects.filter(study=study, pseudonym="R2").update(kind="machine")
    (judge,) = machine_judges(study, "legal_meaning")
    assert (judge.name, judge.cost) == ("R2", None)
    assert judge.facts == (("model", "unknown"), ("protocol", "legal_meaning/1"))
    assert len(judge.values) == 3


def test_a_judge_without_an_answer_has_no_line(study):
    judging_run(study)
    assert machine_judges(study, "legal_meaning") == []


def test_queries_do_not_grow_with_judges(study, django_assert_num_queries):
    def asked() -> int:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        with CaptureQueriesContext(connection) as queries:
            machine_judges(study, "legal_meaning")
        return len(queries)

    answers(judging_run(study), 3)
    before = asked()
    answers(judging_run(study, name="autre"), 3, 2)
    assert len(machine_judges(study, "legal_meaning")) == 2
    assert asked() == before
