"""A body that ends before its end."""

from __future__ import annotations

from io import BytesIO

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.test import Client

pytestmark = pytest.mark.django_db


class Cut(BytesIO):
    """Some of a body, and then a connection that is gone."""

    def read(self, *_args: object) -> bytes:
        raise OSError("gone")


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/api/v1/studies/", "application/json"),
        ("/account/keys/", "application/json"),
        ("/account/preferences/", "application/x-www-form-urlencoded"),
    ],
)
def test_it_is_said_and_is_no_error_of_the_server(cast, monkeypatch, path, content_type):
    original = WSGIRequest.__init__

    def cut(self, environ):
        original(self, environ)
        self._stream = Cut()

    client: Client = cast.client("lead")
    monkeypatch.setattr(WSGIRequest, "__init__", cut)
    answer = client.post(path, b"{}", content_type=content_type)
    assert answer.status_code in (400, 403)
