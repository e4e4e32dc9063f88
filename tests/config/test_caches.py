"""Where requests are counted: in Redis for all processes, in a process's own memory without one or
when it fails."""

from __future__ import annotations

import uuid

import pytest
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache

from annotation.config import env
from annotation.services.accounts.tokens import token_create
from api.throttling import PersonThrottle
from tests.factories import make_user


def test_without_a_server_each_process_counts_for_itself(monkeypatch):
    monkeypatch.delenv("REDIS_URL", raising=False)
    assert {
        cache["BACKEND"].rsplit(".", 1)[1] for cache in env.env_caches("REDIS_URL").values()
    } == {"LocMemCache"}


@pytest.mark.parametrize(
    ("url", "location"),
    [
        ("redis://h:6379/1", "redis://h:6379/1"),
        ("redis+socket:///run/r.sock", "unix:///run/r.sock"),
    ],
)
def test_with_one_all_count_there(monkeypatch, url, location):
    monkeypatch.setenv("REDIS_URL", url)
    both_caches = env.env_caches("REDIS_URL")
    assert (
        both_caches["default"]["BACKEND"].rsplit(".", 1)[1],
        both_caches["default"]["LOCATION"],
    ) == (
        "RedisCache",
        location,
    )
    # What pages are made of stays in the process: they must open while Redis is away.
    assert {
        both_caches[name]["BACKEND"].rsplit(".", 1)[1] for name in ("local", "template_fragments")
    } == {"LocMemCache"}


@pytest.fixture
def ask(db, client, settings):
    """One request to the API, by one person; three a minute are answered."""
    settings.API_REQUESTS_PER_MINUTE = 3
    _token, secret = token_create(actor=make_user(), name="t", scopes=["read"], days=1)
    return lambda: (
        client.get("/api/v1/me/", headers={"authorization": f"Bearer {secret}"}).status_code
    )


def shared(url: str, monkeypatch) -> RedisCache:
    options = {
        "KEY_PREFIX": uuid.uuid4().hex,
        "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 0.5},
    }
    cache = RedisCache(url, options)
    monkeypatch.setattr(PersonThrottle, "cache", cache)
    return cache


@pytest.mark.redis
def test_two_processes_share_one_count(ask, redis_url, monkeypatch):
    shared(redis_url.replace("redis+socket://", "unix://", 1), monkeypatch)
    assert [ask() for _ in range(4)] == [200, 200, 200, 429]
    # Another process has other memory and the same Redis.
    caches["local"].clear()
    assert ask() == 429


def test_a_redis_that_is_away_refuses_nobody_and_removes_no_limit(ask, monkeypatch):
    caches["local"].clear()
    shared("redis://127.0.0.1:1/0", monkeypatch)
    assert [ask() for _ in range(4)] == [200, 200, 200, 429]


def test_pages_open_while_redis_is_away(cast, settings, monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    settings.CACHES = env.env_caches("REDIS_URL")
    assert cast.client("annotator").get("/annotate/alpha/1/").status_code == 200
