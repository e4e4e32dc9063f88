"""A real worker, killed (-9) or told to end in the middle: what was finished stays, nothing is half
made, another goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.storage import storages
from django.utils import timezone

from annotation.models import Event, Scorer, ScorerPromotion, TrainingRun
from annotation.services.scoring.training import TrainingSpec, training_request, trainings_resend
from tests.processes import PATIENCE, kill
from tests.processes import until as it_comes
from tests.scorers.judged import judged_set
from workers.scoring.training import work_folder

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis, pytest.mark.slow]

SEEDS = (42, 43)


def until(run: TrainingRun, wanted: Callable[[TrainingRun], bool]) -> TrainingRun:
    """The row once it is as wanted."""

    def holds() -> bool:
        run.refresh_from_db()
        return wanted(run)

    assert it_comes(holds), f"still {run.state} {run.progress} {run.problem}"
    return run


def test_a_worker_that_is_killed_in_mid_training(live_worker, settings):
    from workers.celery import app

    settings.TRAINING_QUEUE = app.conf["task_default_queue"]
    run = training_request(actor=None, data=judged_set(36), spec=TrainingSpec("lexical", SEEDS))
    first, second = (work_folder(run) / f"seed-{seed}.json" for seed in SEEDS)
    # What the second seed is written to is a pipe that nobody reads: the worker stands still while
    # it opens it.
    second.parent.mkdir(parents=True)
    os.mkfifo(second.with_suffix(".part"))
    worker = live_worker()
    until(run, lambda run: first.is_file())
    kill(worker)
    second.with_suffix(".part").unlink()

    run.refresh_from_db()
    assert (run.state, run.attempt) == ("running", 1), (
        "its lease still holds: nobody may take it away"
    )
    assert not second.exists(), "it was killed in the middle"
    assert trainings_resend() == 0
    assert not Scorer.objects.exists()
    assert not ScorerPromotion.objects.exists()
    folders, files = storages["artefacts"].listdir(f"training/{run.public_id}")
    assert (folders, files) == ([], ["data.jsonl"]), "no scorer, no report: nothing half made"
    finished = {path.name: path.read_bytes() for path in work_folder(run).glob("seed-*.json")}

    TrainingRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert trainings_resend() == 1
    live_worker()
    run = until(run, lambda run: not run.is_unfinished)
    assert (run.state, run.attempt) == ("done", 2)
    # Seconds are measured anew when a seed is trained again: those of finished seeds are the first
    # worker's.
    taken = {f"seed-{seed['seed']}.json": seed["seconds"] for seed in run.report["seeds"]}
    assert {
        name: json.loads(content)["seconds"] for name, content in finished.items()
    }.items() <= taken.items()
    assert [seed["seed"] for seed in run.report["seeds"]] == list(SEEDS)
    scorer = Scorer.objects.get()
    assert not scorer.is_in_service
    assert Event.objects.filter(verb="training_finished").count() == 1
    # Cleared once the row says that it is done.
    assert it_comes(lambda: not work_folder(run).exists())


def test_a_worker_that_is_told_to_end_does_not_end_the_training(live_worker, settings):
    """Compose, Kubernetes and systemd wait for half a minute or a whole one, a training for days:
    it was killed each time, and that was an attempt."""
    from workers.celery import app

    settings.TRAINING_QUEUE = app.conf["task_default_queue"]
    seeds = tuple(range(42, 62))
    run = training_request(actor=None, data=judged_set(36), spec=TrainingSpec("lexical", seeds))
    worker = live_worker()
    until(run, lambda _: (work_folder(run) / "seed-42.json").is_file())
    worker.terminate()
    assert worker.wait(PATIENCE) == 0, "it ends by itself"
    run.refresh_from_db()
    assert (run.state, run.attempt, run.problem) == ("queued", 0, {})
    assert not Scorer.objects.exists()
