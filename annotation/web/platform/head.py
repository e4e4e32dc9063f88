"""HEAD: the answer to GET, less its body."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase, StreamingHttpResponse


class HeadMiddleware:
    """Takes the body away once everything else has looked at it. Views answer HEAD as they answer
    GET; a server that gets a body all the same drops it, and says so in the log for each of
    them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method == "HEAD":
            # Its length stays in the headers; what a stream holds open is closed with the answer,
            # as ever.
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = ()
            else:
                response.content = b""  # type: ignore[attr-defined]  # an HttpResponse: nothing else does not stream
        return response
