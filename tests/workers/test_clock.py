"""The clock of a private machine. That `serve` runs it is tried in tests/config/test_serve.py."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from kombu.asynchronous.timer import Timer
from kombu.exceptions import OperationalError

from workers.celery import app
from workers.clock import Clock

EVERY = 0.1


class Worker(SimpleNamespace):
    """As much of a worker as the step sees; ``away`` makes Redis unreachable for that many sends."""

    def __init__(self, *, away: int = 0) -> None:
        schedule = {"sweep": {"task": "sweep", "schedule": EVERY, "options": {"expires": 30}}}
        application = SimpleNamespace(conf=SimpleNamespace(beat_schedule=schedule), send_task=self.send)
        super().__init__(app=application, timer=Timer(), steps=[], away=away, sent=[])

    def send(self, task: str, **options: Any) -> None:
        if self.away:
            self.away -= 1
            raise OperationalError("Redis is away.")
        self.sent.append((task, options))

    def turn(self, seconds: float) -> None:
        """What the worker's loop does with its timer."""
        until = time.monotonic() + seconds
        for wait, entry in self.timer:
            if entry is not None:
                self.timer.apply_entry(entry)
            if time.monotonic() >= until:
                return
            time.sleep(min(wait or 0.0, 0.01))


def started(worker: Worker) -> Clock:
    step = Clock(worker, clock=True)
    step.include(worker)
    (included,) = worker.steps
    assert included is step
    step.start(worker)
    return step


def test_it_sends_at_once_and_then_by_the_interval():
    worker = Worker()
    started(worker)
    worker.turn(EVERY / 4)
    assert worker.sent == [("sweep", {"expires": 30})]
    worker.turn(5 * EVERY)
    assert 3 <= len(worker.sent) <= 7


def test_it_goes_on_when_redis_was_away(caplog: pytest.LogCaptureFixture):
    worker = Worker(away=2)
    started(worker)
    worker.turn(6 * EVERY)
    assert [record.message for record in caplog.records] == ["not sent by the clock"] * 2
    assert worker.sent


def test_it_stops_with_the_worker():
    worker = Worker()
    step = started(worker)
    step.stop(worker)
    worker.sent.clear()
    worker.turn(3 * EVERY)
    assert len(worker.sent) <= 1, "only what was due already"


def test_other_workers_leave_it_to_beat():
    worker = Worker()
    Clock(worker).include(worker)
    assert worker.steps == []


def test_every_worker_knows_it_and_the_schedule_names_a_task_that_there_is():
    assert "workers.clock:Clock" in app.steps["worker"]
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)
