"""Whose turn it is, over all workers, on a real Redis.

Waits are minutes, which nobody sleeps through here, so that the moment which a slow machine takes
between two turns is nothing beside them. Where a test does sleep, turns may come late, but never
too soon.
"""

from __future__ import annotations

import threading
import time
import uuid
from typing import Any

import pytest

from tests.processes import PATIENCE
from workers.generation import limits
from workers.generation.limits import Limits, TooLong

pytestmark = pytest.mark.redis

# What may pass unnoticed between two turns, in seconds.
MOMENT = 20


@pytest.fixture(autouse=True)
def _broker(redis_url, settings):
    settings.CELERY_BROKER_URL = redis_url.replace("unix://", "redis+socket://", 1)
    settings.LLM_QUEUE = f"test-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def slept(monkeypatch):
    """How long each turn would have waited."""
    naps: list[float] = []
    monkeypatch.setattr(limits.time, "sleep", naps.append)
    return naps


def take(limit: Limits, times: int = 1, *, tokens: int = 0, longest: float = 60) -> None:
    for _ in range(times):
        with limit.turn(tokens, longest=longest):
            pass


class TestTurns:
    def test_without_a_limit_nobody_waits(self, slept):
        take(Limits("s"), 5)
        assert slept == [0] * 5

    def test_requests_are_evenly_spaced(self, slept):
        take(Limits("s", requests_per_minute=1), 4, longest=600)
        assert slept[0] == 0
        assert slept == pytest.approx([0, 60, 120, 180], abs=MOMENT)

    def test_tokens_take_up_their_time(self, slept):
        take(Limits("s", tokens_per_minute=60), 3, tokens=50, longest=600)
        assert slept == pytest.approx([0, 50, 100], abs=MOMENT)

    def test_the_stricter_of_both_holds(self, slept):
        take(Limits("s", requests_per_minute=1, tokens_per_minute=60), 3, tokens=10, longest=600)
        assert slept == pytest.approx([0, 60, 120], abs=MOMENT)

    def test_services_do_not_wait_for_each_other(self, slept):
        take(Limits("a", requests_per_minute=6))
        take(Limits("b", requests_per_minute=6))
        assert slept == [0, 0]

    def test_a_turn_too_far_off_is_not_taken(self, slept):
        limit = Limits("s", requests_per_minute=1)
        take(limit)
        for _ in range(2):
            with pytest.raises(TooLong) as caught:
                take(limit, longest=5)
            # The same both times: nothing was reserved by who gave up.
            assert caught.value.seconds == pytest.approx(60, abs=MOMENT)
        assert str(caught.value).endswith(" s")
        assert len(slept) == 1

    def test_after_its_moment_a_turn_is_free(self, slept):
        limit = Limits("s", requests_per_minute=600)
        take(limit)
        threading.Event().wait(0.15)
        take(limit)
        assert slept == [0, 0]

    def test_many_threads_never_pass_the_limit(self):
        limit, moments = Limits("s", requests_per_minute=3000), []
        first = time.monotonic() + 0.2
        limit.pause(0.2)

        def work():
            for _ in range(5):
                with limit.turn(0, longest=10):
                    moments.append(time.monotonic())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # 20 turns, one each 20 ms, from the end of the pause.
        early = [
            number
            for number, moment in enumerate(sorted(moments))
            if moment < first + number * 0.02 - 0.005
        ]
        assert (len(moments), early) == (20, [])


class TestPause:
    def test_nobody_begins_before_its_end(self, slept):
        limit = Limits("s")
        limit.pause(300)
        take(limit, longest=600)
        assert slept == pytest.approx([300], abs=MOMENT)

    def test_a_shorter_one_does_not_end_a_longer_one(self, slept):
        limit = Limits("s")
        limit.pause(300)
        limit.pause(100)
        take(limit, longest=600)
        limit.pause(500)
        take(limit, longest=600)
        assert slept == pytest.approx([300, 500], abs=MOMENT)

    @pytest.mark.parametrize("seconds", [0, 1e-9])
    def test_none_is_none(self, slept, seconds):
        Limits("s").pause(seconds)
        take(Limits("s"))
        assert slept == [0]

    def test_an_hour_is_the_most(self):
        Limits("s").pause(86_400)
        with pytest.raises(TooLong) as caught:
            take(Limits("s"))
        assert caught.value.seconds == pytest.approx(3600, abs=MOMENT)


class TestClockThatWasAhead:
    """Redis's, by a year, as a machine without a battery starts: what was written then would have
    kept everybody waiting for a year."""

    AHEAD = 365 * 86_400

    def test_a_moment_says_nothing(self, slept):
        limit = Limits("s", requests_per_minute=1)
        moment = int((time.time() + self.AHEAD) * 1_000_000)
        limit._redis().set(limit._key("requests"), moment, ex=self.AHEAD + 600)
        take(limit, 2, longest=600)
        assert slept == pytest.approx([0, 60], abs=MOMENT)

    def test_a_pause_says_nothing_and_another_is_kept(self, slept):
        limit = Limits("s")
        limit._redis().set(limit._key("pause"), 1, ex=self.AHEAD + 60)
        take(limit)
        limit.pause(300)
        take(limit, longest=600)
        assert slept == pytest.approx([0, 300], abs=MOMENT)

    def test_a_slot_is_free(self):
        limit = Limits("s", concurrency=1)
        limit._redis().zadd(limit._key("slots"), {"then": time.time() + self.AHEAD})
        take(limit, longest=0)
        assert limit._redis().zcard(limit._key("slots")) == 0


class TestSlots:
    def test_so_many_at_once_and_no_more(self):
        limit = Limits("s", concurrency=2)
        with limit.turn(0, longest=1), limit.turn(0, longest=1), pytest.raises(TooLong):
            take(limit, longest=0)
        take(limit, longest=0)

    def test_a_slot_comes_free_after_a_failure(self):
        limit = Limits("s", concurrency=1)
        with pytest.raises(ZeroDivisionError), limit.turn(0, longest=0):
            raise ZeroDivisionError
        take(limit, longest=0)

    def test_a_turn_too_far_off_leaves_its_slot(self):
        limit = Limits("s", requests_per_minute=1, concurrency=1)
        take(limit)
        for _ in range(2):
            with pytest.raises(TooLong) as caught:
                take(limit, longest=1)
            assert caught.value.seconds > 1

    def test_the_slot_of_a_dead_worker_comes_free(self, settings, monkeypatch):
        limit = Limits("s", concurrency=1)
        dead = limit.turn(0, longest=0)
        dead.__enter__()
        with pytest.raises(TooLong):
            take(limit, longest=0)
        held: Any = limit._redis().zrange(limit._key("slots"), 0, -1, withscores=True)
        ((name, end),) = held
        lasts = settings.LLM_TIMEOUT_SECONDS + limits._SLOT_MARGIN_SECONDS
        assert end - time.time() == pytest.approx(lasts, abs=MOMENT), (
            "at most as long as its call may take"
        )
        limit._redis().zincrby(limit._key("slots"), -2 * lasts, name)  # so much later
        take(limit, longest=0)

    def test_who_waits_gets_the_next_one(self):
        limit = Limits("s", concurrency=1)
        first = limit.turn(0, longest=0)
        first.__enter__()
        waiting = threading.Thread(target=take, args=[limit], kwargs={"longest": PATIENCE})
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        first.__exit__(None, None, None)
        waiting.join(PATIENCE)
        assert not waiting.is_alive()
