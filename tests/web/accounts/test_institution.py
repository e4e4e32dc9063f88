"""Logging in with an account of one's institution, over real HTTP to an issuer."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from axes.models import AccessAttempt
from django.contrib.auth import login
from django.contrib.messages import get_messages
from django.core import mail
from django.test import Client, TestCase
from django_otp.plugins.otp_totp.models import TOTPDevice
from joserfc.jwk import RSAKey

from annotation.models import Event, InstitutionAccount, Invitation, User
from annotation.services.accounts.institution import institution_unlink
from annotation.services.accounts.second_factor import (
    second_factor_begin,
    second_factor_confirm,
    second_factor_of,
)
from annotation.services.accounts.tokens import token_create
from annotation.services.people.invitations import invitation_accept, invitation_create
from annotation.services.people.people import user_set_active
from annotation.web.accounts import issuer as issuer_module
from annotation.web.accounts.views import institution as views
from tests.factories import make_study, make_user
from tests.fake_issuer import CLIENT, SECRET, Issuer, issuing
from tests.second_factors import code_of

pytestmark = pytest.mark.django_db
BEGIN, BACK, CODE = (f"/account/institution/{part}" for part in ("", "back/", "code/"))
PASSWORD = "a-long-password"
ADDRESS = "zoe@example.org"


@pytest.fixture
def issuer(settings: Any) -> Iterator[Issuer]:
    issuer_module.issuer_forget()
    with issuing() as issuer:
        issuer.person |= {"email": ADDRESS, "email_verified": True}
        settings.INSTITUTION = {
            "issuer": issuer.url,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "name": "Université d'essai",
            "vouches": False,
        }
        yield issuer


@pytest.fixture
def zoe(db: None) -> User:
    return make_user("Zoé", email=ADDRESS, language="en")


@pytest.fixture
def boss(db: None) -> Client:
    """An admin's browser."""
    admin = Client()
    admin.force_login(make_user("Boss", email="boss@example.org", is_admin=True, language="en"))
    return admin


def asked(client: Client, query: str = "") -> str:
    """The address that the browser is sent to."""
    answer = client.get(BEGIN + query)
    assert answer.status_code == 302
    return str(answer["Location"])


def back(client: Client, query: str = "") -> Any:
    """The answer to who comes back from the institution."""
    at = requests.get(asked(client, query), allow_redirects=False, timeout=5).headers["Location"]
    return client.get(f"{urlsplit(at).path}?{urlsplit(at).query}")


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def said(answer: Any) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def refused(client: Client, answer: Any, words: str) -> None:
    assert not is_in(client)
    assert answer["Location"] == "/account/login/"
    assert words in said(answer)


class TestLogOut:
    def test_whoever_is_let_in_by_it_is_told_that_they_may_be_logged_in_there(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        """The next person at that computer was let in as the one before, and told nothing."""
        back(client)
        page = client.post("/account/logout/", follow=True)
        assert not is_in(client)
        assert "log out there as well" in page.content.decode()
        assert "Université d&#x27;essai" in page.content.decode()

    def test_nobody_else_is(self, client: Client, issuer: Issuer, zoe: User) -> None:
        client.force_login(zoe)
        assert "log out there" not in client.post("/account/logout/", follow=True).content.decode()
        # Nor who is logged in no more, as in another window.
        assert client.post("/account/logout/").status_code == 302


class TestLogIn:
    def test_who_has_an_account_is_let_in(self, client: Client, issuer: Issuer, zoe: User) -> None:
        page = client.get("/account/login/?next=/protocols/").content.decode()
        assert "Université d&#x27;essai" in page
        assert f'href="{BEGIN}?next=/protocols/"' in page
        answer = back(client, "?next=/protocols/")
        assert answer["Location"] == "/protocols/"
        assert client.session["_auth_user_id"] == str(zoe.pk)
        assert client.session["began_at"]
        linked = InstitutionAccount.objects.get(user=zoe)
        assert (linked.issuer, linked.subject) == (issuer.url, "u-1")
        assert Event.objects.filter(actor=zoe, verb="institution_linked").count() == 1

    def test_the_second_time_it_is_known_by_name(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        """Whatever its address is by then."""
        back(client)
        client.logout()
        issuer.person |= {"email": "other@example.org"}
        assert back(client)["Location"] == "/"
        assert is_in(client)
        assert InstitutionAccount.objects.count() == 1

    def test_the_session_before_it_is_not_the_one_after(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        asked(client)
        before = client.session.session_key
        back(client)
        assert client.session.session_key != before

    def test_it_leads_nowhere_else(self, client: Client, issuer: Issuer, zoe: User) -> None:
        assert back(client, "?next=https://elsewhere.example/")["Location"] == "/"

    def test_who_is_in_already_goes_on(self, client: Client, issuer: Issuer, zoe: User) -> None:
        client.force_login(zoe)
        assert asked(client, "?next=/protocols/") == "/protocols/"

    def test_an_address_in_other_letters_is_the_same(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        issuer.person["email"] = ADDRESS.upper()
        back(client)
        assert is_in(client)

    def test_the_address_may_stand_at_the_other_endpoint(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        del issuer.person["email"], issuer.person["email_verified"]
        issuer.userinfo = {"email": ADDRESS, "email_verified": "true"}
        back(client)
        assert is_in(client)

    def test_of_somebody_else_that_endpoint_says_nothing(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        del issuer.person["email"], issuer.person["email_verified"]
        issuer.userinfo = {"sub": "u-2", "email": ADDRESS, "email_verified": True}
        refused(client, back(client), "Aucun compte d'ici")

    def test_keys_are_looked_for_again(self, client: Client, issuer: Issuer, zoe: User) -> None:
        """An institution changes them."""
        back(client)
        client.logout()
        issuer.keys = [RSAKey.generate_key(2048, {"kid": "two"}, auto_kid=False)]
        back(client)
        assert is_in(client)


class TestRefused:
    def test_who_has_no_account_gets_none(self, client: Client, issuer: Issuer) -> None:
        refused(client, back(client), "Aucun compte d'ici ne va avec celui de votre établissement")
        assert not User.objects.exists()

    @pytest.mark.parametrize("verified", [False, "false", "yes", 1, None])
    def test_an_address_that_it_has_not_verified(
        self, client: Client, issuer: Issuer, zoe: User, verified: Any
    ) -> None:
        issuer.person["email_verified"] = verified
        refused(client, back(client), "Aucun compte d'ici")

    def test_unless_the_installation_trusts_its_addresses(
        self, client: Client, issuer: Issuer, zoe: User, settings: Any
    ) -> None:
        settings.INSTITUTION = settings.INSTITUTION | {"vouches": True}
        issuer.person["email_verified"] = False
        refused(client, back(client), "Aucun compte d'ici")
        del issuer.person["email_verified"]
        back(client)
        assert is_in(client)

    def test_a_closed_account(self, client: Client, issuer: Issuer, zoe: User) -> None:
        back(client)
        client.logout()
        User.objects.filter(pk=zoe.pk).update(is_active=False)
        refused(client, back(client), "Ce compte est fermé")
        InstitutionAccount.objects.all().delete()
        refused(client, back(client), "Ce compte est fermé")

    def test_one_that_was_closed_and_reopened_is_linked_no_more(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        """Whoever took it over may have linked it."""
        back(client)
        admin = make_user("Boss", is_admin=True)
        user_set_active(actor=admin, user=zoe, is_active=False, reason="stolen")
        assert not InstitutionAccount.objects.exists()
        event = Event.objects.get(verb="institution_unlinked")
        assert (event.actor, event.target_id, event.details) == (
            admin,
            str(zoe.pk),
            {"reason": "stolen"},
        )
        user_set_active(actor=admin, user=zoe, is_active=True, reason="it is hers again")
        refused(client, back(client), "n'est pas encore relié")
        assert Event.objects.filter(verb="institution_unlinked").count() == 1

    def test_an_address_that_now_is_somebody_elses(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        back(client)
        client.logout()
        issuer.person["sub"] = "u-2"
        refused(client, back(client), "relié à un autre compte de votre établissement")

    def test_an_account_that_somebody_else_may_have_made(
        self, client: Client, issuer: Issuer
    ) -> None:
        """Whoever makes an invitation sees its link, and may open it."""
        lead = make_user("Lead")
        study = make_study(lead=lead)
        _, token = invitation_create(
            actor=lead, email=ADDRESS, role=Invitation.Role.ANNOTATOR, study=study
        )
        invitation_accept(token=token, name="Zoé", password=PASSWORD + "-2")
        refused(client, back(client), "n'est pas encore relié")

    @pytest.mark.parametrize(
        "bent",
        [
            {"aud": "another"},
            {"aud": ["another", "third"], "azp": CLIENT},
            {"iss": "https://elsewhere.example"},
            {"exp": 1},
            {"nonce": "another"},
            {"nonce": None},
            {"aud": None},
            {"exp": None},
            {"sub": ""},
            {"sub": None},
            {"sub": "x" * 256},
        ],
        ids=str,
    )
    def test_a_token_that_is_not_for_us(
        self, client: Client, issuer: Issuer, zoe: User, bent: dict[str, Any]
    ) -> None:
        issuer.token = bent
        refused(client, back(client), "recommencez")

    @pytest.mark.parametrize("algorithm", ["none", "HS256"])
    def test_a_token_that_no_key_of_its_has_signed(
        self, client: Client, issuer: Issuer, zoe: User, algorithm: str
    ) -> None:
        issuer.signs_by = algorithm
        refused(client, back(client), "recommencez")

    def test_a_token_of_another_key(self, client: Client, issuer: Issuer, zoe: User) -> None:
        to = asked(client)
        at = requests.get(to, allow_redirects=False, timeout=5).headers["Location"]
        former = issuer.keys
        issuer.keys = Issuer().keys
        refused(client, client.get(f"{BACK}?{urlsplit(at).query}"), "recommencez")
        assert former != issuer.keys

    def test_what_was_refused_there(self, client: Client, issuer: Issuer, zoe: User) -> None:
        issuer.refuses = "access_denied"
        refused(client, back(client), "recommencez")

    def test_what_another_browser_began(self, client: Client, issuer: Issuer, zoe: User) -> None:
        at = requests.get(asked(Client()), allow_redirects=False, timeout=5).headers["Location"]
        refused(client, client.get(f"{BACK}?{urlsplit(at).query}"), "recommencez")
        assert issuer.heard == []

    def test_what_has_served_once(self, client: Client, issuer: Issuer, zoe: User) -> None:
        at = requests.get(asked(client), allow_redirects=False, timeout=5).headers["Location"]
        client.get(f"{BACK}?{urlsplit(at).query}")
        client.logout()
        refused(client, client.get(f"{BACK}?{urlsplit(at).query}"), "recommencez")

    @pytest.mark.parametrize("query", ["", "?code=x", "?state=x&code=y", "?error=x", "?state="])
    def test_whoever_comes_from_nowhere(self, client: Client, issuer: Issuer, query: str) -> None:
        refused(client, client.get(BACK + query), "recommencez")


class TestAway:
    def test_one_that_does_not_answer(self, client: Client, issuer: Issuer, settings: Any) -> None:
        settings.INSTITUTION = settings.INSTITUTION | {"issuer": "http://127.0.0.1:9"}
        refused(client, client.get(BEGIN), "Université d'essai ne répond pas")

    def test_one_that_breaks_while_somebody_is_there(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        at = requests.get(asked(client), allow_redirects=False, timeout=5).headers["Location"]
        issuer.is_broken = True
        answer = client.get(f"{BACK}?{urlsplit(at).query}")
        refused(client, answer, "Université d'essai ne répond pas")

    @pytest.mark.parametrize(
        "described",
        [
            {"issuer": "https://elsewhere.example"},
            {"issuer": None},
            {"authorization_endpoint": None},
            {"id_token_signing_alg_values_supported": ["none"]},
        ],
        ids=str,
    )
    def test_one_that_describes_another(
        self, client: Client, issuer: Issuer, zoe: User, described: dict[str, Any]
    ) -> None:
        issuer.described = described
        answer = client.get(BEGIN)
        if answer["Location"].startswith(issuer.url):
            answer = back(client)
        assert not is_in(client)
        assert answer["Location"] == "/account/login/"

    def test_where_there_is_none(self, client: Client, zoe: User) -> None:
        assert {client.get(url).status_code for url in (BEGIN, BACK, CODE)} == {404}
        assert BEGIN not in client.get("/account/login/").content.decode()
        client.force_login(zoe)
        assert "institution" not in client.get("/account/security/").content.decode()


class TestOdd:
    """Whatever it answers, nobody is shown an error of the server, and the next one is let in."""

    @pytest.mark.parametrize("body", ["[]", "null", "5", '"x"', "NaN", "<html>", "{", "\\ud800"])
    @pytest.mark.parametrize(
        "path", ["/.well-known/openid-configuration", "/keys", "/userinfo", "/token"]
    )
    def test_what_it_answers(
        self, client: Client, issuer: Issuer, zoe: User, path: str, body: str
    ) -> None:
        del issuer.person["email_verified"]
        issuer.raw[path] = body
        answer = client.get(BEGIN)
        if answer["Location"].startswith(issuer.url):
            answer = back(client)
        assert not is_in(client)
        assert answer["Location"] == "/account/login/"
        issuer.raw.clear()
        issuer.person["email_verified"] = True
        issuer_module._looked.away_until = 0
        back(client)
        assert is_in(client)

    @pytest.mark.parametrize(
        "described",
        [
            {"authorization_endpoint": 5},
            {"token_endpoint": None},
            {"jwks_uri": "file:///etc/passwd"},
            {"userinfo_endpoint": ["x"]},
            {"id_token_signing_alg_values_supported": 3},
            {"id_token_signing_alg_values_supported": [{}]},
            {"token_endpoint_auth_methods_supported": 3},
        ],
        ids=str,
    )
    def test_what_it_says_of_itself(
        self, client: Client, issuer: Issuer, zoe: User, described: dict[str, Any]
    ) -> None:
        issuer.described = described
        refused(client, client.get(BEGIN), "ne répond pas")
        issuer.described = {}
        issuer_module._looked.away_until = 0
        back(client)
        assert is_in(client)

    @pytest.mark.parametrize(
        "endpoint",
        ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", ""],
    )
    def test_nothing_is_asked_in_clear_of_one_that_is_not(
        self, issuer: Issuer, settings: Any, monkeypatch: pytest.MonkeyPatch, endpoint: str
    ) -> None:
        """Whoever stood between read the client's secret, or gave other keys."""
        described = issuer.description()
        secure = {
            name: said.replace("http:", "https:")
            if isinstance(said, str) and name != endpoint
            else said
            for name, said in described.items()
        }
        monkeypatch.setattr(issuer_module, "_read", lambda url: secure)
        settings.INSTITUTION = {**settings.INSTITUTION, "issuer": secure["issuer"]}
        with nullcontext() if not endpoint else pytest.raises(issuer_module.odd()):
            issuer_module.issuer_client()
        issuer_module.issuer_forget()

    @pytest.mark.parametrize("by", ["http://id.example/keys", "https://id.example/other"])
    def test_nor_where_it_leads_elsewhere(self, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
        led, before = requests.Response(), requests.Response()
        led.status_code, led.raw = 200, io.BytesIO(b"{}")
        led.url, before.url, led.history = "https://id.example/keys", by, [before]
        monkeypatch.setattr(requests, "get", lambda *_, **__: led)
        with nullcontext() if by.startswith("https") else pytest.raises(issuer_module.odd()):
            assert issuer_module._read("https://id.example/") == {}

    @pytest.mark.parametrize(
        "odd",
        [{"client_id": "another"}, {"jwks": "x"}, {"session": 3}, {"update_token": "x"}],
        ids=str,
    )
    def test_what_it_says_beside(
        self, client: Client, issuer: Issuer, zoe: User, odd: dict[str, Any]
    ) -> None:
        issuer.described = odd
        back(client)
        assert is_in(client)

    @pytest.mark.parametrize(
        "claims",
        [
            {"sub": 5},
            {"sub": ["x"]},
            {"sub": "a\x00b"},
            {"email": [ADDRESS]},
            {"email": "zoe\x00@example.org"},
            {"email": "\u212aim@example.org"},
        ],
        ids=ascii,
    )
    def test_whom_it_says_to_have(
        self, client: Client, issuer: Issuer, zoe: User, claims: dict[str, Any]
    ) -> None:
        make_user("Kim", email="kim@example.org")
        issuer.person |= claims
        back(client)
        assert not is_in(client)
        assert not InstitutionAccount.objects.exists()

    def test_an_answer_without_end(
        self, client: Client, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(issuer_module, "LARGEST", 100)
        refused(client, client.get(BEGIN), "ne répond pas")

    def test_one_that_does_not_answer_is_not_asked_by_everybody(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        issuer.is_broken = True
        client.get(BEGIN)
        issuer.is_broken = False
        number = len(issuer.looked)
        refused(client, client.get(BEGIN), "ne répond pas")
        assert len(issuer.looked) == number
        issuer_module._looked.away_until = 0
        back(client)
        assert is_in(client)

    def test_what_it_says_of_itself_is_read_again(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        back(client)
        client.logout()
        number = len(issuer.looked)
        asked(client)
        assert len(issuer.looked) == number
        issuer_module._looked.until = 0
        asked(client)
        assert issuer.looked[number:] == ["/.well-known/openid-configuration", "/keys"]

    def test_keys_of_the_same_name_are_looked_for_at_the_next_log_in(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        asked(client)
        issuer.keys = Issuer().keys
        refused(client, back(client), "recommencez")
        back(client)
        assert is_in(client)

    def test_nobody_makes_it_read_again_by_coming_from_nowhere(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        asked(client)
        number = len(issuer.looked)
        for query in ("", "?code=x", "?state=x&code=y", "?error=invalid_client"):
            client.get(BACK + query)
        asked(client)
        assert len(issuer.looked) == number

    def test_a_secret_that_is_sent_otherwise(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        issuer.described = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
        back(client)
        assert is_in(client)

    def test_a_slash_at_its_end(
        self, client: Client, issuer: Issuer, zoe: User, settings: Any
    ) -> None:
        settings.INSTITUTION = settings.INSTITUTION | {"issuer": f"{issuer.url}/"}
        issuer.described, issuer.token = {"issuer": f"{issuer.url}/"}, {"iss": f"{issuer.url}/"}
        back(client)
        assert is_in(client)
        assert not any("//" in path for path in issuer.looked)

    def test_one_that_does_not_say_how_it_signs_or_where_it_knows_more(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        issuer.described = {
            "id_token_signing_alg_values_supported": None,
            "userinfo_endpoint": None,
        }
        back(client)
        assert is_in(client)


class TestAddress:
    def test_who_is_known_is_not_asked_about(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        back(client)
        assert "/userinfo" not in issuer.looked
        client.logout()
        del issuer.person["email"], issuer.person["email_verified"]
        issuer.raw["/userinfo"] = "<html>"
        back(client)
        assert is_in(client)
        assert "/userinfo" not in issuer.looked

    @pytest.mark.parametrize(
        ("token", "more", "lets_in"),
        [
            ({"email": ADDRESS}, {"email": ADDRESS, "email_verified": False}, False),
            ({"email": ADDRESS}, {"email": ADDRESS, "email_verified": True}, True),
            ({"email": ADDRESS}, {"email": "other@example.org", "email_verified": True}, False),
            ({"email": "other@example.org"}, {"email": ADDRESS, "email_verified": True}, False),
            ({}, {"email": ADDRESS}, False),
            ({"email_verified": True}, {"email": ADDRESS, "email_verified": True}, True),
            ({"email_verified": True}, {"email": ADDRESS, "email_verified": False}, False),
        ],
        ids=str,
    )
    def test_what_both_say_of_it(
        self,
        client: Client,
        issuer: Issuer,
        zoe: User,
        token: dict[str, Any],
        more: dict[str, Any],
        lets_in: bool,
    ) -> None:
        del issuer.person["email"], issuer.person["email_verified"]
        issuer.person |= token
        issuer.userinfo = more
        back(client)
        assert is_in(client) is lets_in

    def test_it_links_once(self, client: Client, issuer: Issuer, zoe: User) -> None:
        """Else whoever has the address next would be let in after the next new password."""
        back(client)
        zoe.set_password("another-long-password")
        zoe.save()
        client.logout()
        issuer.person["sub"] = "u-2"
        refused(client, back(client), "n'est pas encore relié")
        issuer.person["sub"] = "u-1"
        refused(client, back(client), "n'est pas encore relié")

    def test_of_a_demonstration_it_links_nothing(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        User.objects.update(is_demo=True)
        refused(client, back(client), "Aucun compte d'ici")

    def test_the_same_name_at_another_institution_is_somebody_else(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        yan = make_user("Yan", email="yan@private.example")
        InstitutionAccount.objects.create(user=yan, issuer="https://old.example", subject="u-1")
        back(client)
        assert client.session["_auth_user_id"] == str(zoe.pk)

    def test_one_that_no_one_could_vouch_for_but_itself(
        self, client: Client, issuer: Issuer
    ) -> None:
        lead = make_user("Lead")
        _, token = invitation_create(
            actor=lead, email=ADDRESS, role=Invitation.Role.ANNOTATOR, study=make_study(lead=lead)
        )
        own = invitation_accept(token=token, name="Zoé", password=PASSWORD + "-2")
        Event.objects.create(
            actor=own, verb="address_vouched", target_type="user", target_id=str(own.pk)
        )
        refused(client, back(client), "n'est pas encore relié")


class TestSecondStep:
    @pytest.fixture
    def careful(self, zoe: User) -> User:
        second_factor_begin(actor=zoe)
        second_factor_confirm(actor=zoe, code=code_of(zoe))
        TOTPDevice.objects.update(last_t=-1)
        return zoe

    def test_it_is_asked_for_all_the_same(
        self, client: Client, issuer: Issuer, careful: User
    ) -> None:
        assert back(client, "?next=/protocols/")["Location"] == CODE
        assert not is_in(client)
        answer = client.post(CODE, {"code": "000000"})
        assert answer.status_code == 422
        assert not is_in(client)
        TOTPDevice.objects.get(user=careful).throttle_reset()
        assert client.post(CODE, {"code": code_of(careful)})["Location"] == "/protocols/"
        assert is_in(client)

    def test_not_after_ten_minutes(self, client: Client, issuer: Issuer, careful: User) -> None:
        back(client)
        session = client.session
        session["institution_waits"] = session["institution_waits"] | {"until": 1}
        session.save()
        refused(client, client.post(CODE, {"code": code_of(careful)}), "recommencez")

    def test_nor_once_the_account_is_closed(
        self, client: Client, issuer: Issuer, careful: User
    ) -> None:
        back(client)
        User.objects.filter(pk=careful.pk).update(is_active=False)
        refused(client, client.get(CODE), "recommencez")

    def test_nor_after_a_new_password(self, client: Client, issuer: Issuer, careful: User) -> None:
        back(client)
        careful.set_password("another-long-password")
        careful.save()
        refused(client, client.post(CODE, {"code": code_of(careful)}), "recommencez")

    def test_nor_once_it_is_unlinked(self, client: Client, issuer: Issuer, careful: User) -> None:
        back(client)
        institution_unlink(actor=careful, user=careful)
        refused(client, client.post(CODE, {"code": code_of(careful)}), "recommencez")

    def test_wrong_codes_shut_the_door_as_wrong_passwords_do(
        self, client: Client, issuer: Issuer, careful: User, settings: Any
    ) -> None:
        settings.AXES_ENABLED = True
        back(client)
        for _ in range(settings.AXES_FAILURE_LIMIT):
            client.post(CODE, {"code": "000000"})
            TOTPDevice.objects.get(user=careful).throttle_reset()
        answer = client.post(CODE, {"code": code_of(careful)})
        assert answer.status_code == 429
        assert not is_in(client)

    def test_a_code_that_comes_too_soon_is_not_counted(
        self, client: Client, issuer: Issuer, careful: User
    ) -> None:
        back(client)
        client.post(CODE, {"code": "000000"})
        # Two minutes from now on, however slow the machine.
        TOTPDevice.objects.update(throttling_failure_count=8)
        number = AccessAttempt.objects.get().failures_since_start
        client.post(CODE, {"code": code_of(careful)})
        assert AccessAttempt.objects.get().failures_since_start == number

    def test_nothing_of_it_stays_in_the_session(
        self, client: Client, issuer: Issuer, careful: User
    ) -> None:
        back(client)
        assert client.session["institution_waits"]["until"] <= time.time() + 600
        answer = client.post(CODE, {"code": code_of(careful)})
        assert "bareme_known" in answer.cookies
        assert {"institution_waits", "institution_next"}.isdisjoint(client.session.keys())

    def test_one_that_was_turned_on_just_now(
        self, client: Client, issuer: Issuer, careful: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Between the look and the log-in."""
        looks = iter([None, second_factor_of(careful)])
        monkeypatch.setattr(views, "second_factor_of", lambda user: next(looks))
        refused(client, back(client), "recommencez")

    def test_nor_by_whoever_comes_from_nowhere(self, client: Client, issuer: Issuer) -> None:
        refused(client, client.post(CODE, {"code": "123456"}), "recommencez")


class TestLink:
    @pytest.fixture
    def yan(self, client: Client) -> User:
        """Whose address there is another one."""
        yan = make_user("Yan", email="yan@private.example", language="en")
        client.force_login(yan)
        return yan

    def test_it_is_linked_with_the_password(
        self, client: Client, issuer: Issuer, yan: User
    ) -> None:
        answer = client.post("/account/security/", {"action": "link", "link-password": PASSWORD})
        assert answer["Location"] == "/account/security/"
        page = client.get("/account/security/").content.decode()
        assert f'href="{BEGIN}"' in page
        answer = back(client)
        assert answer["Location"] == "/account/security/"
        assert "you can log in with Université d'essai" in said(answer)
        client.logout()
        back(client)
        assert client.session["_auth_user_id"] == str(yan.pk)
        client.post("/account/security/", {"action": "unlink"})
        assert not InstitutionAccount.objects.exists()
        verbs = Event.objects.filter(target_id=str(yan.pk)).order_by("pk")
        assert list(verbs.values_list("verb", flat=True)) == [
            "institution_linked",
            "institution_unlinked",
        ]
        assert client.post("/account/security/", {"action": "unlink"}).status_code == 302

    def test_not_without_it(self, client: Client, issuer: Issuer, yan: User) -> None:
        client.post("/account/security/", {"action": "link", "link-password": "another"})
        assert asked(client) == "/"
        assert not InstitutionAccount.objects.exists()

    def test_nor_by_a_way_back_that_was_begun_before_the_log_in(
        self, client: Client, issuer: Issuer
    ) -> None:
        at = requests.get(asked(client), allow_redirects=False, timeout=5).headers["Location"]
        client.force_login(make_user("Yan", email="yan@private.example"))
        answer = client.get(f"{BACK}?{urlsplit(at).query}")
        assert answer["Location"] in ("/account/security/", "/account/login/")
        assert not InstitutionAccount.objects.exists()

    def test_one_that_is_another_persons(
        self, client: Client, issuer: Issuer, zoe: User, yan: User
    ) -> None:
        InstitutionAccount.objects.create(user=zoe, issuer=issuer.url, subject="u-1")
        client.post("/account/security/", {"action": "link", "link-password": PASSWORD})
        answer = back(client)
        assert answer["Location"] == "/account/security/"
        assert "is linked to another account here" in said(answer)
        assert InstitutionAccount.objects.get().user == zoe

    def test_a_second_one(self, client: Client, issuer: Issuer, yan: User) -> None:
        client.post("/account/security/", {"action": "link", "link-password": PASSWORD})
        InstitutionAccount.objects.create(user=yan, issuer=issuer.url, subject="u-2")
        assert "linked to your institution already" in said(back(client))

    def test_one_of_an_institution_that_was_before_is_replaced(
        self, client: Client, issuer: Issuer, yan: User
    ) -> None:
        InstitutionAccount.objects.create(user=yan, issuer="https://old.example", subject="u-9")
        page = client.get("/account/security/").content.decode()
        assert 'value="link"' in page
        client.post("/account/security/", {"action": "link", "link-password": PASSWORD})
        back(client)
        linked = InstitutionAccount.objects.get()
        assert (linked.issuer, linked.subject) == (issuer.url, "u-1")

    def test_not_by_whoever_knew_the_password_before(
        self, client: Client, issuer: Issuer, yan: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A new one is set while the institution answers."""
        client.post("/account/security/", {"action": "link", "link-password": PASSWORD})
        heard = views.institution_heard

        def slowly(request: Any) -> Any:
            assert request.user.is_authenticated
            vouched = heard(request)
            other = User.objects.get(pk=yan.pk)
            other.set_password("another-long-password")
            other.save()
            return vouched

        monkeypatch.setattr(views, "institution_heard", slowly)
        back(client)
        assert not InstitutionAccount.objects.exists()

    def test_the_permission_ends(self, client: Client, issuer: Issuer, yan: User) -> None:
        client.post("/account/security/", {"action": "link", "link-password": PASSWORD})
        session = client.session
        assert session["institution_link"] <= time.time() + 600
        session["institution_link"] = 1
        session.save()
        assert asked(client) == "/"

    def test_its_person_is_told(
        self,
        client: Client,
        issuer: Issuer,
        zoe: User,
        settings: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        settings.EMAIL_HOST = "mail.example"
        monkeypatch.setattr(
            "annotation.services.platform.letters.letter_send_later", lambda letter: letter.send()
        )
        with TestCase.captureOnCommitCallbacks(execute=True):
            back(client)
            institution_unlink(actor=zoe, user=zoe)
        linked, unlinked = (letter.body for letter in mail.outbox)
        assert "was linked to one of your institution" in linked
        assert "no longer linked" in unlinked

    def test_a_new_password_ends_it(self, client: Client, issuer: Issuer, yan: User) -> None:
        """Whoever knew the old one may have linked their own."""
        InstitutionAccount.objects.create(user=yan, issuer=issuer.url, subject="u-1")
        yan.set_password("another-long-password")
        yan.save()
        assert not InstitutionAccount.objects.exists()
        client.logout()
        refused(client, back(client), "")

    def test_the_permission_serves_once(self, client: Client, issuer: Issuer, yan: User) -> None:
        client.post("/account/security/", {"action": "link", "link-password": PASSWORD})
        back(client)
        client.post("/account/security/", {"action": "unlink"})
        assert asked(client) == "/"

    def test_who_has_just_accepted_an_invitation_links_without_the_password_again(
        self, client: Client, issuer: Issuer
    ) -> None:
        lead = make_user("Lead")
        study = make_study(lead=lead)
        _invitation, token = invitation_create(
            actor=lead, study=study, email="new@example.org", role="annotator"
        )
        address = f"/account/invitation/{token}/"
        assert "Université d&#x27;essai" in client.get(address).content.decode()
        chosen = "une phrase de passe bien longue"
        form = {"name": "Nou", "password": chosen, "again": chosen}
        assert client.post(address, form).status_code == 302
        assert f'href="{BEGIN}"' in client.get("/account/security/").content.decode()
        back(client)
        assert InstitutionAccount.objects.get().user.email == "new@example.org"

    def test_an_admin_unlinks_somebody_and_ends_what_is_open(
        self, client: Client, issuer: Issuer, zoe: User, boss: Client
    ) -> None:
        """Whose account it is now there, nobody here can know."""
        back(client)
        token, _secret = token_create(actor=zoe, name="essai", scopes=["judge"], days=1)
        User.objects.filter(pk=zoe.pk).update(is_active=False)
        assert boss.get("/people/").content.decode().count("unlink_institution") == 1
        User.objects.filter(pk=zoe.pk).update(is_active=True)
        form = {"action": "unlink_institution", "user": str(zoe.pk)}
        answer = boss.post("/people/", form | {"reason": "  "})
        assert answer.status_code == 422
        assert "Give a reason" in answer.content.decode()
        assert InstitutionAccount.objects.exists()
        assert client.get("/account/security/").status_code == 200
        assert boss.post("/people/", form | {"reason": " given to another "}).status_code == 302
        assert not InstitutionAccount.objects.exists()
        assert client.get("/account/security/").status_code == 302
        token.refresh_from_db()
        assert token.revoked_at is not None
        done = Event.objects.filter(actor__email="boss@example.org").order_by("pk")
        assert list(done.values_list("verb", "details__reason")) == [
            ("institution_unlinked", "given to another"),
            ("sessions_ended", None),
            ("token_revoked", None),
        ]
        assert "unlink_institution" not in boss.get("/people/").content.decode()
        # The address links nothing again: its person does, with the password.
        refused(client, back(client), "password")

    def test_so_where_somebody_has_unlinked_it_a_moment_before(
        self,
        client: Client,
        issuer: Issuer,
        zoe: User,
        boss: Client,
        settings: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        back(client)
        client.post("/account/security/", {"action": "unlink"})
        assert Event.objects.get(verb="institution_unlinked").details == {}
        settings.EMAIL_HOST = "mail.example"
        monkeypatch.setattr(
            "annotation.services.platform.letters.letter_send_later", lambda letter: letter.send()
        )
        form = {"action": "unlink_institution", "user": str(zoe.pk), "reason": "given away"}
        with TestCase.captureOnCommitCallbacks(execute=True):
            assert boss.post("/people/", form).status_code == 302
        assert client.get("/account/security/").status_code == 302
        assert Event.objects.filter(verb="institution_unlinked").count() == 2
        (letter,) = mail.outbox
        assert "An admin unlinked your account" in letter.body

    def test_who_is_just_logging_in_by_it_is_not_let_in(
        self, client: Client, issuer: Issuer, zoe: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def first(*known: Any, **by_name: Any) -> None:
            institution_unlink(actor=None, user=zoe)
            login(*known, **by_name)

        monkeypatch.setattr(views, "login", first)
        refused(client, back(client), "recommencez")

    def test_nor_who_is_giving_their_code(
        self, client: Client, issuer: Issuer, zoe: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        second_factor_begin(actor=zoe)
        second_factor_confirm(actor=zoe, code=code_of(zoe))
        back(client)

        def checked(**_: Any) -> None:
            institution_unlink(actor=None, user=zoe)

        monkeypatch.setattr(views, "second_factor_check", checked)
        refused(client, client.post(CODE, {"code": "123456"}), "recommencez")

    def test_nobody_but_an_admin_does_it_and_no_admin_to_themselves(
        self, client: Client, issuer: Issuer, zoe: User
    ) -> None:
        back(client)
        form = {"action": "unlink_institution", "user": str(zoe.pk), "reason": "no"}
        assert client.post("/people/", form).status_code == 404
        User.objects.filter(pk=zoe.pk).update(is_admin=True)
        assert client.post("/people/", form).status_code == 404
        assert InstitutionAccount.objects.filter(user=zoe).exists()


def test_the_secret_and_codes_are_sent_to_the_issuer_alone(
    client: Client, issuer: Issuer, zoe: User
) -> None:
    to = asked(client)
    assert SECRET not in to
    query = parse_qs(urlsplit(to).query)
    assert query["redirect_uri"] == [f"http://testserver{BACK}"]
    assert query["scope"] == ["openid email"]
    back(client)
    assert SECRET not in str(issuer.heard)


def test_the_way_back_is_the_address_that_is_registered(
    client: Client, issuer: Issuer, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://bareme.example.org"
    query = parse_qs(urlsplit(asked(client)).query)
    assert query["redirect_uri"] == [f"https://bareme.example.org{BACK}"]


def test_one_without_a_name_has_a_button_too(client: Client, issuer: Issuer, settings: Any) -> None:
    settings.INSTITUTION = settings.INSTITUTION | {"name": ""}
    assert "votre établissement" in client.get("/account/login/").content.decode()
