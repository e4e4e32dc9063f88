"""The transformer through a whole run: losses told; a killed worker goes on from its last epoch;
served whole."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from annotation.models import TrainingRun
from annotation.services.scoring.scorers import scorer_folder
from annotation.services.scoring.training import TrainingSpec, training_request, trainings_resend
from tests.scorers.judged import judged_set
from tests.scorers.tiny import require_torch, tiny_encoder, torch_on_one_thread
from workers.scorers.backends import load_scorer
from workers.scorers.base import Pair
from workers.scoring.training import training_run, work_folder

require_torch()

# Once: what is stored of a run is tried on both databases with the lexical scorer.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch_on_one_thread()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("encoder"))


def ask(encoder) -> TrainingRun:
    parameters = {"encoder": str(encoder), "epochs": 3, "learning_rate": 1e-3}
    return training_request(
        actor=None,
        data=judged_set(),
        spec=TrainingSpec("transformer", (42, 43), parameters=parameters),
    )


def test_a_run_and_one_that_was_killed_in_its_second_epoch(encoder, monkeypatch):
    from workers.scorers.loop import Loop

    whole = ask(encoder)
    assert training_run(whole.public_id)
    whole.refresh_from_db()
    assert set(whole.losses) == {"42", "43"}
    assert len(whole.losses["42"]["validation"]) == 3
    assert whole.report["libraries"]["torch"]

    killed = ask(encoder)
    real, epochs = Loop._epoch, []

    def dies(self, model, optimizer, train, epoch, *rest):
        epochs.append((self.seed, epoch))
        if epochs[-2:] == [(43, 0), (43, 1)] and len(epochs) == 5:
            raise KeyboardInterrupt
        return real(self, model, optimizer, train, epoch, *rest)

    monkeypatch.setattr(Loop, "_epoch", dies)
    with pytest.raises(KeyboardInterrupt):
        training_run(killed.public_id)
    assert (work_folder(killed) / "seed-42.json").is_file()
    TrainingRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    trainings_resend()
    assert training_run(killed.public_id)
    assert epochs[5:7] == [(43, 1), (43, 2)], "it went on from the last epoch"
    killed.refresh_from_db()
    assert killed.losses == whole.losses
    digests = [
        {name: one["sha256"] for name, one in run.scorer.files.items()} for run in (whole, killed)
    ]
    best = killed.report["chosen"]["seed"]
    losses = killed.losses[str(best)]["validation"]
    refit = [epoch for seed, epoch in epochs[7:] if seed == best][-1 - int(np.argmin(losses)) :]
    assert refit == list(range(1 + int(np.argmin(losses)))), "as many as were best for its seed"
    assert digests[0]["model.safetensors"] == digests[1]["model.safetensors"]
    served = load_scorer("transformer", scorer_folder(killed.scorer))
    assert np.isfinite(served.predict([Pair("Une clause.", "Une phrase.")])).all()


def test_an_encoder_that_is_not_there_is_said_on_the_run(tmp_path):
    run = ask(tmp_path / "none")
    assert not training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.problem["code"]) == ("failed", "encoder_unloadable")
