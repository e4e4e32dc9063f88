"""How much one person may ask for in a minute, whatever the number of their keys."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.cache import caches
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

log = logging.getLogger("annotation.throttling")


class PersonThrottle(SimpleRateThrottle):
    scope = "person"

    def get_rate(self) -> str:
        # Asked for at each request, so that tests and reloads see the setting of now.
        return f"{settings.API_REQUESTS_PER_MINUTE}/min"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if not request.user.is_authenticated:
            return None  # refused before it costs anything
        return self.cache_format % {"scope": self.scope, "ident": request.user.pk}

    def allow_request(self, request: Request, view: Any) -> bool:
        """Counted for all processes together; for this one alone while Redis does not answer: a
        count is not worth a refused judgment."""
        try:
            return super().allow_request(request, view)
        except RedisError as error:
            log.warning("counting requests locally", extra={"reason": type(error).__name__})
            self.cache = caches["local"]
            return super().allow_request(request, view)
