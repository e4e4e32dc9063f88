"""The periodic look: one step that fails keeps no other from its turn."""

from __future__ import annotations

import logging
import re
import time
from typing import Any

import psycopg2  # type: ignore[import-untyped]
import pytest
from django.conf import settings
from django.db import InternalError, OperationalError

from tests.web.platform.test_read_only import ReadOnlySqlTransaction
from workers import sweep

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_turn_taken():
    """A cache that other tests' sweeps have left nothing in."""
    sweep.cache.delete_many(["sweep-days", "sweep-turn"])
    yield
    sweep.cache.delete_many(["sweep-days", "sweep-turn"])


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
    (said,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert said.step == "trainings_resend"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (OperationalError("no server"), psycopg2.OperationalError("no server")),
        (InternalError("refused"), ReadOnlySqlTransaction()),
    ],
    ids=["away", "takes nothing"],
)
def test_without_a_database_no_other_step_is_tried(monkeypatch, caplog, error, cause):
    """Each would fail with a stack of its own in the log, twice a minute."""
    taken = []

    def trainings_resend() -> int:
        raise error from cause

    monkeypatch.setattr(sweep, "trainings_resend", trainings_resend)
    monkeypatch.setattr(sweep, "batches_look", lambda: taken.append("batches_look"))
    with caplog.at_level(logging.ERROR, "workers.sweep"), pytest.raises(type(error)):
        sweep.sweep()
    assert not taken
    assert not [record for record in caplog.records if record.levelno == logging.ERROR]


def test_what_is_due_after_days_is_not_looked_for_at_every_turn(monkeypatch):
    taken = []
    for name in ("absences_sweep", "repeats_sweep", "batches_look"):
        monkeypatch.setattr(sweep, name, lambda name=name: taken.append(name))
    for _ in range(3):
        sweep.sweep()
    assert taken.count("absences_sweep") == taken.count("repeats_sweep") == 1
    assert taken.count("batches_look") == 3
    sweep.cache.delete("sweep-days")
    sweep.sweep()
    assert taken.count("repeats_sweep") == 2


def test_what_is_sent_again_or_expires_has_its_turn():
    """Whoever writes such a service and forgets the sweep would have it run never."""
    services = (settings.BASE_DIR / "annotation").rglob("*.py")
    names = {
        name
        for path in services
        for name in re.findall(
            r"^def ([a-z]\w+_(?:resend|expire|sweep|send_due|order_due))\(",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    }
    assert len(names) > 20
    assert sorted(name for name in names if not hasattr(sweep, name)) == []


class TestTurns:
    @pytest.fixture
    def swept(self, monkeypatch):
        """How often it was swept."""
        times: list[int] = []
        monkeypatch.setattr(sweep, "sweep", lambda: times.append(1))
        return times

    def test_of_two_clocks_that_strike_together_one_counts(self, swept):
        assert [sweep.turn(), sweep.turn()] == [True, False]
        assert swept == [1]

    def test_the_other_clock_goes_on_when_its_machine_dies(self, swept):
        """The turn that was taken lapses before the next one of any clock that keeps its time."""
        assert sweep.turn()
        assert not sweep.turn(), "struck between two turns of the other"
        # What is left of it when the dead clock's next turn would be due: nothing.
        every: Any = settings.CELERY_BEAT_SCHEDULE["sweep"]["schedule"]
        assert every > sweep._TURN_SECONDS
        assert sweep.cache.touch("sweep-turn", -1)
        assert sweep.turn()
        assert swept == [1, 1]

    def test_a_turn_of_a_clock_that_was_ahead_ends(self, swept):
        """What was taken with the machine's clock a year ahead lapses in a year by Redis's: nothing
        was swept, no backup made, and no restart helped."""
        now = time.time()
        sweep.cache.set("sweep-turn", now + 365 * 86400.0, 365 * 86400)
        assert [sweep.turn(), sweep.turn()] == [True, False]
        assert sweep.cache.touch("sweep-turn", -1)
        sweep.cache.set("sweep-turn", now + 60.0, 60)
        assert not sweep.turn(), "clocks of two machines may be that far apart"
        assert swept == [1]

    def test_without_the_cache_it_is_swept_twice_rather_than_never(self, swept, monkeypatch):
        def gone(*arguments):
            raise ConnectionError("Redis is away")

        monkeypatch.setattr(sweep.cache, "add", gone)
        assert [sweep.turn(), sweep.turn()] == [True, True]
        assert swept == [1, 1]

    def test_the_clock_takes_turns(self):
        assert settings.CELERY_BEAT_SCHEDULE["sweep"]["task"] == sweep.turn.name
