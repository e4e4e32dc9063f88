"""The transformer through a whole run: losses told; a killed worker goes on from its last epoch;
served whole."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import TrainingRun
from annotation.services.platform.stored_files import file_read
from annotation.services.scoring.scorers import scorer_folder
from annotation.services.scoring.training import TrainingSpec, training_request, trainings_resend
from annotation.web.scoring.presenters import report_context
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
        {name: file["sha256"] for name, file in run.scorer.files.items()} for run in (whole, killed)
    ]
    best = killed.report["chosen"]["seed"]
    losses = killed.losses[str(best)]["validation"]
    refit = [epoch for seed, epoch in epochs[7:] if seed == best][-1 - int(np.argmin(losses)) :]
    assert refit == list(range(1 + int(np.argmin(losses)))), "as many as were best for its seed"
    assert digests[0]["model.safetensors"] == digests[1]["model.safetensors"]
    served = load_scorer("transformer", scorer_folder(killed.scorer))
    assert np.isfinite(served.predict([Pair("Une clause.", "Une phrase.")])).all()


def test_a_published_recipe_to_the_letter(encoder, monkeypatch):
    from dataclasses import replace

    from annotation.scoring import presets

    small = {"encoder": str(encoder), "epochs": 2, "patience": 2, "batch": 16}
    monkeypatch.setitem(
        presets.PRESETS, "judgebert-da", replace(presets.PRESETS["judgebert-da"], hold_out=10)
    )
    laws = (
        "\n".join(
            f"{word}{number} a{word}{number} b{word}{number} c{word}{number} d"
            for number in range(60)
        )
        for word in ("piéton", "cycliste")
    )
    data = judged_set()
    run = training_request(
        actor=None,
        data=data,
        spec=TrainingSpec(
            "transformer",
            (42, 43),
            preset="judgebert-da",
            corpus="\n\f\n".join(laws).encode(),
            parameters=small,
        ),
    )
    assert run.augment
    assert (run.parameters["labels"], run.parameters["epochs"]) == ("raw", 2)
    assert training_run(run.public_id), TrainingRun.objects.get(pk=run.pk).problem
    run.refresh_from_db()
    preset = run.report["preset"]
    assert (preset["name"], preset["hold_out"]["pairs"]) == ("judgebert-da", 10)
    assert 0 <= preset["hold_out"]["identical"]["mean"] <= 1
    shown = report_context(run.report)["preset"]
    assert (shown["pairs"], shown["unrelated"][-1]) == (10, "%")
    bare = {**run.report, "preset": {**preset, "hold_out": None}}
    assert report_context(bare)["preset"]["pairs"] == 0
    for seed in run.report["seeds"]:
        # 60 items and two made-up pairs of each, split together.
        assert seed["sizes"] == {"train": 108, "validation": 18, "test": 54}
    splits = file_read(*(run.files["splits.csv"][name] for name in ("path", "sha256"))).decode()
    assert len(splits.splitlines()) == 1 + 2 * 60, "items alone are listed"
    predictions = file_read(*(run.files["predictions.csv"][name] for name in ("path", "sha256")))
    assert predictions.count(b"identical") + predictions.count(b"unrelated") > 20


def test_a_preset_that_there_is_not():
    for spec in (
        TrainingSpec("transformer", (42,), preset="none"),
        TrainingSpec("lexical", (42,), preset="judgebert"),
    ):
        with pytest.raises(RuleError) as refused:
            training_request(actor=None, data=judged_set(), spec=spec)
        assert refused.value.problems[0].code == "unknown"


def test_an_encoder_that_is_not_there_is_said_on_the_run(tmp_path):
    run = ask(tmp_path / "none")
    assert not training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.problem["code"]) == ("failed", "encoder_unloadable")
