"""What a page is still to say is said to whom it is for."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.models import User
from annotation.services.accounts.tokens import token_create
from tests.factories import make_user

SAID = "The key does not work any more."
pytestmark = pytest.mark.django_db


@pytest.fixture
def zoe() -> User:
    return make_user("zoe", language="en")


@pytest.fixture
def waiting(client: Client, zoe: User) -> Client:
    """A browser whose next page has something to say to Zoé."""
    client.force_login(zoe)
    token, _secret = token_create(actor=zoe, name="essai", scopes=["read"], days=1)
    client.post(reverse("tokens"), {"action": "revoke", "token": token.pk})
    return client


def page(client: Client, name: str = "home") -> str:
    return client.get(reverse(name), headers={"accept-language": "en"}).content.decode()


def test_it_is_said_once(waiting: Client) -> None:
    assert SAID in page(waiting)
    assert SAID not in page(waiting)


def test_whoever_comes_after_them_is_not_told(waiting: Client) -> None:
    """The log-in page said to the next person at that computer who had got a part in which
    study."""
    assert "messages" not in waiting.cookies
    del waiting.cookies[settings.SESSION_COOKIE_NAME]
    assert SAID not in page(waiting, "login")
    waiting.force_login(make_user("yan", language="en"))
    assert SAID not in page(waiting)


def test_nor_is_whoever_logs_in_after_a_log_out(waiting: Client) -> None:
    waiting.post(reverse("logout"))
    assert SAID not in page(waiting, "login")


def test_who_is_not_logged_in_is_told_too(client: Client, zoe: User) -> None:
    client.post(reverse("preferences"), {"theme": "none"}, headers={"accept-language": "en"})
    assert client.cookies["messages"].value
    # Also where they log in before that page, and once.
    client.force_login(zoe)
    assert "There is no such choice." in page(client)
    assert "There is no such choice." not in page(client)
    assert not client.cookies["messages"].value
