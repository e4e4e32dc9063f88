"""A stranger's wrong passwords do not shut a person out of a browser in which they have logged in;
a known browser has its own ten; and nobody guesses without end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.core import signing
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.models import User
from annotation.services.accounts.second_factor import second_factor_begin
from annotation.services.platform.access_records import access_records_expire
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import erasure_request
from annotation.web.accounts.known_browsers import AGE_SECONDS, COOKIE
from tests.factories import make_user
from tests.web.accounts.test_account import NEW, PASSWORD, log_in

pytestmark = pytest.mark.django_db


def known(user: User, **place: str) -> Client:
    """A browser in which this person has logged in, and out again."""
    client = Client(**place)
    assert log_in(client, user).status_code == 200
    client.post("/account/logout/")
    return client


def guesses(client: Client, user: User, number: int) -> list[int]:
    return [log_in(client, user, f"guess-{attempt}").status_code for attempt in range(number)]


def carrying(cookie: str) -> Client:
    client = Client()
    client.cookies[COOKIE] = cookie
    return client


def locked_out_strangers(user: User) -> None:
    assert guesses(Client(), user, 10)[-1] == 429
    assert log_in(Client(), user).status_code == 429


def test_a_stranger_behind_the_same_address_does_not_shut_out_a_known_browser():
    user = make_user()
    own = known(user)
    locked_out_strangers(user)
    assert log_in(own, user).status_code == 200
    # Nor does the owner's log-in forgive what the stranger guessed.
    assert log_in(Client(), user).status_code == 429


def test_its_own_wrong_passwords_count_against_it_alone():
    user = make_user()
    own, other = known(user), known(user)
    assert guesses(own, user, 10) == [400] * 9 + [429]
    assert log_in(own, user).status_code == 429, "from another address as well"
    own.defaults["REMOTE_ADDR"] = "203.0.113.9"
    assert log_in(own, user).status_code == 429
    assert log_in(other, user).status_code == 200
    assert log_in(Client(), user).status_code == 200
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert log_in(own, user).status_code == 200


def test_a_right_password_forgives_a_known_browser_its_wrong_ones():
    user = make_user()
    own = known(user)
    for _round in range(2):
        assert guesses(own, user, 9) == [400] * 9
        assert log_in(own, user).status_code == 200


def test_what_the_cookie_says_and_how_it_is_kept(settings):
    settings.SESSION_COOKIE_SECURE = True
    user = make_user()
    client = Client()
    log_in(client, user)
    cookie = client.cookies[COOKIE]
    assert cookie["httponly"]
    assert cookie["secure"]
    assert (cookie["samesite"], cookie["max-age"]) == ("Strict", AGE_SECONDS)
    for secret in (user.email, user.name, user.password):
        assert secret not in cookie.value
    first = cookie.value
    log_in(client, user)
    assert client.cookies[COOKIE].value != first, "renewed"
    assert known(user).cookies[COOKIE].value.split(":")[0] != first.split(":")[0]


def test_another_person_s_cookie_gives_nothing():
    user, thief = make_user(), make_user()
    locked_out_strangers(user)
    assert log_in(known(thief), user).status_code == 429
    # Nor is a guess with it another's: it counts among the strangers'.
    assert log_in(carrying(known(thief).cookies[COOKIE].value), user).status_code == 429


@pytest.mark.parametrize("forged", ["", "x", "name.digest", "name.digest:1:sig", ":::", "é"])
def test_a_forged_one_gives_nothing(forged: str):
    user = make_user()
    locked_out_strangers(user)
    assert log_in(carrying(forged), user).status_code == 429


def test_one_with_a_name_put_in_by_hand_gives_nothing():
    user = make_user()
    name, rest = known(user).cookies[COOKIE].value.split(".", 1)
    locked_out_strangers(user)
    assert log_in(carrying(f"{name[::-1]}.{rest}"), user).status_code == 429
    # The signature alone is not enough: another use of the same key would pass otherwise.
    signed = signing.TimestampSigner(salt="annotation.known_browser").sign("name.digest")
    assert log_in(carrying(signed), user).status_code == 429


def test_a_stolen_one_has_ten_guesses_however_often_it_is_copied():
    user = make_user()
    stolen = known(user).cookies[COOKIE].value
    statuses = [
        log_in(carrying(stolen), user, f"guess-{number}").status_code for number in range(12)
    ]
    assert statuses == [400] * 9 + [429] * 3


def test_it_ends_with_its_time(monkeypatch):
    user = make_user()
    own = known(user)
    locked_out_strangers(user)
    monkeypatch.setattr("annotation.web.accounts.known_browsers.AGE_SECONDS", -1)
    assert log_in(own, user).status_code == 429


def test_a_new_password_ends_all_but_the_browser_that_set_it():
    user = make_user()
    elsewhere, here = known(user), known(user)
    log_in(here, user)
    here.post("/account/password/change/", {"old_password": PASSWORD, **NEW})
    locked_out = guesses(Client(), user, 10)
    assert locked_out[-1] == 429
    assert log_in(elsewhere, user, NEW["new_password1"]).status_code == 429
    assert log_in(here, user, NEW["new_password1"]).status_code == 200


def test_guesses_from_many_addresses_end_and_shut_out_no_known_browser(settings):
    settings.STRANGERS_LIMIT = 20
    user, other = make_user(), make_user()
    own = known(user)
    statuses = [
        log_in(Client(REMOTE_ADDR=f"198.51.100.{place}"), user, f"guess-{place}").status_code
        for place in range(25)
    ]
    assert statuses == [400] * 19 + [429] * 6
    assert log_in(Client(REMOTE_ADDR="192.0.2.1"), user).status_code == 429
    assert log_in(own, user).status_code == 200
    assert log_in(Client(REMOTE_ADDR="198.51.100.1"), other).status_code == 200


def test_a_known_browser_s_guesses_are_none_of_the_strangers(settings):
    settings.STRANGERS_LIMIT = 10
    user = make_user()
    assert guesses(known(user), user, 9) == [400] * 9
    assert log_in(Client(), user, "guess").status_code == 400
    assert log_in(Client(), user).status_code == 200


def test_what_a_browser_calls_itself_makes_it_no_known_one():
    user = make_user()
    named = Client(headers={"user-agent": "known browser mine"})
    assert guesses(named, user, 10) == [400] * 9 + [429]
    assert log_in(named, user).status_code == 429


def test_a_wrong_password_s_cookie_is_none():
    user = make_user()
    client = Client()
    log_in(client, user, "guess")
    assert COOKIE not in client.cookies


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(
    ("address", "posted"),
    [
        ("/account/login/", {"password": "Mauve9-first"}),
        (
            "/account/password/change/",
            {
                "old_password": "Mauve9-old",
                "new_password1": "Mauve9-new",
                "new_password2": "Mauve9-new",
            },
        ),
        ("/account/data/", {"action": "download", "download-password": "Mauve9-data"}),
        ("/account/security/", {"action": "begin", "begin-password": "Mauve9-step"}),
    ],
)
def test_nothing_that_is_posted_with_a_wrong_password_is_kept(address, posted, is_known):
    user = make_user()
    own = known(user) if is_known else Client()
    own.force_login(user)
    for _again in range(2):
        own.post(f"{address}?next=/Mauve9", {"username": user.email, **posted})
    attempt = AccessAttempt.objects.get()
    assert (attempt.username, attempt.failures_since_start) == (user.email, 2)
    assert "Mauve9" not in attempt.get_data + attempt.post_data
    for name in ("csrf", "username", "action"):
        assert name not in attempt.get_data + attempt.post_data


def test_a_code_is_not_kept_either_and_the_form_still_has_what_was_typed():
    user = make_user()
    second_factor_begin(actor=user)
    device = TOTPDevice.objects.get()
    device.confirmed = True
    device.save()
    page = Client().post(
        "/account/login/", {"username": user.email, "password": PASSWORD, "code": "mauve9qx"}
    )
    assert page.context["form"].data["username"] == user.email
    assert "mauve9qx" not in AccessAttempt.objects.get().post_data


def test_what_versions_before_kept_of_it_goes_and_still_counts():
    user = make_user()
    guesses(Client(), user, 9)
    AccessAttempt.objects.update(
        get_data="next=/people/", post_data="new_password1=Mauve9\n---------\ncode=123456"
    )
    assert access_records_expire() == 0
    attempt = AccessAttempt.objects.get()
    assert (attempt.get_data, attempt.post_data) == ("", "")
    assert log_in(Client(), user, "guess").status_code == 429


def test_an_erasure_leaves_nothing_of_it():
    user = make_user()
    own = known(user)
    name = own.cookies[COOKIE].value.split(".")[0]
    email = user.email
    guesses(own, user, 2)
    assert AccessAttempt.objects.filter(user_agent__contains=name).exists()
    request = erasure_request(actor=user, user=user, wish="keep")
    admin = make_user(is_admin=True)
    erasure_grant(actor=admin, request=request, judgments="keep", reason="Consent withdrawn")
    assert not AccessAttempt.objects.filter(user_agent__contains=name).exists()
    assert guesses(own, User(email=email), 10)[-1] == 429
    assert not AccessAttempt.objects.filter(user_agent__contains=name).exists(), "a stranger's"
