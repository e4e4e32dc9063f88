"""Workers that start with the first message of their queue: on a private machine nobody may ask a
model or train a scorer for weeks, and each of them holds a fifth of what everything holds at
rest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from annotation.management.supervisor import Child
from annotation.selectors.platform.broker import standby_renew

_LOOK_EVERY_SECONDS = 0.5


class Standby:
    """Looks after the queues whose workers have not been wanted yet, twice a second."""

    def __init__(self) -> None:
        self._queues: dict[str, Child] = {}
        self._waiting: frozenset[str] = frozenset()
        self._look_at = 0.0

    def start_with(self, queue: str, child: Child) -> None:
        """This child, which takes from this queue, starts when something waits there."""
        self._queues[queue] = child
        child.wanted = partial(self._is_wanted, queue)

    def _is_wanted(self, queue: str) -> bool:
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + _LOOK_EVERY_SECONDS
            self._waiting = standby_renew(self._not_started())
        return queue in self._waiting

    def _not_started(self) -> Sequence[str]:
        return [queue for queue, child in self._queues.items() if not child.started_at]
