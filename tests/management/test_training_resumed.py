"""A training that was killed is gone on with by its command, at once: its lease need not lapse."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import uuid
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Scorer, TrainingRun
from annotation.scoring.errors import ScoringError
from annotation.services.scoring.training import (
    MOST_ATTEMPTS,
    TrainingSpec,
    training_request,
    trainings_resend,
)
from tests.processes import until
from tests.scorers.judged import judged_set, quick_trainings
from workers.scoring import training as module
from workers.scoring.held import held, is_abandoned
from workers.scoring.training import device, training_run, work_folder

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture(autouse=True)
def sent_runs(monkeypatch) -> list[str]:
    run_ids: list[str] = []
    monkeypatch.setattr("annotation.jobs._send", lambda _, *given, **__: run_ids.append(given[0]))
    quick_trainings(monkeypatch)
    return run_ids


def ask() -> TrainingRun:
    return training_request(
        actor=None, data=judged_set(), spec=TrainingSpec("lexical", (42, 43)), send=False
    )


def killed(monkeypatch) -> TrainingRun:
    """A run whose process ended in its second seed without a word: it still says that it runs."""
    run, real = ask(), module.train_seed

    def dies(training, seed):
        if seed == 43:
            raise KeyboardInterrupt
        return real(training, seed)

    monkeypatch.setattr(module, "train_seed", dies)
    with pytest.raises(KeyboardInterrupt):
        training_run(run.public_id)
    monkeypatch.setattr(module, "train_seed", real)
    run.refresh_from_db()
    assert run.state == "running"
    assert run.lease_until is not None
    assert run.lease_until > timezone.now()
    return run


def said(*given: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("train_scorer", *given, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_it_goes_on_at_once_from_where_it_stood(monkeypatch):
    run = killed(monkeypatch)
    first = (work_folder(run) / "seed-42.json").read_bytes()
    report = json.loads(said("--resume", str(run.public_id), "--json")[0])
    run.refresh_from_db()
    assert (run.state, run.attempt) == ("done", 2)
    assert report["scorer"] == Scorer.objects.get().version
    assert report["seeds"][0]["seconds"] == json.loads(first)["seconds"], "not done again"
    with pytest.raises(CommandError, match="is done: its scorer is v1"):
        said("--resume", str(run.public_id))


def test_what_other_code_finished_is_done_again(monkeypatch):
    run = killed(monkeypatch)
    stored = work_folder(run) / "seed-42.json"
    former = json.loads(stored.read_text("utf-8"))
    stored.write_text(json.dumps(former | {"validation_rmse": 0.0}), "utf-8")
    monkeypatch.setattr(module, "code_version", lambda: "after an upgrade")
    report = json.loads(said("--resume", str(run.public_id), "--json")[0])
    assert report["seeds"][0]["validation_rmse"] == former["validation_rmse"]


def test_another_training_need_not_wait_for_the_dead_one(monkeypatch, tmp_path):
    dead = killed(monkeypatch)
    monkeypatch.setattr(
        "workers.management.commands.train_scorer._data", lambda _: (None, judged_set())
    )
    output, warned = said("any-1", "--seeds", "42")
    assert "Scorer v1" in output
    assert f"--resume {dead.public_id}" in warned
    dead.refresh_from_db()
    assert dead.state == "queued"
    said("--resume", str(dead.public_id))
    assert Scorer.objects.count() == 2


def test_a_process_that_is_at_it_keeps_it(monkeypatch):
    run = killed(monkeypatch)
    with held(work_folder(run)):
        assert not is_abandoned(run, work_folder(run))
        with pytest.raises(CommandError, match="still at this training"):
            said("--resume", str(run.public_id))
        with held(work_folder(run)):
            "goes on without: the lease decides"
    assert is_abandoned(run, work_folder(run))
    TrainingRun.objects.update(device="elsewhere:cuda")
    with pytest.raises(CommandError, match="runs on elsewhere:cuda"):
        said("--resume", str(run.public_id))
    run.refresh_from_db()
    assert not is_abandoned(run, work_folder(run))
    assert not is_abandoned(run, work_folder(ask()))


def test_it_is_kept_until_the_row_says_how_it_ended(monkeypatch):
    abandoned, run, real = [], ask(), module.training_fail

    def refused(*_):
        raise ScoringError("too_few_sources", "Trop peu.", "Too few.")

    def ends(**given):
        given["run"].refresh_from_db()
        abandoned.append(is_abandoned(given["run"], work_folder(run)))
        return real(**given)

    monkeypatch.setattr(module, "_trained", refused)
    monkeypatch.setattr(module, "training_fail", ends)
    assert not training_run(run.public_id)
    assert abandoned == [False], "another process would have given it back"
    run.refresh_from_db()
    assert run.state == "failed"


def test_the_kernel_frees_what_was_killed(tmp_path):
    source = (
        "import fcntl, sys, time\n"
        "file = open(sys.argv[1], 'ab')\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print('held', flush=True)\n"
        "time.sleep(600)\n"
    )
    run = TrainingRun(state="running", device=device("lexical"))
    with subprocess.Popen(
        [sys.executable, "-c", source, str(tmp_path / "held")], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        assert not is_abandoned(run, tmp_path)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert is_abandoned(run, tmp_path)
    assert not is_abandoned(run, tmp_path / "none"), "nothing is known of it"


def test_what_cannot_be_gone_on_with(monkeypatch, sent_runs):
    with pytest.raises(CommandError, match="There is no training"):
        said("--resume", str(uuid.uuid4()))
    run = killed(monkeypatch)
    with pytest.raises(CommandError, match="no data beside it"):
        said("any-1", "--resume", str(run.public_id))
    TrainingRun.objects.update(attempt=MOST_ATTEMPTS)
    with pytest.raises(CommandError, match="too many their lives"):
        said("--resume", str(run.public_id))
    TrainingRun.objects.update(attempt=1)
    sent_runs.clear()
    assert said("--resume", str(run.public_id), "--queue")[0].strip() == str(run.public_id)
    assert sent_runs == [str(run.public_id)]


def test_what_failed_or_was_stopped_goes_on_too(sent_runs):
    run = ask()
    TrainingRun.objects.update(state="failed", problem={"code": "x", "fr": "x", "en": "x"})
    said("--resume", str(run.public_id))
    run.refresh_from_db()
    assert run.state == "done"
    assert sent_runs == []


def test_one_that_counted_as_dead_hears_that_it_was_taken_over(monkeypatch):
    run, real = ask(), module.train_seed

    def late(training, seed):
        TrainingRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert trainings_resend() == 1
        assert until(lambda: training.heartbeat._lost)
        return real(training, seed)

    monkeypatch.setattr(module, "train_seed", late)
    with pytest.raises(CommandError, match="was taken over: for longer than its lease"):
        said("--resume", str(run.public_id))
    run.refresh_from_db()
    assert (run.state, run.attempt) == ("queued", 1)


def test_another_process_may_have_been_quicker(monkeypatch):
    run = ask()

    def other(_public_id):
        TrainingRun.objects.update(state="running", device="elsewhere:cpu", attempt=1)
        return False

    monkeypatch.setattr("workers.management.commands.train_scorer.training_run", other)
    with pytest.raises(CommandError, match="Another process has gone on"):
        said("--resume", str(run.public_id))
    TrainingRun.objects.update(
        state="queued", device="", lease_until=timezone.now() + timedelta(hours=1)
    )
    monkeypatch.setattr("workers.management.commands.train_scorer.training_run", lambda _: False)
    with pytest.raises(CommandError, match=f"for --resume {run.public_id}"):
        said("--resume", str(run.public_id))
