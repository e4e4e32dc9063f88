"""Bodies that are larger than what is read of their kind end here, before a byte of them is
stored: files, rows as JSON, and anything else."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil

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
    """Answers 413 to a body that announces more than its kind may have: ``UPLOAD_LIMIT_BYTES``
    where files are sent, ``DATA_UPLOAD_MAX_MEMORY_SIZE`` where a view's class says
    ``many_rows``, else ``BODY_LIMIT_BYTES``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: object, kwargs: object
    ) -> HttpResponse | None:
        """Refuse before the CSRF check reads the body, and late enough to answer in the reader's
        language."""
        limit = _limit(request, view)
        size = _announced(request)
        if size <= limit:
            return None
        _read_away(request)
        sizes = {"size": _megabytes(size), "limit": _megabytes(limit)}
        if request.path.startswith("/api/") or wants_json(request):
            return problem_response(413, "too_large", _refusal(request) % sizes)
        return render(request, "413.html", sizes, status=413)


def _limit(request: HttpRequest, view: object) -> int:
    if _is_files(request):
        return int(settings.UPLOAD_LIMIT_BYTES)
    if getattr(getattr(view, "cls", None), "many_rows", False):
        return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    return int(settings.BODY_LIMIT_BYTES)


def _is_files(request: HttpRequest) -> bool:
    return request.content_type == "multipart/form-data"


def _refusal(request: HttpRequest) -> str:
    if _is_files(request):
        return _(
            "This is %(size)s MB; at most %(limit)s MB are read. Divide it into several files."
        )
    return _(
        "This is %(size)s MB; at most %(limit)s MB are read. Send it in several requests, or as a "
        "file where one is taken."
    )


def _announced(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _megabytes(size: int) -> int:
    """Rounded up: more than the limit is never said to be as much."""
    return ceil(size / 1024 / 1024)


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
