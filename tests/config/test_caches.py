"""Where requests are counted: in Redis for all processes, in a process's own memory without one or
when it fails."""

from __future__ import annotations

import pytest

from annotation.config import env


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
    assert both_caches["template_fragments"]["BACKEND"].rsplit(".", 1)[1] == "LocMemCache"


def test_pages_open_while_redis_is_away(cast, settings, monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    settings.CACHES = env.env_caches("REDIS_URL")
    assert cast.client("annotator").get("/annotate/alpha/1/").status_code == 200
