"""Links that are mailed, or handed over, lead to the installation's own address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from tests.api.conftest import bearer
from tests.cast import Cast

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}
ALPHA = "/api/v1/studies/alpha/"
PEOPLE = "/studies/alpha/people/"
# Who asks, where, and with what.
WAYS: dict[str, Callable[[Cast, str], Any]] = {
    "reminder by API": lambda cast, host: bearer(cast.lead).post(
        ALPHA + "reminders/", {"annotators": ["A"]}, **JSON, headers={"host": host}
    ),
    "reminder": lambda cast, host: _page(
        cast, "lead", host, "/studies/alpha/watch/", annotator=cast.judge.pk
    ),
    "invitation by API": lambda cast, host: bearer(cast.lead).post(
        ALPHA + "invitations/",
        {"email": "x@example.org", "role": "annotator"},
        **JSON,
        headers={"host": host},
    ),
    "invitation": lambda cast, host: _page(
        cast, "lead", host, PEOPLE, action="invite", email="x@example.org", role="annotator"
    ),
    "invitations": lambda cast, host: _page(
        cast,
        "lead",
        host,
        PEOPLE,
        action="invite_many",
        emails="x@example.org\ny@example.org",
        role="annotator",
    ),
    "password": lambda cast, host: _page(
        cast, "admin", host, "/people/", action="reset_link", user=cast.outsider.pk
    ),
}


def _page(cast: Cast, who: str, host: str, url: str, /, **form: object) -> Any:
    client: Client = cast.client(who)
    return client.post(url, form, headers={"host": host})


def _leads_to(text: str) -> Iterator[str]:
    for origin, _path in re.findall(
        r"(https?://[^\s/\"<]+)(/annotate/|/account/(?:invitation|password))", text
    ):
        yield origin


def _origins(cast: Cast, way: str, host: str) -> set[str]:
    """Of every link in the answer, and in the letters that came of it."""
    answer = WAYS[way](cast, host)
    assert answer.status_code in (200, 201), answer.content
    texts = [answer.content.decode(), *(letter.body for letter in mail.outbox)]
    return {origin for text in texts for origin in _leads_to(text)}


@pytest.mark.parametrize("mailed", [True, False])
@pytest.mark.parametrize("host", ["testserver:4444", "localhost"])
@pytest.mark.parametrize("way", WAYS)
def test_they_lead_nowhere_else(cast: Cast, settings, way, host, mailed):
    """Not to the port or the name that whoever asks sends."""
    settings.EMAIL_HOST = "mail.example" if mailed else ""
    settings.PUBLIC_URL = "https://bareme.example.org"
    assert _origins(cast, way, host) == {"https://bareme.example.org"}
    assert bool(mail.outbox) == (mailed and way != "password")


@pytest.mark.parametrize("way", WAYS)
def test_without_an_address_of_its_own_they_lead_to_where_one_asks(cast: Cast, settings, way):
    settings.PUBLIC_URL = ""
    assert _origins(cast, way, "testserver:4444") == {"http://testserver:4444"}
