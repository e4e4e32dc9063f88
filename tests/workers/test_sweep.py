"""The periodic look: one step that fails keeps no other from its turn."""

from __future__ import annotations

import logging

import pytest

from workers import sweep

pytestmark = pytest.mark.django_db


def test_a_step_that_fails_is_said_and_the_others_are_taken(monkeypatch, caplog):
    taken = []

    def trainings_resend() -> int:
        raise RuntimeError("one study trips over this")

    monkeypatch.setattr(sweep, "trainings_resend", trainings_resend)
    for name in ("batches_look", "repeats_sweep", "reminders_send_due"):
        monkeypatch.setattr(sweep, name, lambda name=name: taken.append(name))
    with caplog.at_level(logging.ERROR, "workers.sweep"):
        sweep.sweep()
    assert taken == ["batches_look", "repeats_sweep", "reminders_send_due"]
    (said,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert said.step == "trainings_resend"
