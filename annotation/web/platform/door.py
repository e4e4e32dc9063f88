"""What no page reads: texts that cannot be stored, and parameters longer than any search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import (
    HttpRequest,
    HttpResponse,
    QueryDict,
    RawPostDataException,
    UnreadablePostError,
)
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.bodies import UnreadableBody, is_storable, json_body
from annotation.web.platform.problems import problem_response
from annotation.web.platform.views.errors import wants_json

LONGEST_PARAMETER = 2000


class DoorMiddleware:
    """Refuses them before a view looks: nobody can type a NUL, and a database answers it as if we
    were wrong."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        # Forms were read by the CSRF check; the body of a program is read by its own view.
        try:
            queries = (
                [request.GET]
                if wants_json(request) or request.path.startswith("/api/")
                else [request.GET, request.POST]
            )
        except UnreadablePostError as error:
            return self.process_exception(request, error)
        if all(map(_readable, queries)) and all(
            len(text) <= LONGEST_PARAMETER for text in _texts(request.GET)
        ):
            return None
        if wants_json(request) or request.path.startswith("/api/"):
            title = _("The address holds something that cannot be read, or more than any search.")
            return problem_response(400, "malformed", title)
        return render(request, "400.html", status=400)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A body that ended early, or came too slowly and was cut off, is no fault of ours."""
        if not isinstance(error, UnreadablePostError):
            return None
        if wants_json(request) or request.path.startswith("/api/"):
            title = _("The request ended before all of it had come. Send it again.")
            return problem_response(400, "incomplete", title)
        return render(request, "400.html", status=400)


def json_of(request: HttpRequest) -> Any:
    """The JSON body of a request. Raises ``UnreadableBody``, for a form that was posted in its
    place as well."""
    try:
        return json_body(request.body)
    except RawPostDataException as error:
        # It was read as a form already: by the CSRF check, or above.
        raise UnreadableBody("syntax") from error


def _texts(query: QueryDict) -> list[str]:
    return [text for name, texts in query.lists() for text in (name, *texts)]


def _readable(query: QueryDict) -> bool:
    return all(map(is_storable, _texts(query)))
