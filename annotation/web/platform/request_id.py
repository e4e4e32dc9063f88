"""A number for each request, by which its log lines are found again."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from annotation.errors import request_reference
from annotation.web.platform.metrics import view_label

log = logging.getLogger("annotation.access")
HEADER = "X-Request-ID"
# Read out over the telephone: no letter that looks like a digit, or like another one.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


class RequestIdMiddleware:
    """Gives the request its number: always our own, since what a client sends would end in the
    log. By it the scripts that keep pages tell our refusals from what a proxy answers in our stead
    (``static/js/judging/keeping.js``, ``worker.js``)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        reference = new_reference()
        request.reference = reference  # type: ignore[attr-defined]  # the log filter looks for it
        token, begun = request_reference.set(reference), time.perf_counter()
        try:
            response = self.get_response(request)
            if settings.ACCESS_LOG:
                note(request, response.status_code, time.perf_counter() - begun)
        finally:
            request_reference.reset(token)
        # A file that browsers keep for good will answer requests that never come here.
        if "immutable" not in response.get("Cache-Control", ""):
            response[HEADER] = reference
        return response


def note(request: HttpRequest, status: int, seconds: float) -> None:
    """One line for this answer: its view and never its address, which may hold the secret of a
    link or the key of a study."""
    own = {"method": request.method, "view": view_label(request), "status": status}
    log.info("answered", extra=own | {"milliseconds": round(seconds * 1000, 1)})


def new_reference() -> str:
    """Twelve characters in three groups: 31^12 of them, so that two do not meet."""
    # Drawn once: each draw asks the kernel, and every request draws.
    number, letters = secrets.randbelow(len(_ALPHABET) ** 12), ""
    for _ in range(12):
        number, digit = divmod(number, len(_ALPHABET))
        letters += _ALPHABET[digit]
    return "-".join((letters[:4], letters[4:8], letters[8:]))
