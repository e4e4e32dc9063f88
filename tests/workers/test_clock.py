"""The clock of a private machine. That `serve` runs it is tried in tests/config/test_serve.py."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from kombu.asynchronous.timer import Timer
from kombu.exceptions import OperationalError

from workers.celery import app
from workers.clock import Clock

EVERY = 0.1


class Worker(SimpleNamespace):
    """As much of a worker as the step sees; ``away`` makes Redis unreachable for that many
    sends."""

    def __init__(self, *, away: int = 0) -> None:
        schedule = {"sweep": {"task": "sweep", "schedule": EVERY, "options": {"expires": 30}}}
        application = SimpleNamespace(
            conf=SimpleNamespace(beat_schedule=schedule), send_task=self.send
        )
        super().__init__(app=application, timer=Timer(), steps=[], away=away, sent=[], moments=[])

    def send(self, task: str, **options: Any) -> None:
        if self.away:
            self.away -= 1
            raise OperationalError("Redis is away.")
        self.sent.append((task, options))
        self.moments.append(time.monotonic())

    def turn(self, enough: Callable[[], bool]) -> None:
        """What the worker's loop does with its timer, until it is enough."""
        for wait, entry in self.timer:
            if entry is not None:
                self.timer.apply_entry(entry)
            if enough():
                return
            time.sleep(wait or 0.0)


def started(worker: Worker) -> Clock:
    step = Clock(worker, clock=True)
    step.include(worker)
    (included,) = worker.steps
    assert included is step
    step.start(worker)
    return step


def test_it_sends_at_once_and_then_by_the_interval():
    worker, begun = Worker(), time.monotonic()
    started(worker)
    worker.turn(lambda: True)
    assert worker.sent == [("sweep", {"expires": 30})]
    worker.turn(lambda: len(worker.sent) == 4)
    for earlier, later in pairwise([begun, *worker.moments[1:]]):
        assert later - earlier > 0.9 * EVERY, "late on a slow machine, early on none"


def test_it_goes_on_when_redis_was_away(caplog: pytest.LogCaptureFixture):
    worker = Worker(away=2)
    started(worker)
    worker.turn(lambda: bool(worker.sent))
    assert [record.message for record in caplog.records] == ["not sent by the clock"] * 2


def test_it_stops_with_the_worker():
    worker = Worker()
    step = started(worker)
    step.stop(worker)
    worker.turn(lambda: not len(worker.timer))
    assert len(worker.sent) <= 1, "only what was due already, and nothing is to come"


def test_other_workers_leave_it_to_beat():
    worker = Worker()
    Clock(worker).include(worker)
    assert worker.steps == []


def test_every_worker_knows_it_and_the_schedule_names_a_task_that_there_is():
    assert "workers.clock:Clock" in app.steps["worker"]
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)
