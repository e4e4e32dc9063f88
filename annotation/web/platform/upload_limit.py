"""Uploads that are larger than anything this product reads end here, before a byte of them is
stored."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.web.platform.problems import problem_response
from annotation.web.platform.views.errors import wants_json

_CHUNK_BYTES = 256 * 1024
_MOST_READ_BYTES = 512 * 1024 * 1024
_MOST_READ_SECONDS = 30.0


class UploadLimitMiddleware:
    """Answers 413 to a body that announces more than ``UPLOAD_LIMIT_BYTES``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: object, kwargs: object
    ) -> HttpResponse | None:
        """Refuse before the CSRF check reads the body, and late enough to answer in the reader's
        language."""
        limit: int = settings.UPLOAD_LIMIT_BYTES
        size = _announced(request)
        if size <= limit:
            return None
        _read_away(request)
        sizes = {"size": _megabytes(size), "limit": _megabytes(limit)}
        if wants_json(request):
            title = _("This is %(size)s MB; at most %(limit)s MB are read.") % sizes
            return problem_response(413, "too_large", title)
        return render(request, "413.html", sizes, status=413)


def _announced(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _megabytes(size: int) -> int:
    return max(1, round(size / 1024 / 1024))


def _read_away(request: HttpRequest) -> None:
    # A browser shows "connection reset" instead of the answer when the server closes while it is
    # still sending.
    until, left = time.monotonic() + _MOST_READ_SECONDS, _MOST_READ_BYTES
    try:
        while left > 0 and time.monotonic() < until:
            read = len(request.read(_CHUNK_BYTES))
            if not read:
                return
            left -= read
    except OSError:
        return
