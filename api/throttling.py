"""How much one person may ask for in a minute, whatever the number of their keys.

REST framework's own throttle keeps the moment of every request, reads and writes all of them at
each, and loses some where two processes do so at once. With Redis that took a tenth to a seventh of
the CPU of a judgment by the API. A count of the minute is enough here.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from threading import Lock
from time import time
from typing import Any, ClassVar

from django.conf import settings
from django.core.cache import cache
from django.core.cache.backends.base import BaseCache
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

MINUTE = 60
SHARES = 100
"""A process adds its requests to the count of all when they are this part of what is allowed."""
log = logging.getLogger("annotation.throttling")


@dataclass
class Count:
    """What a process knows of one person's requests in this minute."""

    minute: int
    everywhere: int = 0
    """Of all processes, when this one last added its own."""
    added: bool = False
    since: int = 0


class PersonThrottle(BaseThrottle):
    """So many requests in a minute of the clock. Processes that share a Redis count together: where
    somebody asks several of them, each may let a hundredth of the limit pass beyond it."""

    shared: BaseCache = cache
    clock = staticmethod(time)
    _counts: ClassVar[dict[int, Count]] = {}
    _lock = Lock()

    def allow_request(self, request: Request, view: Any) -> bool:
        if not request.user.is_authenticated:
            return True  # refused before it costs anything
        limit = settings.API_REQUESTS_PER_MINUTE
        person, minute = request.user.pk, int(self.clock() // MINUTE)
        with self._lock:
            count = self._of(person, minute)
            count.since += 1
            if count.added and count.since < limit // SHARES:
                return count.everywhere + count.since <= limit
            more, count.since, count.added = count.since, 0, True
            count.everywhere += more
        everywhere = self._add(person, minute, more)
        with self._lock:
            # Of this process alone while Redis is away or has lost its count.
            count.everywhere = max(count.everywhere, everywhere)
            return count.everywhere <= limit

    def wait(self) -> float:
        """Seconds until the next minute."""
        return MINUTE - self.clock() % MINUTE

    @classmethod
    def forget(cls) -> None:
        """As a process does that has just started."""
        with cls._lock:
            cls._counts.clear()

    def _of(self, person: int, minute: int) -> Count:
        """Those of former minutes go with the first request of a new one."""
        if next((count.minute for count in self._counts.values()), minute) != minute:
            self._counts.clear()
        return self._counts.setdefault(person, Count(minute))

    def _add(self, person: int, minute: int, more: int) -> int:
        """The count of all processes with these; 0 where Redis does not answer: a count is not
        worth a refused judgment."""
        key = f"throttle:{person}:{minute}"
        try:
            try:
                return self.shared.incr(key, more)
            except ValueError:  # the first of this minute
                self.shared.add(key, 0, timeout=2 * MINUTE)
                return self.shared.incr(key, more)
        except (RedisError, ValueError) as error:
            log.warning("counting requests locally", extra={"reason": type(error).__name__})
            return 0
