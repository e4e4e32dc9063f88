"""Log-in, sessions, invitations, preferences: as pages and as the judging page's own requests."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.contrib.staticfiles import finders
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from redis.exceptions import RedisError

from annotation.models import Event, Invitation, User
from annotation.services.accounts.letter_counts import LETTERS_AN_HOUR
from annotation.services.people.invitations import invitation_create
from annotation.web.accounts.forms import account as account_forms
from annotation.web.platform.user_ref import user_ref
from tests.factories import make_study, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_counted")]
JSON = {"accept": "application/json"}
PASSWORD = "a-long-password"
NEW = {"new_password1": "tout-autre-chose-9", "new_password2": "tout-autre-chose-9"}


def letters():
    """What was mailed, once the threads that mail are done."""
    for thread in threading.enumerate():
        if thread.name == "letter":
            thread.join()
    return mail.outbox


def log_in(client: Client, user: User, password: str = PASSWORD, **more):
    return client.post(
        "/account/login/", {"username": user.email, "password": password, **more}, headers=JSON
    )


class TestLogIn:
    def test_by_page(self, client):
        user = make_user()
        answer = client.post(
            "/account/login/", {"username": user.email.upper(), "password": PASSWORD}
        )
        assert (answer.status_code, answer.url) == (302, "/")

    def test_a_refusal_keeps_the_address_and_where_one_was_going(self, client):
        user = make_user()
        page = client.post(
            "/account/login/?next=/people/", {"username": user.email, "password": "wrong"}
        )
        assert page.context["form"].non_field_errors()
        assert f'value="{user.email}"' in page.content.decode()
        assert page.context["next"] == "/people/"

    def test_a_demonstration_says_so_before_anybody_logs_in(self, client, settings):
        settings.DEMO = True
        assert "demo-banner" in client.get("/account/login/").content.decode()

    def test_in_place_for_the_judging_page(self, client):
        user = make_user()
        answer = log_in(client, user)
        assert answer.json()["user"] == user_ref(user)
        assert answer.json()["csrf_token"]
        assert str(user.pk) != answer.json()["user"]

    def test_a_wrong_password_says_the_same_as_an_unknown_address(self, client):
        wrong = log_in(client, make_user(), "wrong")
        unknown = log_in(client, User(email="nobody@example.org"), "wrong")
        assert wrong.status_code == unknown.status_code == 400
        assert wrong.json()["problems"] == unknown.json()["problems"]

    @pytest.mark.parametrize(
        ("wanted", "reached"),
        [
            ("/annotate/alpha/?x=1", "/annotate/alpha/?x=1"),
            ("https://evil.example/", "/"),
            ("//evil.example/", "/"),
            ("/\\evil.example/", "/"),
            ("javascript:alert(1)", "/"),
        ],
    )
    def test_it_leads_nowhere_outside(self, client, wanted, reached):
        user = make_user()
        form = {"username": user.email, "password": PASSWORD, "next": wanted}
        assert client.post("/account/login/", form).url == reached

    def test_the_tenth_wrong_guess_waits_from_its_place_only(self, client):
        user, other = make_user(), make_user()
        statuses = [log_in(client, user, f"guess-{number}").status_code for number in range(10)]
        assert statuses == [400] * 9 + [429]
        refused = log_in(client, User(email=user.email.upper()))
        assert (refused.status_code, refused.json()["type"]) == (429, "locked_out")
        assert refused["Retry-After"] == "900"
        page = client.post("/account/login/", {"username": user.email, "password": PASSWORD})
        assert page.status_code == 429
        assert "accounts/locked.html" in [template.name for template in page.templates]
        assert log_in(client, other).status_code == 200
        assert log_in(Client(REMOTE_ADDR="203.0.113.9"), user).status_code == 200

    def test_a_right_password_forgives_the_wrong_ones(self, client):
        user = make_user()
        for _round in range(2):
            for number in range(9):
                assert log_in(client, user, f"guess-{number}").status_code == 400
            assert log_in(client, user).status_code == 200

    def test_a_form_without_its_token_says_so(self):
        client = Client(enforce_csrf_checks=True)
        answer = log_in(client, make_user())
        assert (answer.status_code, answer.json()["type"]) == (403, "csrf_failed")
        assert client.post("/account/login/", {}).status_code == 403
        token = client.get("/account/session/").json()["csrf_token"]
        assert log_in(client, make_user(), csrfmiddlewaretoken=token).status_code == 200

    def test_a_browser_without_cookies_is_told_of_them(self):
        """Another log-in is neither the cause nor, for whom none can succeed, a remedy."""
        client = Client(enforce_csrf_checks=True, headers={"accept-language": "en"})
        client.get("/account/login/")
        form = {"username": "a@example.org", "password": "x", "csrfmiddlewaretoken": "a" * 64}
        old = client.post("/account/login/", form)
        client.cookies.clear()
        bare = client.post("/account/login/", form)
        assert (old.status_code, bare.status_code) == (403, 403)
        assert "older than your log-in" in old.content.decode()
        assert "cookie" not in old.content.decode()
        assert "older than your log-in" not in bare.content.decode()
        assert "Allow cookies for this site" in bare.content.decode()
        client.cookies.clear()
        said = log_in(client, make_user()).json()
        assert (said["type"], "cookie" in said["title"]) == ("csrf_failed", True)

    def test_a_closed_account_stays_out(self, client):
        assert log_in(client, make_user(is_active=False)).status_code == 400

    def test_logging_out_is_a_post(self, client):
        client.force_login(make_user())
        assert client.get("/account/logout/").status_code == 405
        client.post("/account/logout/")
        assert client.get("/account/session/").status_code == 401


class TestSession:
    def test_asking_how_long_it_lasts_does_not_make_it_last_longer(self, client):
        user = make_user()
        client.force_login(user)
        Session.objects.update(expire_date=timezone.now() + timedelta(seconds=90))
        answer = client.get("/account/session/").json()
        assert 80 <= answer["seconds_left"] <= 90
        assert answer["user"] == user_ref(user)
        assert client.get("/account/session/").json()["seconds_left"] <= 90
        assert client.post("/account/session/").json()["seconds_left"] > 7 * 3600
        assert client.get("/account/session/").json()["seconds_left"] > 7 * 3600

    def test_use_renews_it_but_not_at_each_request(self, client):
        client.force_login(make_user())
        client.get("/account/preferences/")
        Session.objects.update(expire_date=timezone.now() + timedelta(seconds=90))
        client.get("/account/preferences/")
        assert client.get("/account/session/").json()["seconds_left"] <= 90
        session = client.session
        session["renewed_at"] = 0
        session.save()
        client.get("/account/preferences/")
        assert client.get("/account/session/").json()["seconds_left"] > 7 * 3600

    def test_one_that_has_ended_is_none(self, client):
        client.force_login(make_user())
        assert client.get("/").status_code == 200
        Session.objects.update(expire_date=timezone.now())
        assert client.get("/").url == "/account/login/?next=/"

    @pytest.mark.parametrize("end", [{"is_active": False}, {"password": "!"}])
    def test_it_ends_with_the_account_s_right_to_log_in(self, client, end):
        user = make_user()
        client.force_login(user)
        assert client.get("/").status_code == 200
        User.objects.filter(pk=user.pk).update(**end)
        assert client.get("/").url == "/account/login/?next=/"

    def test_it_ends_with_the_account(self, client):
        user = make_user()
        client.force_login(user)
        user.delete()
        assert client.get("/").url == "/account/login/?next=/"

    def test_a_page_knows_how_long_it_lasts_at_least(self, client):
        client.force_login(make_user())
        for _first_then_later in range(2):
            site = client.get("/account/preferences/").context["site"]
            assert site["session_url"] == "/account/session/"
            assert 8 * 3600 - 5 <= site["session_seconds"] <= 8 * 3600
        session = client.session
        session["renewed_at"] -= 600
        session.save()
        assert (
            client.get("/account/preferences/").context["site"]["session_seconds"] <= 8 * 3600 - 600
        )
        assert client.get("/account/invitation/x/").context["site"]["session_url"]
        assert Client().get("/account/login/").context["site"]["session_url"] == ""

    def test_an_ended_one_still_hands_out_a_token(self, client):
        answer = client.get("/account/session/")
        assert (answer.status_code, answer.json()["type"]) == (401, "login_required")
        assert answer.json()["csrf_token"]


class TestInvitation:
    @pytest.fixture
    def path(self) -> str:
        lead = make_user()
        _, token = invitation_create(
            actor=lead, study=make_study(lead=lead), email="new@example.org", role="annotator"
        )
        return f"/account/invitation/{token}/"

    def form(self, **changed):
        return {
            "name": "Léa",
            "password": "un-bon-mot-de-passe",
            "again": "un-bon-mot-de-passe",
        } | changed

    def test_accepting_it_makes_an_account_and_logs_in(self, client, path):
        assert "new@example.org" in client.get(path).content.decode()
        assert client.post(path, self.form()).status_code == 302
        assert client.get("/account/session/").status_code == 200
        assert client.get(path).status_code == 410

    @pytest.mark.parametrize(
        "wrong", [{"password": "12345", "again": "12345"}, {"again": "autre"}, {"name": ""}]
    )
    def test_what_is_wrong_is_said_and_the_link_still_works(self, client, path, wrong):
        assert client.post(path, self.form(**wrong)).status_code == 422
        assert client.post(path, self.form()).status_code == 302

    def test_an_expired_one_says_whom_to_ask(self, client, path):
        Invitation.objects.update(expires_at=timezone.now())
        answer = client.get(path)
        assert answer.status_code == 410
        assert "expiré" in answer.content.decode()
        assert 'href="#id_' not in answer.content.decode(), "no field here to be led to"

    def test_somebody_else_s_is_refused_with_the_way_back(self, client, path):
        client.force_login(make_user())
        assert client.get(path).context["for_another"]
        assert client.post(path).status_code == 422
        assert client.post("/account/logout/", {"next": path}).url == path
        assert client.post(path, self.form()).status_code == 302

    def test_who_has_an_account_is_sent_to_log_in_and_back(self, client, path):
        user = make_user(email="new@example.org")
        page = client.get(path)
        assert page.context["has_account"]
        assert f"/account/login/?next={path}" in page.content.decode()
        assert client.post(path, self.form()).status_code == 422
        login = {"username": user.email, "password": PASSWORD, "next": path}
        assert client.post("/account/login/", login).url == path
        assert client.post(path).status_code == 302
        assert user.annotates.count() == 1

    def test_the_account_speaks_the_language_that_was_chosen_here(self, client, path):
        client.post("/account/preferences/", {"language": "en", "next": path})
        client.post(path, self.form())
        assert User.objects.get(email="new@example.org").language == "en"


class TestPreferences:
    def test_each_may_be_set_alone(self, client):
        user = make_user()
        client.force_login(user)
        answer = client.post("/account/preferences/", {"type_size": "xl"}, headers=JSON)
        assert answer.json() == {"type_size": "xl"}
        client.post("/account/preferences/", {"theme": "dark", "language": "en"})
        user.refresh_from_db()
        assert (user.type_size, user.theme, user.language) == ("xl", "dark", "en")
        assert 'lang="en"' in client.get("/account/preferences/").content.decode()

    def test_spacing_and_typeface_stand_on_every_page(self, client):
        user = make_user()
        client.force_login(user)
        assert (
            'data-spacing="normal"\n      data-typeface="standard"'
            in client.get("/account/preferences/").content.decode()
        )
        client.post("/account/preferences/", {"spacing": "wide", "typeface": "opendyslexic"})
        user.refresh_from_db()
        assert (user.spacing, user.typeface) == ("wide", "opendyslexic")
        page = " ".join(client.get("/account/preferences/").content.decode().split())
        assert 'data-spacing="wide" data-typeface="opendyslexic"' in page
        for pressed in ('name="spacing" value="wide"', 'name="typeface" value="opendyslexic"'):
            assert f'{pressed} aria-pressed="true"' in page
        refused = client.post("/account/preferences/", {"typeface": "comic"}, headers=JSON)
        assert (refused.status_code, refused.json()["problems"][0]["field"]) == (400, "typeface")

    def test_the_typeface_is_shipped_with_its_licence(self):
        style = Path(finders.find("css/judging/reading.css"))
        named = re.findall(r'url\("([^"]+)"\)', style.read_text())
        assert len(named) == 2
        for file in named:
            assert (style.parent / file).read_bytes()[:4] == b"wOF2"
        assert (
            "SIL OPEN FONT LICENSE"
            in Path(finders.find("fonts/opendyslexic/LICENSE.txt")).read_text()
        )

    def test_what_is_no_choice_changes_nothing(self, client):
        user = make_user()
        client.force_login(user)
        answer = client.post("/account/preferences/", {"theme": "pink"}, headers=JSON)
        assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "theme")
        assert (
            client.post("/account/preferences/", {"theme": "pink", "next": "//evil"}).url
            == "/account/preferences/"
        )
        user.refresh_from_db()
        assert user.theme == "auto"

    def test_anybody_may_choose_the_language_of_the_log_in_page(self, client):
        assert 'lang="fr"' in client.get("/account/login/").content.decode()
        answer = client.post("/account/preferences/", {"language": "en", "next": "/account/login/"})
        assert (answer.status_code, answer.url) == (303, "/account/login/")
        assert 'lang="en"' in client.get("/account/login/").content.decode()

    @pytest.mark.parametrize(
        ("accepted", "language"),
        [
            ("en-CA,en;q=0.9", "en"),
            ("de,en;q=0.5,fr;q=0.8", "fr"),
            ("fr-CA", "fr"),
            ("de", "fr"),
            ("", "fr"),
        ],
    )
    def test_the_browser_s_language_is_the_first_guess(self, client, accepted, language):
        page = client.get("/account/login/", headers={"accept-language": accepted})
        assert f'lang="{language}"' in page.content.decode()
        assert page["Content-Language"] == language
        assert "Accept-Language" in page["Vary"]

    def test_a_stranger_s_page_of_preferences_is_the_log_in(self, client):
        assert (
            client.get("/account/preferences/").url == "/account/login/?next=/account/preferences/"
        )


class TestPasswords:
    @pytest.fixture
    def mail_server(self, settings):
        settings.EMAIL_HOST = "mail.example.org"

    def test_a_reset_says_the_same_to_everybody_and_mails_only_whom_it_knows(
        self, client, mail_server
    ):
        user = make_user(language="en")
        addresses = [user.email.upper(), make_user(is_active=False).email, "nobody@example.org"]
        answers = [
            client.post("/account/password/reset/", {"email": email}, follow=True)
            for email in addresses
        ]
        assert len({re.sub(rb"csrf[^>]*>", b"", answer.content) for answer in answers}) == 1
        (letter,) = letters()
        assert letter.to == [user.email]
        assert "Choose it here" in letter.body
        link = re.search(r"http://testserver(/account/password/reset/\S+)", letter.body)
        assert link
        page = client.get(link.group(1), follow=True)
        assert client.post(page.request["PATH_INFO"], NEW).status_code == 302
        assert Event.objects.get(verb="password_reset").actor == user
        assert log_in(client, user, "tout-autre-chose-9").status_code == 200
        assert not client.get(link.group(1), follow=True).context["validlink"]

    def test_a_reset_does_the_same_for_whom_it_does_not_know(
        self, client, mail_server, monkeypatch
    ):
        """By the time that an answer takes nobody learns who has an account."""
        steps: list[str] = []

        def noted(name: str, step: Callable[..., object]) -> Callable[..., object]:
            def taken(*args: object, **options: object) -> object:
                steps.append(name)
                return step(*args, **options)

            return taken

        for name in ("password_letter", "letter_send_later", "letter_may_go"):
            step = getattr(account_forms, name)
            monkeypatch.setattr(account_forms, name, noted(name, step))
        known = make_user()
        addresses = [known.email, "nobody@example.org", make_user(is_active=False).email]
        done = []
        # Once more than letters may go to anybody.
        for email in [*addresses, *[known.email] * LETTERS_AN_HOUR]:
            steps.clear()
            client.post("/account/password/reset/", {"email": email})
            done.append(tuple(steps))
        assert set(done) == {("letter_may_go", "password_letter", "letter_send_later")}
        assert {*map(tuple, (letter.to for letter in letters()))} == {(known.email,)}
        assert len(mail.outbox) == LETTERS_AN_HOUR

    def test_nobody_fills_the_mail_of_somebody_by_asking(self, client, mail_server):
        user, another = make_user(), make_user()
        answers = [
            client.post("/account/password/reset/", {"email": address}, follow=True)
            for address in [user.email] * 25 + [another.email]
        ]
        assert [letter.to for letter in letters()] == [[user.email]] * 3 + [[another.email]]
        assert len({re.sub(rb"csrf[^>]*>", b"", answer.content) for answer in answers}) == 1

    def test_a_letter_goes_while_nothing_can_be_counted(self, client, mail_server, monkeypatch):
        def away(*_: object) -> int:
            raise RedisError

        monkeypatch.setattr("annotation.services.accounts.letter_counts.cache.incr", away)
        client.post("/account/password/reset/", {"email": make_user().email})
        assert len(letters()) == 1

    def test_a_reset_ends_the_lockout_and_the_other_sessions(self, client, mail_server):
        user = make_user()
        elsewhere = Client()
        elsewhere.force_login(user)
        for number in range(10):
            log_in(client, user, f"guess-{number}")
        client.post("/account/password/reset/", {"email": user.email})
        link = re.search(r"/account/password/reset/\S+", letters()[0].body)
        page = client.get(link.group(), follow=True)
        weak = client.post(
            page.request["PATH_INFO"], {"new_password1": "12345", "new_password2": "12345"}
        )
        assert weak.context["form"].errors
        client.post(page.request["PATH_INFO"], NEW)
        assert log_in(client, user, "tout-autre-chose-9").status_code == 200
        assert elsewhere.get("/account/session/").status_code == 401

    def test_without_a_mail_server_it_says_whom_to_ask(self, client):
        user = make_user()
        for answer in (
            client.get("/account/password/reset/"),
            client.post("/account/password/reset/", {"email": user.email}),
        ):
            assert answer.status_code == 200
            assert answer.context["form"] is None
            assert 'name="email"' not in answer.content.decode()
        assert not letters()

    def test_one_s_own_is_changed_with_the_old_one(self, client):
        user = make_user()
        client.force_login(user)
        wrong = client.post("/account/password/change/", {"old_password": "wrong"} | NEW)
        assert "old_password" in wrong.context["form"].errors
        assert (
            client.post("/account/password/change/", {"old_password": PASSWORD} | NEW).status_code
            == 302
        )
        assert Event.objects.get(verb="password_changed").actor == user
        assert client.get("/account/session/").status_code == 200
        assert log_in(Client(), user, "tout-autre-chose-9").status_code == 200

    def test_guesses_of_one_s_own_count_like_those_at_the_log_in(self, client):
        """Whoever sits at an open session tried old passwords without end."""
        user = make_user()
        client.force_login(user)
        statuses = [
            client.post("/account/password/change/", {"old_password": "wrong"} | NEW).status_code
            for _ in range(11)
        ]
        assert statuses == [200] * 9 + [429] * 2
        right = client.post("/account/password/change/", {"old_password": PASSWORD} | NEW)
        assert right.status_code == 429
        user.refresh_from_db()
        assert user.check_password(PASSWORD)
        assert log_in(Client(), user).status_code == 429


class TestAnotherAddress:
    @pytest.fixture
    def sent(self, settings, monkeypatch, nothing_counted):
        """Addresses that a code was sent to, and the codes."""
        settings.EMAIL_HOST = "mail.example.org"
        codes: dict[str, str] = {}

        def letter(*, user: User, email: str, code: str) -> None:
            codes[email] = code

        monkeypatch.setattr("annotation.services.accounts.new_address.address_letter", letter)
        return codes

    def test_by_the_page(self, client, sent):
        user = make_user("zeltane")
        client.force_login(user)
        page = reverse("address")
        new = {"action": "send", "email": "Zeltane@Cabinet.example", "password": PASSWORD}
        assert client.post(page, new | {"password": "wrong"}).status_code == 422
        assert not sent
        assert client.post(page, new).status_code == 302
        shown = client.get(page).content.decode()
        assert "zeltane@cabinet.example" in shown
        code = sent["zeltane@cabinet.example"]
        assert code not in shown
        refused = client.post(page, {"action": "take", "code": "0"})
        assert refused.status_code == 422
        assert "Ce n&#x27;est pas le code" in refused.content.decode()
        done = client.post(page, {"action": "take", "code": code}, follow=True)
        assert done.status_code == 200
        # Who is in stays in, and comes in by the new address.
        assert client.get(reverse("home")).status_code == 200
        user.refresh_from_db()
        assert log_in(Client(), user).status_code == 200
        user.email = "zeltane@example.org"
        assert log_in(Client(), user).status_code == 400

    def test_a_change_is_awaited_no_more(self, client, sent):
        client.force_login(make_user("zeltane"))
        page = reverse("address")
        new = {"action": "send", "email": "z@cabinet.example", "password": PASSWORD}
        client.post(page, new)
        assert client.post(page, {"action": "cancel"}).status_code == 302
        assert "z@cabinet.example" not in client.get(page).content.decode()
        taken = {"action": "take", "code": sent["z@cabinet.example"]}
        assert client.post(page, taken).status_code == 422

    def test_without_mail_the_page_says_whom_to_ask(self, client, settings):
        settings.EMAIL_HOST = ""
        client.force_login(make_user("zeltane"))
        assert 'name="email"' not in client.get(reverse("address")).content.decode()

    def test_no_other_action(self, client):
        client.force_login(make_user("zeltane"))
        assert client.post(reverse("address"), {"action": "x"}).status_code == 404
