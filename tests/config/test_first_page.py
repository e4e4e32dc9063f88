"""What `serve` answers to nobody before it forks."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler

from annotation.management.commands.serve import _answer_once

pytestmark = pytest.mark.django_db(transaction=True)  # an answer closes connections


@pytest.mark.parametrize(
    ("url", "tls"),
    [
        ("http://127.0.0.1:8000", False),
        ("https://bareme.example.org", True),
        ("http://localhost", False),
    ],
)
def test_it_is_the_page_itself_and_no_refusal(settings: Any, url: str, tls: bool):
    settings.PUBLIC_URL, settings.TLS, settings.SECURE_SSL_REDIRECT = url, tls, tls
    settings.ALLOWED_HOSTS = [url.partition("//")[2].partition(":")[0]]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if tls else None
    assert _answer_once(WSGIHandler()) == 200
