"""HEAD as a server asks it: the headers of GET and not one byte more."""

from __future__ import annotations

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.http import StreamingHttpResponse
from django.test import RequestFactory

from annotation.web.platform.head import HeadMiddleware
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def asked(method: str, path: str, cookies: str = "") -> tuple[str, dict[str, str], bytes]:
    """Status, headers and body as a server gets them. Django's test client would take the body away
    itself."""
    environ = RequestFactory()._base_environ(  # type: ignore[attr-defined]
        PATH_INFO=path, REQUEST_METHOD=method, HTTP_COOKIE=cookies
    )
    begun: list[tuple[str, list[tuple[str, str]]]] = []
    # As Django's own test client does: the test's connection outlives its requests.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        answer = WSGIHandler()(environ, lambda status, headers: begun.append((status, headers)))
        body = b"".join(answer)
        answer.close()
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)
    (status, headers) = begun[0]
    return status, dict(headers), body


@pytest.mark.parametrize(
    "path",
    [
        "/account/login/",
        "/healthz",
        "/nothing/here/",
        "/static/js/platform/store.js",
        "/api/v1/me/",
    ],
)
def test_it_has_no_body_and_the_same_length(path):
    status, headers, body = asked("GET", path)
    head = asked("HEAD", path)
    assert body
    assert (head[0], head[2]) == (status, b"")
    if "csrf" not in body.decode(errors="replace"):
        assert head[1].get("Content-Length") == headers.get("Content-Length")


def test_a_page_of_somebody_who_is_logged_in(cast: Cast):
    client = cast.client("annotator")
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    status, headers, body = asked("HEAD", "/annotate/alpha/guide/", cookies)
    assert status.startswith("200")
    assert (int(headers["Content-Length"]) > 0, body) == (True, b"")


def test_a_stream_is_not_begun():
    begun = []

    def lines():
        begun.append(1)
        yield b"x"

    answer = HeadMiddleware(lambda request: StreamingHttpResponse(lines()))(
        RequestFactory().head("/")
    )
    assert b"".join(answer) == b""
    answer.close()
    assert not begun
