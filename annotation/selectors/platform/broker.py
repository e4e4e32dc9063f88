"""What Redis knows: messages that wait, and workers that gave a sign of life."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import redis
from django.conf import settings

SIGNS_KEY = "bareme:workers"
# Followed by a queue's name: somebody starts a worker there with the first message.
STANDBY_KEY = "bareme:standby:"
# Written to see whether anything can be.
WRITTEN_KEY = "bareme:written"
_WRITTEN_SECONDS = 60
# A worker gives a sign every 15 seconds; after four missed ones something is wrong.
SIGN_SECONDS = 15.0
SILENT_SECONDS = 60.0
FORGOTTEN_SECONDS = 24 * 3600.0
# Somebody waits for the page that asks.
_PATIENCE_SECONDS = 1.0


@dataclass(frozen=True)
class WorkerSeen:
    """A worker process by its machine and number, and how long ago it gave a sign."""

    host: str
    pid: int
    queues: tuple[str, ...]
    processes: int
    seen_at: datetime
    silent_seconds: float

    @property
    def is_alive(self) -> bool:
        return self.silent_seconds < SILENT_SECONDS


@dataclass(frozen=True)
class BrokerState:
    """``waiting``: messages by queue. ``in_hand``: given to a worker and not yet acknowledged, of
    all queues; those that a killed worker held for as long as Redis waits for it (the visibility
    timeout). ``standby``: queues where a worker starts with the first message. ``is_writable``:
    whether Redis takes a message now."""

    waiting: dict[str, int]
    in_hand: int
    workers: tuple[WorkerSeen, ...]
    standby: frozenset[str] = frozenset()
    is_writable: bool = True

    def serving(self, queue: str) -> int:
        """How many workers that are alive take from it."""
        return sum(worker.is_alive and queue in worker.queues for worker in self.workers)


def queue_names() -> tuple[str, ...]:
    """Every queue that Barème sends to."""
    queues = (
        settings.CELERY_TASK_DEFAULT_QUEUE,
        settings.LLM_QUEUE,
        settings.TRAINING_QUEUE,
        settings.MODELLING_QUEUE,
    )
    return tuple(dict.fromkeys(queues))


def broker_client() -> redis.Redis:
    """A connection that gives up after a second. Close it."""
    url = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://", 1)
    return redis.Redis.from_url(
        url, socket_timeout=_PATIENCE_SECONDS, socket_connect_timeout=_PATIENCE_SECONDS, retry=None
    )


def broker_answers() -> bool:
    """Whether Redis is there and lets us write."""
    try:
        with broker_client() as client:
            return _takes_messages(client)
    except (redis.RedisError, OSError):
        return False


def broker_read() -> BrokerState | None:
    """What waits and who works; None where Redis does not answer."""
    queues = queue_names()
    try:
        with broker_client() as client, client.pipeline(transaction=False) as pipeline:
            for name in queues:
                pipeline.llen(name)
            pipeline.hlen("unacked")
            pipeline.hgetall(SIGNS_KEY)
            pipeline.mget([STANDBY_KEY + name for name in queues])
            pipeline.time()
            *lengths, in_hand, signs, standing, (seconds, _microseconds) = pipeline.execute()
            is_writable = _takes_messages(client)
    except (redis.RedisError, OSError):
        return None
    workers = [_worker(json.loads(sign), float(seconds)) for sign in signs.values()]
    shown = sorted(
        (worker for worker in workers if worker.silent_seconds < FORGOTTEN_SECONDS),
        key=lambda w: (w.host, w.queues),
    )
    standby = frozenset(name for name, by in zip(queues, standing, strict=True) if by)
    waiting = dict(zip(queues, lengths, strict=True))
    return BrokerState(waiting, in_hand, tuple(shown), standby, is_writable)


def standby_renew(queues: Sequence[str]) -> frozenset[str]:
    """Say that a worker of each of these queues starts with the first message, which holds for as
    long as a worker's sign does; gives those in which something waits. None where Redis is away:
    nothing can be sent then either."""
    try:
        with broker_client() as client, client.pipeline(transaction=False) as pipeline:
            for name in queues:
                pipeline.set(STANDBY_KEY + name, 1, ex=int(SILENT_SECONDS))
            for name in queues:
                pipeline.llen(name)
            lengths = pipeline.execute()[len(queues) :]
    except (redis.RedisError, OSError):
        return frozenset()
    return frozenset(name for name, length in zip(queues, lengths, strict=True) if length)


def _takes_messages(client: redis.Redis) -> bool:
    """By writing: one that is full (``noeviction``), a replica, or one whose disk is full answers
    what it is asked, and refuses every message."""
    try:
        return bool(client.set(WRITTEN_KEY, 1, ex=_WRITTEN_SECONDS))
    except redis.ResponseError:
        return False


def _worker(sign: dict[str, object], now: float) -> WorkerSeen:
    at = float(str(sign["at"]))
    return WorkerSeen(
        host=str(sign["host"]),
        pid=int(str(sign["pid"])),
        queues=tuple(str(name) for name in list(sign["queues"])),  # type: ignore[call-overload]  # a list of names
        processes=int(str(sign["processes"])),
        seen_at=datetime.fromtimestamp(at, UTC),
        silent_seconds=max(0.0, now - at),
    )
