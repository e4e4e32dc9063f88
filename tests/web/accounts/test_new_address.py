"""The page of another address says what its code is worth at that moment, and what it refused."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import AddressChange, User
from annotation.services.accounts.new_address import (
    CODE_HOLDS,
    CODE_TRIES,
    address_change_begin,
    address_change_cancel,
)
from tests.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_counted")]
NEW = "zeltane@cabinet.example"
HOLDS, ENDED = "Its code holds until", "is worth nothing any more"


@pytest.fixture
def asked(cast, settings) -> Client:
    """Logged in as somebody to whose new address a code was sent."""
    settings.EMAIL_HOST = "mail.example.org"
    User.objects.update(language="en")
    address_change_begin(actor=cast.annotator, email=NEW)
    return cast.client("annotator")


def shown(client: Client) -> str:
    return client.get(reverse("address")).content.decode()


def typed(client: Client, code: str) -> str:
    answer = client.post(reverse("address"), {"action": "take", "code": code})
    assert answer.status_code == 422
    return answer.content.decode()


def test_a_code_that_is_awaited_says_until_when(asked):
    page = shown(asked)
    assert HOLDS in page
    assert ENDED not in page
    assert 'name="code"' in page


def test_a_code_that_was_mistyped_too_often_is_asked_for_no_more(asked):
    pages = [typed(asked, "none") for _ in range(CODE_TRIES)]
    assert all(HOLDS in page for page in pages[:-1])
    assert "Too many wrong codes" in pages[-1]
    assert ENDED in shown(asked)
    for page in (pages[-1], shown(asked)):
        assert HOLDS not in page
        assert 'name="code"' not in page


def test_a_code_of_yesterday_holds_until_no_moment_that_is_past(asked):
    AddressChange.objects.update(requested_at=timezone.now() - CODE_HOLDS - timedelta(minutes=1))
    page = shown(asked)
    assert HOLDS not in page
    assert ENDED in page


def test_a_code_that_is_awaited_no_more_is_refused_in_words(asked, cast: Cast):
    # In another tab, say: the form that was open holds nothing that the page would show again.
    address_change_cancel(actor=cast.annotator)
    assert "No code is awaited" in typed(asked, "12345678")


def test_whoever_has_another_address_is_not_sent_to_the_one_of_their_invitation():
    page = Client().get(reverse("login"), headers={"accept-language": "en"}).content.decode()
    assert "or the one that you have taken since" in page
