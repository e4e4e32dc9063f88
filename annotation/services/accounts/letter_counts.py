"""How many letters one wish may cause: whoever has the address must not have their mail filled."""

from __future__ import annotations

from django.core.cache import cache
from redis.exceptions import RedisError

from annotation.models import User

HOUR = 3600
LETTERS_AN_HOUR = 3


def letter_may_go(kind: str, user: User) -> bool:
    """Whether one more of this kind may go on behalf of this account. Where processes share no
    cache, each counts its own."""
    counted = f"{kind}-letters:{user.pk}"
    try:
        cache.add(counted, 0, timeout=HOUR)
        return cache.incr(counted) <= LETTERS_AN_HOUR
    except (RedisError, ValueError):
        # Better one letter too many than none to whoever waits for it.
        return True
