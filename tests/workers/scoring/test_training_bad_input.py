"""What goes wrong in a training is said on its page, and the scorer in service stays as it was."""

from __future__ import annotations

import errno

import pytest
from django.core.files.storage import storages
from django.urls import reverse

from annotation.models import Scorer, TrainingRun
from annotation.services.scoring.scorers import scorer_in_service
from annotation.services.scoring.training import TrainingSpec, training_request
from tests.cast import Cast
from tests.scorers.judged import judged_set
from tests.scorers.rows import make_scorer
from workers.scorers.device_problems import encoder_unloadable, loss_not_finite
from workers.scoring import training as module
from workers.scoring.training import training_run

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.fixture
def current(cast: Cast) -> Scorer:
    made = make_scorer(promoted_reason="it serves")
    Scorer.objects.filter(pk=made.pk).update(promoted_at=made.created_at)
    return made


def ask(data=None, **parameters) -> TrainingRun:
    return training_request(
        actor=None,
        data=data or judged_set(40),
        spec=TrainingSpec("lexical", (42, 43), parameters=parameters),
    )


def assert_failed_with(cast: Cast, run: TrainingRun, current: Scorer, code: str) -> None:
    """On the run's page, with nothing made and the scorer in service untouched."""
    assert not training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.problem["code"]) == ("failed", code)
    shown = cast.client("admin").get(reverse("training_run", args=[run.public_id]))
    assert shown.status_code == 200
    page = shown.content.decode()
    assert "notice--bad" in page
    assert scorer_in_service(current.target) == current
    assert list(Scorer.objects.all()) == [current]
    folders, files = storages["artefacts"].listdir(f"training/{run.public_id}")
    assert (folders, files) == ([], ["data.jsonl"])


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (loss_not_finite(3), "loss_not_finite"),
        (MemoryError(), "out_of_memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "out_of_memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk_full"),
        (
            # Safetensors' error is nothing more particular.
            Exception("Error while serializing: I/O error: No space left on device (os error 28)"),
            "disk_full",
        ),
        (encoder_unloadable("nobody/none", OSError("no such model")), "encoder_unloadable"),
    ],
)
def test_what_ends_a_training(cast: Cast, current, monkeypatch, raised, code):
    def fails(*_):
        raise raised

    monkeypatch.setattr(module, "_loaded", lambda *_: None)
    monkeypatch.setattr(module, "train_seed", fails)
    assert_failed_with(cast, ask(), current, code)


@pytest.mark.parametrize(
    ("data", "code"),
    [(lambda: judged_set(4), "too_few_sources"), (lambda: judged_set(12), "too_few_pairs")],
)
def test_too_few_items(cast: Cast, current, monkeypatch, data, code):
    """Of a run that was asked for before that was looked at."""
    monkeypatch.setattr("annotation.services.scoring.training.training_size_check", lambda *_: None)
    assert_failed_with(cast, ask(data()), current, code)


def test_a_scorer_in_service_that_is_damaged_is_no_reason_not_to_train(cast: Cast, current):
    """It cannot be compared with, which is said; the new one is trained all the same."""
    Scorer.objects.filter(pk=current.pk).update(
        files={"model.json": {"path": "gone", "sha256": "0", "bytes": 1}}
    )
    run = ask(judged_set())
    assert training_run(run.public_id)
    run.refresh_from_db()
    assert any("missing" in line["en"] for line in run.log)
    assert run.report["comparison"]["result"] is None
    assert scorer_in_service(current.target) == current
    assert not run.scorer.is_in_service


def test_a_storage_that_is_full_when_it_is_asked_for_is_said_on_the_form(
    cast: Cast, current, monkeypatch
):
    from annotation.models import DatasetSnapshot
    from annotation.scoring.errors import ScoringError

    snapshot = DatasetSnapshot.objects.create(
        study=cast.alpha, number=1, content_digest="d", path="p"
    )

    def full(*_):
        raise ScoringError("disk_full", "Le stockage est plein.", "The storage is full.")

    monkeypatch.setattr(
        "annotation.web.scoring.views.scorers.set_of_snapshot", lambda _: judged_set(40)
    )
    monkeypatch.setattr("annotation.services.scoring.training.file_store", full)
    form = {"snapshot": snapshot.pk, "backend": "lexical", "seeds": "42"}
    answer = cast.client("admin").post(reverse("scorers"), form)
    assert answer.status_code == 422
    assert "Le stockage est plein." in answer.content.decode()
    assert not TrainingRun.objects.exclude(pk=current.training_run.pk).exists()
