"""Whoever has to set up the second step of the log-in does so before anything that their part lets
them do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from annotation.services.accounts.second_factor import second_factor_due
from annotation.web.platform.problems import problem_response
from annotation.web.platform.views.errors import wants_json

_OPEN = {
    "security",
    "login",
    "logout",
    "session",
    "preferences",
    "password_change",
    "invitation_accept",
}


class SecondStepMiddleware:
    """Leads them to the page where it is set up. Whoever judges goes on: no annotator's part asks
    for it, and nothing that was typed may wait."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if settings.SECOND_FACTOR_FOR == "nobody":
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        name = (request.resolver_match.url_name if request.resolver_match else "") or ""
        if name in _OPEN or name.startswith("annotate"):
            return None
        user = request.user
        if not user.is_authenticated or not second_factor_due(user):
            return None
        if wants_json(request) or request.path.startswith("/api/"):
            return problem_response(
                403, "second_step_due", _("Set up the second step of your log-in first.")
            )
        return redirect("security")
