"""The clock of a private machine, in its worker's own loop; larger installations run ``celery
beat``.

Celery's embedded beat does the same in a process of its own, which at rest holds a tenth of all
memory.

Rests on a part of Celery that is documented in its outline only: a step of a worker (bootsteps)
that uses the worker's timer.

What would remove it: an embedded beat that lives in its worker's own process, or a machine with
memory to spare, which runs ``celery beat`` as larger installations do.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from celery import bootsteps
from kombu.exceptions import OperationalError

READ_AGAINST = "5.7"
"""The Celery that this was read against (``tests/house/test_read_against.py``)."""
log = logging.getLogger(__name__)


class Clock(bootsteps.StartStopStep):  # type: ignore[misc]  # Celery has no types
    """Sends what CELERY_BEAT_SCHEDULE says, at the start and then by its intervals. Only
    ``app.Worker(clock=True)``."""

    conditional = True
    requires = ("celery.worker.components:Timer",)

    def __init__(self, worker: Any, clock: bool = False, **options: Any) -> None:
        self.enabled = clock
        self.entries: list[Any] = []
        super().__init__(worker, **options)

    def start(self, worker: Any) -> None:
        for entry in worker.app.conf.beat_schedule.values():
            send = partial(_send, worker.app, entry["task"], entry.get("options", {}))
            # What was left lying when the machine stopped need not wait.
            worker.timer.call_after(0, send)
            self.entries.append(worker.timer.call_repeatedly(entry["schedule"], send))

    def stop(self, worker: Any) -> None:
        while self.entries:
            self.entries.pop().cancel()


def _send(app: Any, task: str, options: dict[str, Any]) -> None:
    try:
        app.send_task(task, **options)
    except OperationalError as error:
        # Redis is away: Celery says so itself and goes on trying, and the next turn comes.
        log.warning("not sent by the clock", extra={"task": task, "kind": type(error).__name__})
