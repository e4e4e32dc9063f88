"""Runs from start to finish with real workers, the real client over HTTP, and a service that
misbehaves."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from decimal import Decimal

import psutil
import pytest

from annotation.config.llm import Endpoint
from annotation.generation.judging import judge_preset
from annotation.generation.presets import PAPER
from annotation.models import Generation, GenerationCall, GenerationRun, Item, Judgment, Output
from annotation.protocols.legal_meaning.rules import PROTOCOL
from annotation.selectors.agreement.reliability import study_ratings
from annotation.services.generation.runs import run_create, run_resume, run_retry_failed, run_start
from annotation.services.generation.systems import system_add
from tests.factories import make_pair, make_study, make_user
from tests.fake_openai import KEY, fake_openai, refused, too_many
from tests.processes import PATIENCE, kill
from tests.processes import until as it_comes
from workers.generation.batches import batches_look
from workers.generation.limits import Limits
from workers.sweep import sweep

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis, pytest.mark.slow]


@pytest.fixture
def fake():
    with fake_openai() as running:
        yield running


@pytest.fixture
def study():
    return make_study("etude", lead=make_user("lead"))


def make_items(study, number: int) -> None:
    Item.objects.bulk_create(
        Item(
            study=study,
            key=f"c-{i:04}",
            position=i,
            original=f"L'assureur rembourse à l'assuré la somme {i}.",
        )
        for i in range(1, number + 1)
    )


def start_run(study, items: int, **fields) -> GenerationRun:
    make_items(study, items)
    run = run_create(actor=None, study=study, ceiling=fields.pop("ceiling", Decimal(50)), **fields)
    system_add(actor=None, run=run, spec=PAPER)
    return run_start(actor=None, run=run)


def until(run: GenerationRun, condition: Callable[[GenerationRun], bool]) -> GenerationRun:
    def holds() -> bool:
        run.refresh_from_db()
        return condition(run)

    assert it_comes(holds), (
        run.state,
        run.stopped,
        dict(run.generations.values_list("state", "problem")),
    )
    return run


def finished(run: GenerationRun) -> bool:
    return run.state == "finished"


def test_a_run_comes_back_complete_and_billed_once(study, fake, live_worker):
    live_worker(concurrency=2, environment=fake.environment)
    run = until(start_run(study, 12), finished)
    assert Output.objects.filter(generation__run=run).count() == 12
    assert set(fake.billed.values()) == {1}
    # 100 and 20 tokens a call at 10 and 30 USD a million.
    assert run.spent == Decimal("0.0016") * 12
    call = GenerationCall.objects.filter(generation__run=run).first()
    assert (call.model, call.finish_reason, call.prompt_tokens, call.completion_tokens) == (
        "gpt-4-turbo-2024-04-09-answered",
        "stop",
        100,
        20,
    )
    request = fake.requests[0]
    assert {name: request[name] for name in PAPER.parameters} == PAPER.parameters
    assert request["messages"][0]["content"].startswith("Réécris la phrase complexe")


def test_trouble_that_passes_is_waited_out_and_trouble_that_stays_is_told(study, fake, live_worker):
    """One request of each kind; the passage decides, so that tries of one item are told from
    others."""
    troubles = {
        1: [too_many(0.5)],
        2: [refused(500), refused(503)],
        3: [FakeTrouble.cut()],
        4: [FakeTrouble.malformed()],
        5: [refused(400, "bad", "Le paramètre est refusé")] * 9,
        6: [refused(400, "content_filter")] * 9,
        7: [FakeTrouble.slow(4)],
    }
    fake.script = scripted(troubles)
    live_worker(concurrency=3, environment=fake.environment | {"BAREME_LLM_TIMEOUT_SECONDS": "2"})
    run = until(start_run(study, 8), finished)
    failed = dict(run.generations.filter(state="failed").values_list("item__position", "problem"))
    assert failed == {5: "bad_request", 6: "content_refused"}
    assert run.generations.get(item__position=5).problem_detail == "Le paramètre est refusé"
    assert Output.objects.filter(generation__run=run).count() == 6
    outcomes = set(
        GenerationCall.objects.filter(generation__run=run).values_list("outcome", flat=True)
    )
    assert outcomes == {
        "answered", "rate_limited", "server_error", "cut", "malformed", "bad_request", "content_refused", "timeout",  # noqa: E501
    }  # fmt: skip

    troubles.clear()
    assert run_retry_failed(actor=None, run=run) == 2
    run.refresh_from_db()
    run = until(run, finished)
    assert not run.generations.exclude(state="done").exists()


def test_a_refused_key_stops_the_run_and_is_shown_nowhere(study, fake, live_worker):
    live_worker(environment=fake.environment | {"OPENAI_API_KEY": "sk-wrong-0123456789abcdef"})
    run = until(start_run(study, 12), lambda run: run.state == "paused")
    assert run.stopped == "refused"
    failed = run.generations.filter(state="failed")
    assert failed.count() == 5
    assert all(
        "sk-" not in generation.problem_detail and generation.problem_detail
        for generation in failed
    )
    assert run.generations.filter(state="waiting").count() == 7


def test_a_request_that_the_service_takes_from_nobody_stops_the_run(study, fake, live_worker):
    """A parameter that the model does not know is a 400 like a text that is too long."""
    fake.script = lambda number, body: refused(400, "bad", "Le paramètre est refusé")
    live_worker(environment=fake.environment)
    run = until(start_run(study, 12), lambda run: run.state in ("paused", "finished"))
    assert (run.state, run.stopped) == ("paused", "refused")
    assert run.generations.filter(state="failed").count() == 5
    assert run.generations.filter(state="waiting").count() == 7


def test_the_ceiling_is_never_passed(study, fake, live_worker):
    run = start_run(study, 20)
    # Each call sets about 0.0037 USD aside (100 tokens of answer and some 70 of prompt) and costs
    # 0.0016.
    GenerationRun.objects.update(ceiling=Decimal("0.02"))
    live_worker(concurrency=2, environment=fake.environment)
    run = until(run, lambda run: run.state == "paused")
    assert run.stopped == "budget"
    billed = sum(fake.billed.values())
    assert run.spent == Decimal("0.0016") * billed <= run.ceiling
    assert 8 <= billed < 20
    GenerationRun.objects.update(ceiling=Decimal(1))
    run.refresh_from_db()
    run_resume(actor=None, run=run)
    run.refresh_from_db()
    until(run, finished)
    assert set(fake.billed.values()) == {1}


def test_workers_killed_at_random_moments_lose_nothing_and_pay_at_most_once_more(
    study, fake, live_worker
):
    fake.seconds, fake.jitter = 0.05, 0.04
    chance = random.Random(20260)
    run = start_run(study, 150)
    worker = live_worker(concurrency=2, environment=fake.environment)
    moments = sorted(chance.sample(range(10, 140), 3))
    for answered in moments:
        assert it_comes(lambda: fake.billed.total() >= answered)  # noqa: B023  (called here)
        time.sleep(chance.uniform(0, fake.seconds))  # somewhere in a call
        kill(worker)
        # What the dead worker held comes free when its lease ends; here at once.
        Generation.objects.filter(state="running").update(lease_until="2026-01-01T00:00:00Z")
        sweep()
        worker = live_worker(concurrency=2, environment=fake.environment)

    def swept() -> bool:
        # Messages that the dead workers had taken out of the queue are lost for two hours.
        Generation.objects.filter(state="waiting").update(sent_at="2026-01-01T00:00:00Z")
        sweep()
        run.refresh_from_db()
        return finished(run)

    assert it_comes(swept, every=0.3), dict(run.generations.values_list("state", "problem"))
    numbers = Output.objects.filter(generation__run=run).values_list("generation__item", "number")
    assert len(numbers) == len(set(numbers)) == 150
    assert sum(fake.billed.values()) <= 150 + 2 * len(moments)  # two calls at once
    assert run.spent >= Decimal("0.0016") * sum(fake.billed.values())


def test_a_pool_process_that_dies_is_made_up_for_at_once(study, fake, live_worker):
    """Its message comes back to the same worker: no lease has to end first."""
    fake.script = scripted({1: [FakeTrouble.slow(2 * PATIENCE)]})
    worker = live_worker(environment=fake.environment)
    run = start_run(study, 1)
    until(run, lambda run: run.generations.filter(state="running").exists())
    assert it_comes(lambda: fake.at_once > 0)
    for process in psutil.Process(worker.pid).children():
        process.kill()
    run = until(run, finished)
    generation = run.generations.get()
    assert (generation.losses, generation.outputs.count()) == (1, 1)
    assert sorted(generation.calls.values_list("outcome", flat=True)) == ["answered", "lost"]


def test_limits_hold_over_all_workers(study, fake, live_worker):
    environment = fake.environment | {
        "BAREME_LLM_REQUESTS_PER_MINUTE": "600",
        "BAREME_LLM_CONCURRENCY": "2",
    }
    fake.seconds = 0.05
    for _ in range(2):
        live_worker(concurrency=2, environment=environment)
    until(start_run(make_study(), 8), finished)  # by now they are there and have connections
    fake.moments.clear()
    first = time.monotonic() + 1.5
    Limits("openai").pause(1.5)
    until(start_run(study, 40), finished)
    # A turn every 0.1 s from the end of the pause. A request may arrive late after its turn, but
    # never before it.
    early = [
        turn
        for turn, moment in enumerate(sorted(fake.moments))
        if moment < first + turn * 0.1 - 0.005
    ]
    assert (len(fake.moments), early) == (40, [])
    assert fake.most_at_once <= 2


class FakeTrouble:
    """Trouble that is no answer of the service at all."""

    @staticmethod
    def cut():
        trouble = refused(200)
        trouble.cut = True
        return trouble

    @staticmethod
    def malformed():
        trouble = refused(200)
        trouble.malformed = True
        return trouble

    @staticmethod
    def slow(seconds: float):
        trouble = refused(200)
        trouble.seconds = seconds
        return trouble


def scripted(troubles: dict[int, list]):
    """A script by the number in the passage: its troubles one after another, then none."""

    def script(number: int, body: dict):
        text = body["messages"][-1]["content"]
        position = int(text.rsplit("la somme ", 1)[1].split(".", 1)[0])
        left = troubles.get(position)
        return left.pop(0) if left else None

    return script


def test_a_batch_is_handed_over_once_and_fetched(study, fake, live_worker, settings):
    """Half the price; a line that was refused is told; one that expired goes into the next
    batch."""
    settings.LLM_ENDPOINTS = endpoints(fake)
    refusals = {
        "2": {"error": {"code": "batch_expired", "message": "late"}},
        "3": {"error": {"code": "bad"}},
    }
    fake.batch_answers = lambda line: refusals.pop(
        line["body"]["messages"][0]["content"].split("somme ")[1][0], None
    )
    fake.batch_state = "in_progress"
    live_worker(environment=fake.environment)
    run = start_run(study, 6, mode="batch")
    until(run, lambda run: run.batches.filter(state="submitted").exists())
    assert not run.generations.exclude(state="running").exists()
    fake.batch_state = "completed"

    def looked() -> bool:
        run.batches.update(lease_until=None)
        sweep()
        run.refresh_from_db()
        return finished(run)

    assert it_comes(looked)
    assert run.generations.filter(state="failed").values_list(
        "item__position", "problem"
    ).get() == (3, "bad")
    assert Output.objects.filter(generation__run=run).count() == 5
    assert len(fake.batches) == 2
    assert run.spent == Decimal("0.0008") * 5


def test_a_batch_whose_worker_died_while_handing_it_over_is_found_again(
    study, fake, settings, monkeypatch
):
    settings.LLM_ENDPOINTS = endpoints(fake)
    monkeypatch.setattr("annotation.jobs._send", lambda *message: None)
    run = start_run(study, 3, mode="batch")
    with monkeypatch.context() as dying:
        dying.setattr(
            "workers.generation.batches.batch_submitted",
            lambda *given: (_ for _ in ()).throw(KeyboardInterrupt),
        )
        with pytest.raises(KeyboardInterrupt):
            batches_look(run.pk)
    run.batches.update(lease_until=None)
    batches_look(run.pk)
    run.refresh_from_db()
    assert finished(run)
    assert (len(fake.batches), sum(fake.billed.values())) == (1, 3)


def endpoints(fake) -> dict[str, Endpoint]:
    return {"openai": Endpoint("openai", fake.url, KEY, 0, 0, 0)}


def test_a_machine_judges_by_the_same_rules_and_as_a_rater_of_its_own_kind(
    study, fake, live_worker
):
    """Its first answer breaks a rule, is told so, and is mended; quotations become spans."""
    make_pair(study, text="L'assureur paie les frais.")
    fake.answer = lambda body: json.dumps(
        {
            "simplicity": 1,
            "simplicity_confirmed": False,
            "characterization": 18,
            # What was wrong with the first answer comes with the second question.
            "explanation": "Rien d'autre ne convient."
            if "refusée" in body["messages"][-1]["content"]
            else "",
            "bracket": 3,
            "errors": [
                {
                    "type": "omission",
                    "note": "exception",
                    "original_quote": "",
                    "simplification_quote": "les frais",
                }
            ],
            "crossing_answer": "",
            "moved_from": None,
            "comment": "",
            "doubt": False,
        }
    )
    live_worker(environment=fake.environment)
    run = run_create(actor=None, study=study, purpose="judge")
    system_add(actor=None, run=run, spec=judge_preset(PROTOCOL))
    run = until(run_start(actor=None, run=run), finished)
    judgment = Judgment.objects.get()
    assert (judgment.origin, judgment.assignment.annotator.kind) == ("machine", "machine")
    assert judgment.ratings.get(dimension="legal_meaning").value == 9
    error = judgment.errors.get()
    assert (error.simplification_start, error.simplification_end) == (16, 25)
    assert sorted(GenerationCall.objects.values_list("outcome", flat=True)) == ["answered", "rules"]
    assert fake.requests[0]["response_format"]["json_schema"]["strict"]
    assert study_ratings(study).judgments == 0, "it is no part of the agreement between people"
