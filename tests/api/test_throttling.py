"""What one person may ask for in a minute: counted in Redis for all processes, in a process's own
memory without one or while it is away."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from django.test import Client

from annotation.services.accounts.tokens import token_create
from api.throttling import PersonThrottle
from tests.factories import make_user

Ask = Callable[[], int]
MORNING = 1_800_000_000.0 - 1_800_000_000.0 % 60


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock, in seconds since a minute began."""

    def at(seconds: float) -> None:
        monkeypatch.setattr(PersonThrottle, "clock", staticmethod(lambda: MORNING + seconds))

    at(5)
    return at


@pytest.fixture
def ask(db: None, client: Client, settings: Any, now: Callable[[float], None]) -> Ask:
    """One request to the API, by one person; three a minute are answered."""
    settings.API_REQUESTS_PER_MINUTE = 3
    _token, secret = token_create(actor=make_user(), name="t", scopes=["read"], days=1)
    return lambda: (
        client.get("/api/v1/me/", headers={"authorization": f"Bearer {secret}"}).status_code
    )


def shared(url: str, monkeypatch: pytest.MonkeyPatch) -> BaseCache:
    """A Redis in which nobody has counted yet."""
    options = {
        "KEY_PREFIX": uuid.uuid4().hex,
        "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 0.5},
    }
    cache = RedisCache(url, options)
    monkeypatch.setattr(PersonThrottle, "shared", cache)
    return cache


class Told(LocMemCache):
    """Counts as Redis does, and knows what it was told."""

    def __init__(self) -> None:
        super().__init__(uuid.uuid4().hex, {})
        self.added: list[int] = []

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        count = super().incr(key, delta, version)
        self.added.append(delta)
        return count


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    cache = Told()
    monkeypatch.setattr(PersonThrottle, "shared", cache)
    return cache


def test_the_next_minute_begins_at_nothing(ask: Ask, now: Callable[[float], None]) -> None:
    assert [ask() for _ in range(4)] == [200, 200, 200, 429]
    now(59.9)
    assert ask() == 429
    now(60)
    assert [ask() for _ in range(4)] == [200, 200, 200, 429]


def test_a_program_is_told_to_wait_for_the_next_minute(now: Callable[[float], None]) -> None:
    now(48)
    assert PersonThrottle().wait() == 12


@pytest.mark.redis
def test_two_processes_share_one_count(
    ask: Ask, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared(redis_url.replace("redis+socket://", "unix://", 1), monkeypatch)
    assert [ask() for _ in range(4)] == [200, 200, 200, 429]
    # Another process has other memory and the same Redis.
    PersonThrottle.forget()
    assert ask() == 429


def test_a_process_adds_up_a_hundredth_before_it_counts_with_others(
    ask: Ask, settings: Any, told: Told
) -> None:
    settings.API_REQUESTS_PER_MINUTE = 400
    assert {ask() for _ in range(9)} == {200}
    assert told.added == [1, 4, 4]


def test_two_processes_let_no_more_than_a_hundredth_pass_beyond_the_limit(
    ask: Ask, settings: Any, told: Told
) -> None:
    settings.API_REQUESTS_PER_MINUTE = 200
    assert {ask() for _ in range(110)} == {200}
    PersonThrottle.forget()
    answered = [ask() for _ in range(110)]
    passed = answered.index(429)
    assert 90 <= passed <= 92
    assert set(answered[passed:]) == {429}


def test_a_count_that_redis_has_lost_is_kept_by_the_process(ask: Ask, told: Told) -> None:
    assert [ask() for _ in range(2)] == [200, 200]
    told.clear()
    assert [ask() for _ in range(2)] == [200, 429]


def test_a_redis_that_is_away_refuses_nobody_and_removes_no_limit(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared("redis://127.0.0.1:1/0", monkeypatch)
    assert [ask() for _ in range(4)] == [200, 200, 200, 429]
