"""What a new password ends, where its letter leads, and that no page of a person stays in a
cache."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotation.models import ApiToken, Event, User
from annotation.services.accounts.new_password import TokensEnd
from annotation.services.accounts.tokens import token_create
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
    link = reverse(
        "password_reset_confirm", args=[uid, default_token_generator.make_token(cast.annotator)]
    )
    form = client.get(link, follow=True)
    page = form.redirect_chain[-1][0] if form.redirect_chain else link
    assert client.post(page, {"new_password1": NEW, "new_password2": NEW} | more).status_code == 302


def by_command(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getpass", lambda prompt: NEW)
    call_command("changepassword", cast.annotator.email.upper(), stdout=StringIO())


def in_a_shell(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    user = User.objects.get(pk=cast.annotator.pk)
    user.set_password(NEW)
    user.save()


@pytest.mark.parametrize("way", [by_command, in_a_shell])
def test_no_way_round_the_pages_leaves_a_token_or_a_log_in(cast: Cast, monkeypatch, way):
    secret, client = token(cast), cast.client("annotator")
    assert (answers(secret), client.get("/account/preferences/").status_code) == (200, 200)
    way(cast, monkeypatch)
    assert (answers(secret), client.get("/account/preferences/").status_code) == (401, 302)
    assert Event.objects.filter(verb="token_revoked", actor=None).count() == 1


def test_the_command_is_told_of(
    cast: Cast, monkeypatch, settings, django_capture_on_commit_callbacks
):
    settings.EMAIL_HOST = "mail.example.org"
    letters: list[EmailMessage] = []
    monkeypatch.setattr("annotation.services.platform.letters.letter_send_later", letters.append)
    with django_capture_on_commit_callbacks(execute=True):
        by_command(cast, monkeypatch)
    assert Event.objects.get(verb="password_changed").target_id == str(cast.annotator.pk)
    assert [letter.to for letter in letters] == [[cast.annotator.email]]


def test_the_command_knows_nobody_else(cast: Cast):
    with pytest.raises(CommandError, match="No account has this address"):
        call_command("changepassword", "nobody@example.org")


def test_what_ends_tokens_refuses_no_password(cast: Cast):
    ends, secret = TokensEnd(), token(cast)
    ends.validate("x", cast.annotator)
    ends.password_changed("x")
    assert (ends.get_help_text(), answers(secret)) == ("", 200)


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


@pytest.mark.parametrize("link", ["x/set-password", "MQ/x-y", "OTk5/set-password"])
def test_a_link_of_nobody_s_is_refused_not_broken(cast: Cast, link):
    for method in ("get", "post"):
        answer = getattr(Client(), method)(
            f"/account/password/reset/{link}/", {"new_password1": NEW}
        )
        assert answer.status_code == 200


def test_it_is_asked_only_of_who_has_one(cast: Cast):
    page = reverse("password_change")
    assert "keep_tokens" not in cast.client("annotator").get(page).content.decode()
    token(cast)
    assert "keep_tokens" in cast.client("annotator").get(page).content.decode()
    ApiToken.objects.update(expires_at="2020-01-01T00:00Z")
    assert "keep_tokens" not in cast.client("annotator").get(page).content.decode()


@pytest.mark.usefixtures("nothing_counted")
@pytest.mark.parametrize("host", ["testserver:4444", "localhost"])
def test_the_letter_leads_to_the_installation_s_own_address(
    cast: Cast, settings, host, monkeypatch
):
    """Not to the port or the name that whoever asked for it sent."""
    settings.PUBLIC_URL = "https://bareme.example.org"
    settings.ALLOWED_HOSTS = ["testserver", "localhost"]
    monkeypatch.setattr("annotation.web.accounts.views.account.mail_configured", lambda: True)
    letters: list[EmailMessage] = []
    monkeypatch.setattr(
        "annotation.web.accounts.forms.account.letter_send_later",
        lambda letter, *, is_meant: letters.append(letter) if is_meant else None,
    )
    Client().post(
        reverse("password_reset"), {"email": cast.annotator.email}, headers={"host": host}
    )
    (letter,) = letters
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
