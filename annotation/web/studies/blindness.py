"""The page that stands where answers will be once the round is closed."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.errors import AnswersHidden


class BlindnessMiddleware:
    """Answers for every view that met ``AnswersHidden``: one page says why, and what can be read
    instead."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for ``AnswersHidden``; None for everything else."""
        if not isinstance(exception, AnswersHidden):
            return None
        return render(request, "watching/hidden.html", {"study": exception.study}, status=403)
