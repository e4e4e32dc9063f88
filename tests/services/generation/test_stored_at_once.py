"""Two workers with one answer in hand at the same moment: it is stored once, and paid once."""

from __future__ import annotations

import pytest

from annotation.models import Assignment, GenerationCall, Judgment, JudgmentRevision, Output
from annotation.selectors.base.standings import annotators_kept, departures
from annotation.selectors.generation.orders import order_of
from annotation.services.generation import judging
from annotation.services.generation.calls import generation_claim, generation_store
from tests.services.generation.generating import (
    broker,
    fresh,
    judged,
    order,
    reply,
    started,
)
from tests.services.generation.test_judging import judging_run, row, study
from tests.services.judging.test_concurrency import at_once, both_there

__all__ = ["broker", "study"]
pytestmark = pytest.mark.django_db(transaction=True)


def outcomes() -> list[str]:
    return sorted(GenerationCall.objects.values_list("outcome", flat=True))


def test_one_call_s_answer_twice(broker):
    """A message that came twice, and both workers had an answer."""
    run = started(items=1)
    wanted = order(run)
    assert generation_claim(wanted, "m")
    stored = at_once([lambda: generation_store(wanted, "m", reply("Vous payez."))] * 4)
    assert sorted(stored, key=str) == [False, False, False, True]
    assert Output.objects.count() == 1
    assert outcomes() == ["answered", "late", "late", "late"]
    assert fresh(run).state == "finished"


def test_one_machine_s_judgment_twice(study):
    run = judging_run(study)
    wanted = order_of(row(run))
    assert generation_claim(wanted, "m")
    stored = at_once([lambda: generation_store(wanted, "m", reply(judged()))] * 3)
    assert sorted(stored, key=str) == [False, False, True]
    assert (Judgment.objects.count(), JudgmentRevision.objects.count()) == (1, 1)
    assert outcomes() == ["answered", "late", "late"]
    assert departures(annotators_kept()) == []


def test_two_runs_ask_one_judge_about_one_pair(study, monkeypatch):
    orders = [order_of(row(judging_run(study))) for _ in range(2)]
    for number, wanted in enumerate(orders):
        assert generation_claim(wanted, f"m{number}")
    both_there(monkeypatch, (judging, "answers_of"))
    stored = at_once(
        [
            lambda: generation_store(orders[0], "m0", reply(judged())),
            lambda: generation_store(orders[1], "m1", reply(judged())),
        ]
    )
    assert stored == [True, True], stored
    assert (Judgment.objects.count(), Assignment.objects.count()) == (1, 1)
    assert Output.objects.count() == 2, "each run keeps what it was answered"
    assert departures(annotators_kept()) == []


def test_one_judge_s_answers_about_several_pairs(study):
    run = judging_run(study)
    orders = [order_of(row(run, position)) for position in (1, 2)]
    for wanted in orders:
        assert generation_claim(wanted, "m")
    stored = at_once(
        [lambda wanted=wanted: generation_store(wanted, "m", reply(judged())) for wanted in orders]
    )
    assert stored == [True, True], stored
    assert sorted(Assignment.objects.values_list("position", flat=True)) == [1, 2]
    assert departures(annotators_kept()) == []
