"""What a new password ends, where its letter leads, and that no page of a person stays in a cache."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotation.models import ApiToken, Event
from annotation.services.tokens import token_create
from tests.cast import Cast

pytestmark = pytest.mark.django_db
NEW = "another-long-password-9"


def token(cast: Cast) -> str:
    return token_create(actor=cast.annotator, name="script", scopes=["read"], days=9)[1]


def answers(secret: str) -> int:
    return Client().get("/api/v1/me/", headers={"authorization": f"Bearer {secret}"}).status_code


def changed(cast: Cast, **more: str) -> Client:
    client = cast.client("annotator")
    body = {"old_password": "a-long-password", "new_password1": NEW, "new_password2": NEW}
    assert client.post(reverse("password_change"), body | more).status_code == 302
    return client


def by_link(cast: Cast, **more: str) -> None:
    client = Client()
    uid = urlsafe_base64_encode(force_bytes(cast.annotator.pk))
    link = reverse("password_reset_confirm", args=[uid, default_token_generator.make_token(cast.annotator)])
    form = client.get(link, follow=True)
    page = form.redirect_chain[-1][0] if form.redirect_chain else link
    assert client.post(page, {"new_password1": NEW, "new_password2": NEW} | more).status_code == 302


@pytest.mark.parametrize("way", [changed, by_link])
def test_api_tokens_end_with_the_password(cast: Cast, way):
    secret = token(cast)
    assert answers(secret) == 200
    way(cast)
    assert answers(secret) == 401
    assert Event.objects.filter(verb="token_revoked", actor=cast.annotator).count() == 1


@pytest.mark.parametrize("way", [changed, by_link])
def test_unless_their_owner_says_so(cast: Cast, way):
    secret = token(cast)
    way(cast, keep_tokens="on")
    assert answers(secret) == 200


def test_it_is_asked_only_of_who_has_one(cast: Cast):
    page = reverse("password_change")
    assert "keep_tokens" not in cast.client("annotator").get(page).content.decode()
    token(cast)
    assert "keep_tokens" in cast.client("annotator").get(page).content.decode()
    ApiToken.objects.update(expires_at="2020-01-01T00:00Z")
    assert "keep_tokens" not in cast.client("annotator").get(page).content.decode()


@pytest.mark.parametrize("host", ["testserver:4444", "localhost"])
def test_the_letter_leads_to_the_installation_s_own_address(cast: Cast, settings, host, monkeypatch):
    """Not to the port or the name that whoever asked for it sent."""
    settings.PUBLIC_URL = "https://bareme.example.org"
    settings.ALLOWED_HOSTS = ["testserver", "localhost"]
    monkeypatch.setattr("annotation.web.views.account.mail_configured", lambda: True)
    sent: list[EmailMessage] = []
    monkeypatch.setattr("annotation.web.forms.account.letter_send_later", sent.append)
    Client().post(reverse("password_reset"), {"email": cast.annotator.email}, headers={"host": host})
    (letter,) = sent
    links = re.findall(r"https?://[^\s/]+", letter.body)
    assert set(links) == {"https://bareme.example.org"}


@pytest.mark.parametrize(
    ("role", "path"),
    [
        ("annotator", "/annotate/alpha/guide/"),
        ("annotator", "/account/password/change/"),
        ("anonymous", "/account/password/reset/"),
        ("anonymous", "/account/password/reset/sent/"),
        ("anonymous", "/account/login/"),
        ("lead", "/studies/alpha/"),
        ("admin", "/people/"),
    ],
)
def test_no_page_stays_in_a_cache(cast: Cast, role, path):
    answer = cast.client(role).get(path)
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
