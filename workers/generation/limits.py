"""Whose turn it is: requests and tokens per minute and calls at once, over all workers of all
machines.

The state is in Redis, the broker of the embedded default included. Turns are handed out one by one,
evenly spaced (the generic cell rate algorithm): a worker gets the moment at which it may begin and
waits for it, so that the limit is used up and never passed, whichever minute the service counts.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import redis
from django.conf import settings

# A slot whose worker died comes free after its call's time-out and this.
_SLOT_MARGIN_SECONDS = 30
_LOOK_SECONDS = 0.1
_LONGEST_PAUSE = 3_600_000
"""In milliseconds."""

# KEYS: next free moment by requests, by tokens, the pause. ARGV: seconds a request takes up,
# seconds its tokens take up, longest wait. Times are Redis's own, in microseconds: workers' clocks
# may differ. Answers the wait in microseconds; negative: too long, nothing was reserved. A key that
# lasts longer than any is given was written while Redis's clock was ahead, and says nothing.
_TURN = """
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local at = now
local pause = redis.call('PTTL', KEYS[3])
if pause > 0 and pause <= 3600000 then at = now + pause * 1000 end
for i = 1, 2 do
  local free = tonumber(redis.call('GET', KEYS[i]) or '0')
  if redis.call('PTTL', KEYS[i]) > 600000 then free = 0 end
  if tonumber(ARGV[i]) > 0 and free > at then at = free end
end
if at - now > tonumber(ARGV[3]) then return -(at - now) end
for i = 1, 2 do
  if tonumber(ARGV[i]) > 0 then
    redis.call('SET', KEYS[i], string.format('%.0f', at + tonumber(ARGV[i])), 'PX', 600000)
  end
end
return at - now
"""

# KEYS: slots as a sorted set by their end. ARGV: how many there are, seconds a slot lasts at most,
# its name. One that lasts for more than two hours was taken while Redis's clock was ahead.
_SLOT = """
local t = redis.call('TIME')
local now = t[1] + t[2] / 1000000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + 7200, '+inf')
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[3])
redis.call('EXPIRE', KEYS[1], math.ceil(ARGV[2]) + 60)
return 1
"""


class TooLong(Exception):
    """The turn is further off than a worker should wait; ``seconds`` says how far."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.1f} s")
        self.seconds = seconds


@dataclass(frozen=True)
class Limits:
    """Of one service; 0 is none."""

    name: str
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    concurrency: int = 0

    @contextmanager
    def turn(self, tokens: int, *, longest: float) -> Iterator[None]:
        """Wait for a slot and a moment, at most ``longest`` seconds each, and hold the slot. Raises
        ``TooLong``."""
        with self._slot(longest):
            self._moment(tokens, longest)
            yield

    def pause(self, seconds: float) -> None:
        """Nobody begins a call for so long: the service asked for it (Retry-After)."""
        milliseconds = int(min(seconds * 1000, _LONGEST_PAUSE))
        left = int(self._redis().pttl(self._key("pause")))
        if not milliseconds <= left <= _LONGEST_PAUSE and milliseconds > 0:
            self._redis().set(self._key("pause"), 1, px=milliseconds)

    def _moment(self, tokens: int, longest: float) -> None:
        by_request = 60_000_000 / self.requests_per_minute if self.requests_per_minute else 0
        by_tokens = 60_000_000 * tokens / self.tokens_per_minute if self.tokens_per_minute else 0
        keys = [self._key("requests"), self._key("tokens"), self._key("pause")]
        wait = int(
            self._script(_TURN)(keys=keys, args=[by_request, by_tokens, longest * 1_000_000])
        )
        if wait < 0:
            raise TooLong(-wait / 1_000_000)
        time.sleep(wait / 1_000_000)

    @contextmanager
    def _slot(self, longest: float) -> Iterator[None]:
        if not self.concurrency:
            yield
            return
        mine = str(uuid.uuid4())
        until = time.monotonic() + longest
        lasts = longest + settings.LLM_TIMEOUT_SECONDS + _SLOT_MARGIN_SECONDS
        while not self._script(_SLOT)(
            keys=[self._key("slots")], args=[self.concurrency, lasts, mine]
        ):
            if time.monotonic() > until:
                raise TooLong(1.0)
            time.sleep(_LOOK_SECONDS)
        try:
            yield
        finally:
            self._redis().zrem(self._key("slots"), mine)

    def _key(self, what: str) -> str:
        # Braces: in a cluster all of one service's keys are on one node, as a script needs them.
        return f"bareme:{{{settings.LLM_QUEUE}:{self.name}}}:{what}"

    def _redis(self) -> redis.Redis:
        return _client(settings.CELERY_BROKER_URL)

    def _script(self, source: str) -> Any:
        return _script(settings.CELERY_BROKER_URL, source)


@cache
def _client(url: str) -> redis.Redis:
    # Celery writes redis+socket:// for what the client calls unix://.
    address = url.replace("redis+socket://", "unix://", 1).replace("?virtual_host=", "?db=")
    client: redis.Redis = redis.Redis.from_url(address, socket_timeout=10, socket_connect_timeout=5)
    return client


@cache
def _script(url: str, source: str) -> Any:
    return _client(url).register_script(source)
