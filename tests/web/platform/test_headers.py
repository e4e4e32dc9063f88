"""What every answer says to the browser about what it may do: pages, files, refusals, and the API
alike."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.cast import Cast

PATHS = (
    "/",
    "/account/login/",
    "/nowhere/",
    "/livez",
    "/servez",
    "/healthz",
    "/api/v1/me/",
    "/api/v1/nowhere/",
    "/annotate/alpha/2/",
)
EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.mark.parametrize("path", PATHS)
def test_on_every_answer(path: str, cast: Cast):
    for client in (Client(), cast.client("annotator")):
        headers = client.get(path).headers
        assert {name: headers.get(name) for name in EVERYWHERE} == EVERYWHERE
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "camera=()" in headers["permissions-policy"]
        assert "geolocation=()" in headers["permissions-policy"]


@pytest.mark.django_db
def test_https_is_insisted_on_where_there_is_any(settings):
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/account/login/").status_code == 301
    answer = Client().get("/account/login/", secure=True)
    assert answer["strict-transport-security"] == "max-age=31536000"


def test_what_is_personal_is_kept_by_nobody_on_the_way(cast: Cast):
    for path in (
        "/",
        "/annotate/alpha/2/",
        "/account/preferences/",
        "/account/data/",
        "/account/tokens/",
    ):
        assert "no-store" in cast.client("annotator").get(path).headers.get("cache-control", ""), (
            path
        )


def test_cookies_are_for_this_site_and_not_for_scripts(cast: Cast, settings):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    client = Client()
    client.get("/account/login/")
    client.post(
        "/account/login/", {"username": cast.annotator.email, "password": "a-long-password"}
    )
    for name in ("bareme_session", "bareme_csrf"):
        cookie = client.cookies[name]
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", True), (
            name
        )


def test_a_script_carries_no_policy_of_documents(client: Client):
    """A judging page loads thirty files: what means nothing to them is left out, what protects them
    stays."""
    for name in ("js/platform/site.js", "css/base.css"):
        answer: Any = client.get(f"/static/{name}")
        assert b"".join(answer.streaming_content)
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert not {"permissions-policy", "cross-origin-opener-policy"} & {
            key.lower() for key in headers
        }
