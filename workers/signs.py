"""A worker's signs of life, in Redis: which machine, which queues, when.

Read by ``annotation.selectors.platform.broker``.

Celery's own heartbeats and its inspection ask every worker and wait for all answers; a page cannot.
"""

from __future__ import annotations

import json
import logging
import os
import socket
from typing import Any

import redis

from annotation.selectors.platform.broker import (
    FORGOTTEN_SECONDS,
    SIGN_SECONDS,
    SIGNS_KEY,
    broker_client,
)
from annotation.selectors.platform.sign_file import sign_file

log = logging.getLogger(__name__)


def give_signs(consumer: Any) -> None:
    """Now, and then by the clock of the worker's own loop."""
    app = consumer.app
    queues = sorted(app.amqp.queues.consume_from)
    processes = int(getattr(consumer.pool, "num_processes", 1) or 1)
    _sign(queues, processes)
    consumer.timer.call_repeatedly(SIGN_SECONDS, _sign, (queues, processes))


def leave() -> None:
    """Take the sign away; where Redis is away too, it goes by itself after a day."""
    sign_file().unlink(missing_ok=True)
    try:
        with broker_client() as client:
            client.hdel(SIGNS_KEY, _name())
    except (redis.RedisError, OSError) as error:
        log.warning("no leave taken", extra={"kind": type(error).__name__})


def _sign(queues: list[str], processes: int) -> None:
    """In a file of this machine, for its health check, and in Redis by Redis's clock: those of
    machines may differ."""
    try:
        sign_file().touch()
    except OSError as error:
        log.warning("no sign file written", extra={"kind": type(error).__name__})
    try:
        with broker_client() as client:
            seconds, _microseconds = client.time()
            sign = {
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "queues": queues,
                "processes": processes,
                "at": seconds,
            }
            client.hset(SIGNS_KEY, _name(), json.dumps(sign))
            _forget(client, float(seconds))
    except (redis.RedisError, OSError) as error:
        # Celery itself says that it lost its connection and goes on trying.
        log.warning("no sign of life given", extra={"kind": type(error).__name__})


def _forget(client: redis.Redis, now: float) -> None:
    """Workers that were killed leave their sign behind."""
    for name, sign in client.hgetall(SIGNS_KEY).items():
        if now - float(json.loads(sign)["at"]) > FORGOTTEN_SECONDS:
            client.hdel(SIGNS_KEY, name)


def _name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
