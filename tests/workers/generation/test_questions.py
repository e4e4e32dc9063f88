"""Questions, answers and grades from start to finish: real workers, the real client over HTTP, and
a service that replies nonsense, refuses, and whose callers die."""

from __future__ import annotations

import collections
import json
import random
import time
from typing import Any

import pytest

from annotation.models import (
    Generation,
    GenerationCall,
    GenerationRun,
    Question,
    QuestionAnswer,
    QuestionGrade,
)
from annotation.services.generation.runs import run_retry_failed
from tests.factories import make_study
from tests.fake_openai import fake_openai, refused, too_many
from tests.processes import kill
from tests.processes import until as it_comes
from tests.services.generation.questioning import begun, make_texts
from tests.workers.generation.test_calls import endpoints, finished, until
from workers.sweep import sweep

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis, pytest.mark.slow]


def replying(body: dict[str, Any]) -> str:
    """Two questions of any original; what each text says of the delay; seven for any answer."""
    task = body["response_format"]["json_schema"]["name"]
    prompt = body["messages"][-1]["content"]
    if task == "questions":
        return json.dumps(
            {
                "questions": [
                    {
                        "type": "deadline",
                        "question": "Dans quel délai l'assureur verse-t-il l'indemnité ?",
                        "answer": "Dans les soixante jours de la réception de l'avis.",
                        "quotation": "dans les soixante jours",
                    },
                    {
                        "type": "exception",
                        "question": "Quand l'assureur ne verse-t-il pas l'indemnité ?",
                        "answer": "Quand l'assuré a fait une fausse déclaration.",
                        "quotation": "fausse déclaration",
                    },
                ]
            }
        )
    if task == "answers":
        said = "soixante jours" in prompt
        reply = {"answer": "Dans les soixante jours." if said else "", "in_text": said}
        return json.dumps(reply | {"quotation": "soixante jours" if said else ""})
    return json.dumps({"reason": "La réponse dit le délai.", "grade": 7})


@pytest.fixture
def fake():
    with fake_openai() as running:
        running.answer = replying
        yield running


@pytest.fixture
def study():
    study = make_study("questions")
    make_texts(study, items=3)
    return study


def test_faults_are_asked_again_and_nothing_is_there_twice(study, fake, live_worker):
    """The first replies of each kind are faults; each is told, mended and paid."""
    spoilt: collections.Counter[str] = collections.Counter()
    nonsense = {
        "questions": ["Je suis désolé.", json.dumps({"questions": []})],
        "answers": [json.dumps({"in_text": True, "answer": "", "quotation": ""})],
        "grades": [json.dumps({"reason": "x", "grade": 11})],
    }
    trouble = [too_many(0.2), refused(500)]

    def answer(body: dict[str, Any]) -> str:
        task = body["response_format"]["json_schema"]["name"]
        if spoilt[task] < len(nonsense[task]):
            spoilt[task] += 1
            return nonsense[task][spoilt[task] - 1]
        return replying(body)

    fake.answer = answer
    fake.script = lambda number, body: trouble.pop() if trouble else None
    live_worker(concurrency=1, environment=fake.environment)
    question_run = until(begun(study), finished)
    answered = until(begun(study, "answer", after=question_run), finished)
    graded = until(begun(study, "grade", after=answered), finished)
    assert Question.objects.count() == 3 * 2
    assert QuestionAnswer.objects.count() == 3 * 2 * 2
    assert QuestionAnswer.objects.filter(is_said=True).count() == 6
    assert list(QuestionGrade.objects.values_list("score", flat=True)) == [7] * 6
    outcomes = collections.Counter(GenerationCall.objects.values_list("outcome", flat=True))
    assert outcomes == {
        "answered": 3 + 12 + 6, "rules": 4, "rate_limited": 1, "server_error": 1,
    }  # fmt: skip
    spent = sum(run.spent for run in (question_run, answered, graded))
    assert spent == sum(call.cost for call in GenerationCall.objects.all()) > 0
    assert fake.requests[0]["response_format"]["json_schema"]["strict"]


def test_what_stays_wrong_is_listed_with_the_reason(study, fake, live_worker):
    live_worker(environment=fake.environment)
    question_run = until(begun(study), finished)
    answered = until(begun(study, "answer", after=question_run), finished)
    fake.answer = lambda body: json.dumps({"reason": "x", "grade": 11})
    graded = until(begun(study, "grade", after=answered), finished)
    failed = graded.generations.filter(state="failed")
    assert set(failed.values_list("problem", flat=True)) == {"rules"}
    assert "11" in failed[0].problem_detail
    assert not QuestionGrade.objects.exists()
    fake.answer = replying
    assert run_retry_failed(actor=None, run=graded) == 6
    until(GenerationRun.objects.get(pk=graded.pk), finished)
    assert QuestionGrade.objects.count() == 6


def test_workers_killed_at_random_moments_leave_each_there_once(fake, live_worker):
    study = make_study("tues")
    make_texts(study, items=20)
    fake.seconds, fake.jitter = 0.05, 0.04
    chance = random.Random(20261)
    worker = live_worker(concurrency=2, environment=fake.environment)
    question_run = until(begun(study), finished)
    run = begun(study, "answer", after=question_run)
    before = fake.billed.total()
    for answered in sorted(chance.sample(range(5, 70), 2)):
        assert it_comes(lambda: fake.billed.total() - before >= answered)  # noqa: B023
        time.sleep(chance.uniform(0, fake.seconds))  # somewhere in a call
        kill(worker)
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
    pairs = list(QuestionAnswer.objects.values_list("question", "simplification"))
    assert len(pairs) == len(set(pairs)) == 20 * 2 * 2


def test_a_batch_brings_the_same(study, fake, live_worker, settings):
    settings.LLM_ENDPOINTS = endpoints(fake)
    live_worker(environment=fake.environment)
    run = begun(study, mode="batch")

    def looked() -> bool:
        run.batches.update(lease_until=None)
        sweep()
        run.refresh_from_db()
        return finished(run)

    assert it_comes(looked)
    assert Question.objects.count() == 6
    assert GenerationRun.objects.get(pk=run.pk).spent > 0
