"""Whoever reads the database takes up nobody's log-in."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from annotation.models import User
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def zoe() -> User:
    return make_user("zoe")


def browser_with(key: str) -> Client:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    return client


def is_let_in(client: Client) -> bool:
    return client.get(reverse("home")).status_code == 200


def test_what_is_stored_lets_nobody_in(client: Client, zoe: User) -> None:
    """A backup of the night held the keys of all log-ins that were open."""
    client.force_login(zoe)
    (stored,) = Session.objects.values_list("session_key", flat=True)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert is_let_in(client)
    assert stored != cookie
    assert not is_let_in(browser_with(stored))


def test_a_log_out_ends_it(client: Client, zoe: User) -> None:
    client.force_login(zoe)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post(reverse("logout"))
    assert not Session.objects.exists()
    assert not is_let_in(browser_with(cookie))


class TestFormer:
    """Log-ins of a version that stored the key itself."""

    @pytest.fixture
    def inside(self, client: Client, zoe: User) -> Client:
        client.force_login(zoe)
        Session.objects.update(session_key=client.cookies[settings.SESSION_COOKIE_NAME].value)
        return client

    def test_nobody_is_logged_out_by_an_upgrade(self, inside: Client) -> None:
        assert is_let_in(inside)
        assert inside.post(reverse("session")).json()["seconds_left"] > 0
        assert Session.objects.count() == 1
        assert is_let_in(inside)

    def test_their_own_is_known_among_those_that_are_open(self, inside: Client, zoe: User) -> None:
        other = Client()
        other.force_login(zoe)
        inside.post(reverse("security"), {"action": "end_others"})
        assert is_let_in(inside)
        assert not is_let_in(other)

    def test_a_log_out_ends_them(self, inside: Client) -> None:
        inside.post(reverse("logout"))
        assert not Session.objects.exists()
