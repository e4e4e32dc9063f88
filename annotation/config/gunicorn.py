"""How gunicorn serves Barème, wherever it is started: `gunicorn --config
python:annotation.config.gunicorn …`."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation.config.settings import (
    LOGGING,
    WEB_BIND,
    WEB_DRAIN_SECONDS,
    WEB_GRACEFUL_SECONDS,
    WEB_PROCESSES,
    WEB_THREADS,
)
from annotation.draining import drain_before_stop
from annotation.garbage import garbage_settle

_MEMORY = "/dev/shm"  # noqa: S108  (gunicorn makes files of its own there)

bind = WEB_BIND
workers = WEB_PROCESSES
threads = WEB_THREADS
worker_class = "annotation.config.web_worker.EvenWorker"
# Loaded once and forked: half the memory, and a wrong setting stops the start instead of each
# process.
preload_app = True
timeout = 60
graceful_timeout = WEB_GRACEFUL_SECONDS
# The proxy in front must let go of idle connections sooner (Caddyfile: 10 s), or it sends into a
# closing one.
keepalive = 15
loglevel = "warning"
# Its own lines as all others: one JSON object each, where logs are collected.
logconfig_dict = {
    **LOGGING,
    "loggers": LOGGING["loggers"] | {"gunicorn.error": LOGGING["root"] | {"propagate": False}},
}
control_socket_disable = True
# On a file system in memory: a slow disk must not look like a process that hangs.
worker_tmp_dir = _MEMORY if os.access(_MEMORY, os.W_OK) else None


def refuse_in_words(
    kind: type[BaseException], error: BaseException, stack: TracebackType | None
) -> None:
    """What a start is refused for says itself what to do, as under `manage.py`; all else is shown
    with its stack."""
    if isinstance(error, ImproperlyConfigured):
        sys.stderr.write(f"{error}\n")
    else:
        sys.__excepthook__(kind, error, stack)


# Gunicorn has no hook of its own for an application that does not load.
sys.excepthook = refuse_in_words


def on_starting(server: Any) -> None:
    """Before the first process: what earlier ones counted is over."""
    from annotation.web.platform.metrics import metrics_clean

    metrics_clean()


def when_ready(server: Any) -> None:
    """Once it listens, and before it has processes."""
    if WEB_DRAIN_SECONDS:
        drain_before_stop(WEB_DRAIN_SECONDS)


def on_exit(server: Any) -> None:
    """After the last process."""
    from annotation.web.platform.metrics import metrics_end

    metrics_end()


def pre_fork(server: Any, worker: Any) -> None:
    """Before each process."""
    garbage_settle()


def post_fork(server: Any, worker: Any) -> None:
    """In each process, before it has a connection. What is loaded before the fork is the workers'
    of `serve` as well, who wait as long as it takes."""
    from annotation.web.platform.lock_waits import lock_waits_bound

    lock_waits_bound()


def child_exit(server: Any, worker: Any) -> None:
    """What a process counted stays; what it measured of itself goes with it."""
    from django.conf import settings

    if settings.METRICS_TOKEN:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid, path=str(settings.METRICS_DIR))  # type: ignore[no-untyped-call]
