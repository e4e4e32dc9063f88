"""Trainings that are stopped, resumed, lost and found again, without training anything."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.core.files.storage import storages
from django.db import OperationalError
from django.utils import timezone

from annotation.models import Event, ScoringJob, TrainingRun
from annotation.scoring.bootstrap import compare
from annotation.services.platform import leases
from annotation.services.platform.stored_files import file_read
from annotation.services.scoring.jobs import results_store
from annotation.services.scoring.scorers import (
    comparison_from_dict,
    scorer_decision,
    scorer_promote,
)
from annotation.services.scoring.training import (
    TrainingSpec,
    training_fail,
    training_request,
    training_resume,
    training_stop,
    trainings_resend,
)
from annotation.services.scoring.training_work import TrainingHeartbeat, training_claim
from tests.factories import make_user
from tests.scorers.judged import judged_set
from tests.scorers.rows import beats_the_mean, make_scorer, make_scoring

pytestmark = pytest.mark.django_db

LOST = {"code": "worker_lost", "fr": "perdu", "en": "lost"}


@pytest.fixture(autouse=True)
def sent(monkeypatch) -> list[str]:
    messages: list[str] = []
    monkeypatch.setattr(
        "annotation.jobs._send", lambda name, *arguments, queue=None: messages.append(arguments[0])
    )
    monkeypatch.setattr(
        "annotation.services.scoring.training.request_training",
        lambda public_id: messages.append(str(public_id)),
    )
    return messages


@pytest.fixture
def admin():
    return make_user("admin", is_admin=True)


def ask(**spec) -> TrainingRun:
    return training_request(
        actor=None, data=judged_set(), spec=TrainingSpec("lexical", (42,), **spec)
    )


def late(*runs: TrainingRun) -> None:
    moment = timezone.now() - timedelta(seconds=1)
    TrainingRun.objects.filter(pk__in=[run.pk for run in runs]).update(lease_until=moment)


def state(run: TrainingRun) -> str:
    run.refresh_from_db()
    return run.state


def test_a_second_corpus_is_kept_with_the_run():
    corpus = "\n".join(
        f"Le piéton numéro {number} traverse la rue au feu vert." for number in range(200)
    ).encode()
    run = ask(augment=True, corpus=corpus)
    assert file_read(run.corpus_path, run.source["corpus_sha256"]) == corpus


def test_what_has_ended_is_neither_stopped_nor_resumed_while_it_runs(admin):
    run = ask()
    assert not training_resume(actor=admin, run=run), "it waits"
    training_stop(actor=admin, run=run)
    assert state(run) == "stopped"
    training_stop(actor=admin, run=run)
    assert Event.objects.filter(verb="training_stopped").count() == 1
    assert training_resume(actor=admin, run=run)
    assert state(run) == "queued"


def test_a_run_that_went_on_elsewhere_is_not_failed_by_its_former_worker():
    run = ask()
    claimed = training_claim(run.public_id, "cpu", "v")
    late(run)
    assert training_claim(run.public_id, "cpu", "v")
    assert not training_fail(run=claimed, problem=LOST)
    assert state(run) == "running"


def test_a_waiting_run_whose_message_was_lost_is_asked_for_again_by_one_sweep(sent, monkeypatch):
    first, second = ask(), ask()
    late(first, second)
    sent.clear()

    def other_sweep(public_id) -> None:
        sent.append(public_id)
        TrainingRun.objects.update(lease_until=timezone.now() + timedelta(minutes=1))

    monkeypatch.setattr("annotation.services.scoring.training.request_training", other_sweep)
    assert trainings_resend() == 1
    assert len(sent) == 1


def test_a_dead_worker_s_run_is_given_out_again_by_one_sweep(sent, monkeypatch):
    first, second = ask(), ask()
    for run, device in ((first, "cpu"), (second, "cuda")):
        assert training_claim(run.public_id, device, "v")
    late(first, second)
    sent.clear()

    def other_sweep(public_id) -> None:
        sent.append(public_id)
        TrainingRun.objects.exclude(public_id=public_id).update(
            lease_until=timezone.now() + timedelta(minutes=1)
        )

    monkeypatch.setattr("annotation.services.scoring.training.request_training", other_sweep)
    assert trainings_resend() == 1
    assert sorted((state(first), state(second))) == ["queued", "running"]


def test_a_heart_that_misses_a_beat_does_not_end_the_training(monkeypatch, caplog):
    run = ask()
    claimed = training_claim(run.public_id, "cpu", "v")
    heart = TrainingHeartbeat(claimed)

    def away(_queue, _run):
        raise OperationalError("the server is away")

    monkeypatch.setattr(leases.Queue, "mine", away)
    monkeypatch.setattr(leases.connections, "close_all", lambda: None)
    heart._beat()
    heart.check()
    assert "heartbeat missed" in caplog.text


def test_results_are_kept_as_a_file():
    job = make_scoring(make_scorer(), results=[{"score": 4.5, "learned": 4.5, "rule": ""}])
    results_store(job)
    job = ScoringJob.objects.get(pk=job.pk)
    with storages["artefacts"].open(job.result_path) as stored:
        assert b"Une clause.,Une phrase.,4.5,4.5,,v1" in stored.read()


def _comparison():
    labels = np.linspace(1, 10, 40)
    return compare(labels + 0.1, labels[::-1], labels, draws=50)


def test_a_comparison_comes_back_from_its_report():
    comparison = _comparison()
    assert comparison_from_dict(json.loads(json.dumps(asdict(comparison)))) == comparison


@pytest.mark.parametrize(
    ("comparison", "said"),
    [
        ({"current": 99, "result": None}, "not compared with the scorer in service"),
        (
            {
                "current": 1,
                "result": None,
                "undefined": {"fr": "Trop peu.", "en": "Too few items."},
            },
            "Too few items.",
        ),
    ],
)
def test_who_was_not_compared_with_the_one_in_service_is_not_promoted(
    admin, monkeypatch, comparison, said
):
    first = make_scorer(report=beats_the_mean())
    monkeypatch.setattr("annotation.services.scoring.scorers.scorer_folder", lambda _: None)
    scorer_promote(actor=admin, scorer=first, reason="the first one")
    decision = scorer_decision(make_scorer(report={"comparison": comparison}))
    assert not decision.is_promoted
    assert said in decision.reasons[0].en


@pytest.mark.parametrize(
    ("shares", "promoted"),
    [
        ({"current_false_accept": 0.2, "candidate_false_accept": 0.2}, True),
        ({"current_false_accept": 0.2, "candidate_false_accept": 0.3}, False),
        ({"current_false_accept": None, "candidate_false_accept": None}, False),
        ({"current_false_accept": 0.2}, True),
    ],
)
def test_the_share_of_all_cases_stands_in_only_for_a_run_of_before(
    admin, monkeypatch, shares, promoted
):
    first = make_scorer(report=beats_the_mean())
    monkeypatch.setattr("annotation.services.scoring.scorers.scorer_folder", lambda _: None)
    scorer_promote(actor=admin, scorer=first, reason="the first one")
    labels = np.linspace(1, 10, 40)
    result = asdict(compare(labels + 0.1, np.full(40, labels.mean()), labels, draws=50))
    report = {"comparison": {"current": first.version, "result": result, **shares}}
    assert scorer_decision(make_scorer(report=report, false_accept=0.1)).is_promoted is promoted


def test_a_scorer_by_a_published_recipe_is_not_promoted(db):
    """Source texts of its test items are in its training."""
    scorer = make_scorer(report=beats_the_mean())
    assert scorer_decision(scorer).is_promoted
    scorer.training_run.preset = "judgebert"
    decision = scorer_decision(scorer)
    assert not decision.is_promoted
    assert "for comparison alone" in decision.reasons[0].en


def test_the_first_one_is_held_against_the_mean_by_its_out_of_fold_scores():
    """As one in service is: 44 pairs have 13 test items in a split, and each its score."""
    small = beats_the_mean()["against_baselines"][0] | {"items": 13}
    report: dict[str, Any] = {"against_baselines": [small]}
    assert not scorer_decision(make_scorer(report=report)).is_promoted
    all_items = {name: value for name, value in small.items() if name != "name"} | {"items": 44}
    report |= {"against_mean": all_items}
    assert scorer_decision(make_scorer(report=report)).is_promoted
    report |= {"against_mean": all_items | {"items": 29}}
    decision = scorer_decision(make_scorer(report=report))
    assert not decision.is_promoted
    assert "Only 29" in decision.reasons[-1].en
