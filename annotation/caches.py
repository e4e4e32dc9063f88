"""Where what all processes count together is kept."""

from __future__ import annotations

from typing import Any


def caches_at(url: str) -> dict[str, Any]:
    """Django's caches: the Redis at this address where there is one, for all processes; else each
    process its own memory.

    ``template_fragments``, in which Django's cache tag looks, is always a process's own: no page
    may wait for another server, or fail with it.
    """
    memory = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    own = {"template_fragments": memory | {"LOCATION": "template_fragments"}}
    if not url:
        return {"default": memory | {"LOCATION": "default"}, **own}
    shared = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url.replace("redis+socket://", "unix://", 1),
        # The queues are in the same place.
        "KEY_PREFIX": "bareme-cache",
        # A request waits for a count no longer than this.
        "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 0.5},
    }
    return {"default": shared, **own}
