"""Whoever has to set up the second step of the log-in does so before anything else."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.web.problems import problem_response
from annotation.web.views.errors import wants_json

DUE = "second_step_due"
"""In the session of somebody who logged in without it, and has to have it."""
_OPEN = ("security", "logout", "session", "preferences")


class SecondStepMiddleware:
    """Leads them to the page where it is set up. A request that loads no session costs nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if settings.SECOND_FACTOR_FOR == "nobody":
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not (request.user.is_authenticated and request.session.get(DUE)):
            return self.get_response(request)
        if request.path in {reverse(name) for name in _OPEN}:
            return self.get_response(request)
        if wants_json(request):
            return problem_response(403, "second_step_due", _("Set up the second step of your log-in first."))
        return redirect("security")
