"""Logging in with an account of one's institution, over real HTTP to an issuer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.contrib.messages import get_messages
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice
from joserfc.jwk import RSAKey

from annotation.models import Event, InstitutionAccount, Invitation, User
from annotation.services.accounts.second_factor import second_factor_begin, second_factor_confirm
from annotation.services.people.invitations import invitation_accept, invitation_create
from annotation.web.accounts import institution
from tests.factories import make_study, make_user
from tests.fake_issuer import CLIENT, SECRET, Issuer, issuing
from tests.second_factors import code_of

pytestmark = pytest.mark.django_db
BEGIN, BACK, CODE = (f"/account/institution/{part}" for part in ("", "back/", "code/"))
PASSWORD = "a-long-password"
ADDRESS = "zoe@example.org"


@pytest.fixture
def issuer(settings: Any) -> Iterator[Issuer]:
    institution._registered.cache_clear()
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
        institution._client().fetch_jwk_set()
        issuer.keys.insert(0, Issuer().keys[0])
        refused(client, client.get(f"{BACK}?{urlsplit(at).query}"), "recommencez")

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


def test_the_secret_and_codes_are_sent_to_the_issuer_alone(
    client: Client, issuer: Issuer, zoe: User
) -> None:
    to = asked(client)
    assert SECRET not in to
    query = parse_qs(urlsplit(to).query)
    assert query["redirect_uri"] == [f"http://testserver{BACK}"]
    back(client)
    assert SECRET not in str(issuer.heard)
