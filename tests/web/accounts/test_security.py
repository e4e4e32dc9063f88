"""The second step of the log-in, open log-ins, and letters about one's way in. Codes: RFC 6238, by
django-otp."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.models import Event, Invitation, Lead, User
from annotation.selectors.privacy.personal import personal_data
from annotation.services.accounts.second_factor import second_factor_of, second_factor_remove
from annotation.services.accounts.tokens import token_create
from annotation.services.people.invitations import invitation_create
from annotation.services.people.people import admin_set, lead_add
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import erasure_request
from tests.cast import Cast
from tests.factories import make_user
from tests.second_factors import code_of
from tests.worlds import world
from workers.sweep import sweep

pytestmark = pytest.mark.django_db

PASSWORD = "a-long-password"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@world
def security_person(cast: Cast) -> User:
    return make_user("alice")


@world
def security_inside(security_person: User) -> str:
    """The session of a log-in with the password."""
    client = Client()
    assert log_in(client, security_person).status_code == 302
    return str(client.cookies[django_settings.SESSION_COOKIE_NAME].value)


@pytest.fixture
def person(security_person: User) -> User:
    return security_person


@pytest.fixture
def inside(security_inside: str, client: Client) -> Client:
    client.cookies[django_settings.SESSION_COOKIE_NAME] = security_inside
    return client


def make_admin() -> User:
    return make_user(is_admin=True)


def log_in(client: Client, user: User, **more: str) -> Any:
    form = {"username": user.email, "password": PASSWORD} | more
    return client.post(reverse("login"), form, headers={"user-agent": FIREFOX})


def act(client: Client, action: str, **more: str) -> Any:
    if "password" in more:
        more[f"{action}-password"] = more.pop("password")
    return client.post(reverse("security"), {"action": action} | more)


def set_up(client: Client, user: User) -> list[str]:
    """Turn it on; the recovery codes that the page shows."""
    assert act(client, "begin", password=PASSWORD).status_code == 302
    page = act(client, "confirm", code=code_of(user)).content.decode()
    a_while_later()
    return re.findall(r"<li><code>(\w+)</code></li>", page)


def a_while_later() -> None:
    """A code of these 30 seconds may be used again, and nobody waits after a wrong one any more."""
    TOTPDevice.objects.update(
        last_t=-1, throttling_failure_timestamp=None, throttling_failure_count=0
    )
    StaticDevice.objects.update(throttling_failure_timestamp=None, throttling_failure_count=0)


def logged_in(client: Client) -> bool:
    return client.get(reverse("preferences")).status_code == 200


class TestSettingUp:
    def test_a_password_a_picture_and_a_code(self, inside: Client, person: User):
        assert act(inside, "begin", password="wrong").status_code == 422
        assert not TOTPDevice.objects.exists()
        assert act(inside, "begin", password=PASSWORD).status_code == 302
        page = inside.get(reverse("security")).content.decode()
        assert '<svg width="' in page
        assert "style=" not in page
        secret = TOTPDevice.objects.get().config_url.partition("secret=")[2].partition("&")[0]
        assert secret[:4] in page
        assert second_factor_of(person) is None, "nothing is on before a first code"
        refused = act(inside, "confirm", code="000000")
        assert refused.status_code == 422
        assert "<svg" in refused.content.decode(), "the picture is still there"
        a_while_later()
        shown = act(inside, "confirm", code=f" {code_of(person)[:3]} {code_of(person)[3:]} ")
        codes = re.findall(r"<li><code>(\w+)</code></li>", shown.content.decode())
        assert len(set(codes)) == 10
        assert second_factor_of(person).recovery_codes == 10
        assert "<svg" not in shown.content.decode()
        again = inside.get(reverse("security")).content.decode()
        assert codes[0] not in again
        assert [event.verb for event in Event.objects.filter(target_type="user")] == [
            "second_factor_added"
        ]

    def test_the_secret_is_shown_to_whoever_gave_the_password_alone(
        self, inside: Client, person: User
    ):
        act(inside, "begin", password=PASSWORD)
        other = Client()
        log_in(other, person)
        page = other.get(reverse("security")).content.decode()
        assert "<svg" not in page

    def test_it_ends_log_ins_that_had_the_password_alone(self, inside: Client, person: User):
        other = Client()
        log_in(other, person)
        set_up(inside, person)
        assert not logged_in(other)
        assert logged_in(inside)

    def test_a_secret_of_another_computer_is_not_shown(self, inside: Client, person: User):
        """Begun and left on a shared computer; then begun anew at home."""
        act(inside, "begin", password=PASSWORD)
        home = Client()
        log_in(home, person)
        act(home, "begin", password=PASSWORD)
        assert "<svg" in home.get(reverse("security")).content.decode()
        assert "<svg" not in inside.get(reverse("security")).content.decode()

    def test_a_second_click_says_that_it_is_on(self, inside: Client, person: User):
        act(inside, "begin", password=PASSWORD)
        code = code_of(person)
        first, second = act(inside, "confirm", code=code), act(inside, "confirm", code=code)
        assert first.status_code == 200
        assert second.status_code == 422
        assert "codes de secours, créez-en de nouveaux" in html.unescape(second.content.decode())
        tokens = StaticToken.objects.values_list("token", flat=True)
        assert all(token in first.content.decode() for token in tokens)

    def test_once_only(self, inside: Client, person: User):
        set_up(inside, person)
        assert act(inside, "begin", password=PASSWORD).status_code == 422
        assert TOTPDevice.objects.filter(confirmed=True).count() == 1

    def test_nothing_else_can_be_done_there(self, inside: Client):
        assert act(inside, "nonsense").status_code == 404
        assert act(inside, "renew", password=PASSWORD).status_code == 422
        assert act(inside, "remove", password=PASSWORD).status_code == 422
        assert act(inside, "confirm", code="123456").status_code == 422


class TestLogIn:
    @pytest.fixture
    def codes(self, inside: Client, person: User) -> list[str]:
        return set_up(inside, person)

    def test_nobody_else_is_asked(self, client: Client, person: User):
        assert 'name="code"' not in client.get(reverse("login")).content.decode()
        assert log_in(client, person).status_code == 302

    def test_the_password_alone_opens_nothing(self, codes, person: User):
        client = Client()
        answer = log_in(client, person)
        assert answer.status_code == 200
        assert 'name="code"' in answer.content.decode()
        assert not logged_in(client)

    def test_with_the_code_and_each_code_once(self, codes, person: User):
        code = code_of(person)
        assert log_in(Client(), person, code=code).status_code == 302
        client = Client()
        assert log_in(client, person, code=code).status_code == 200, "it was used"
        assert not logged_in(client)

    def test_a_right_code_without_the_password_opens_nothing(self, codes, person: User):
        client = Client()
        answer = client.post(
            reverse("login"), {"username": person.email, "password": "x", "code": code_of(person)}
        )
        assert answer.status_code == 200
        assert 'name="code"' not in answer.content.decode(), (
            "a guesser does not learn that there is one"
        )
        assert not logged_in(client)

    def test_a_recovery_code_once(self, codes, person: User):
        assert log_in(Client(), person, code=f" {codes[0].upper()} ").status_code == 302
        assert StaticToken.objects.count() == 9
        a_while_later()
        assert log_in(Client(), person, code=codes[0]).status_code == 200
        assert Event.objects.filter(verb="recovery_code_used").count() == 1

    def test_ordinary_log_ins_leave_the_recovery_codes_alone(self, codes, person: User):
        for _ in range(20):
            assert log_in(Client(), person, code=code_of(person)).status_code == 302
            TOTPDevice.objects.update(last_t=-1)
        assert log_in(Client(), person, code=codes[0]).status_code == 302

    def test_after_a_wrong_code_one_waits_until_there_is_a_new_password(
        self, codes, person: User, client: Client
    ):
        log_in(Client(), person, code="000000")
        TOTPDevice.objects.update(throttling_failure_count=10)
        too_soon = log_in(Client(), person, code=code_of(person))
        assert too_soon.status_code == 200
        assert "Trop de codes faux" in html.unescape(too_soon.content.decode())
        assert AccessAttempt.objects.get().failures_since_start == 1, "only what was wrong counts"
        new = "other horse battery"
        form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
        client.force_login(person)
        assert client.post(reverse("password_change"), form).status_code == 302
        assert log_in(Client(), person, password=new, code=code_of(person)).status_code == 302

    def test_one_that_was_under_way_when_it_was_turned_on_ends(
        self, person: User, monkeypatch, inside: Client
    ):
        set_up(inside, person)
        monkeypatch.setattr(
            "annotation.web.accounts.forms.account.second_factor_of", lambda user: None
        )
        late = Client()
        assert log_in(late, person).status_code == 200
        assert not logged_in(late)

    def test_wrong_codes_shut_the_door_like_wrong_passwords(self, codes, person: User):
        client = Client()
        for _ in range(django_settings.AXES_FAILURE_LIMIT):
            a_while_later()
            answer = log_in(client, person, code="000000")
        assert answer.status_code == 429
        assert log_in(Client(), person, code=codes[0]).status_code == 429

    def test_in_place_on_the_judging_page(self, codes, person: User):
        client, headers = Client(), {"accept": "application/json"}
        form = {"username": person.email, "password": PASSWORD}
        answer = client.post(reverse("login"), form, headers=headers)
        assert answer.status_code == 400
        (problem,) = answer.json()["problems"]
        assert (problem["field"], problem["code"]) == ("code", "second_step")
        answer = client.post(reverse("login"), form | {"code": code_of(person)}, headers=headers)
        assert answer.status_code == 200
        assert logged_in(client)


class TestTurningOff:
    def test_with_the_password(self, inside: Client, person: User):
        set_up(inside, person)
        assert act(inside, "remove", password="wrong").status_code == 422
        assert act(inside, "remove", password=PASSWORD).status_code == 302
        assert not TOTPDevice.objects.exists()
        assert not StaticToken.objects.exists()
        assert log_in(Client(), person).status_code == 302

    def test_new_recovery_codes_replace_the_former(self, inside: Client, person: User):
        former = set_up(inside, person)
        page = act(inside, "renew", password=PASSWORD).content.decode()
        assert StaticToken.objects.count() == 10
        assert not set(former) & set(StaticToken.objects.values_list("token", flat=True))
        assert all(token in page for token in StaticToken.objects.values_list("token", flat=True))

    def test_an_admin_for_somebody_who_lost_the_phone(
        self, inside: Client, person: User, client: Client
    ):
        set_up(inside, person)
        admin = Client()
        admin.force_login(make_admin())
        form = {"action": "remove_second_factor", "user": str(person.pk)}
        assert "remove_second_factor" in admin.get(reverse("people")).content.decode()
        assert admin.post(reverse("people"), form).status_code == 422, "a reason is asked for"
        assert (
            admin.post(reverse("people"), form | {"reason": "Téléphone perdu"}).status_code == 302
        )
        assert second_factor_of(person) is None
        assert (
            Event.objects.get(verb="second_factor_removed").details["reason"] == "Téléphone perdu"
        )

    def test_by_command(self, inside: Client, person: User, capsys: pytest.CaptureFixture[str]):
        set_up(inside, person)
        call_command("remove_second_factor", person.email, "--reason", "perdu")
        assert "password alone" in capsys.readouterr().out
        with pytest.raises(CommandError, match="not turned on"):
            call_command("remove_second_factor", person.email, "--reason", "perdu")

    def test_an_erasure_takes_it_along(self, inside: Client, person: User):
        set_up(inside, person)
        request = erasure_request(actor=person, user=person, wish="keep")
        done = erasure_grant(actor=make_admin(), request=request, judgments="keep", reason="loi")
        assert done.statement["removed"]["second_factors"] == 1
        assert not TOTPDevice.objects.exists()
        assert not StaticToken.objects.exists()


class TestRequired:
    @pytest.fixture(autouse=True)
    def _of_admins(self, settings):
        settings.SECOND_FACTOR_FOR = "admins"

    def test_it_comes_before_everything_else(self, settings):
        admin, client = make_admin(), Client()
        log_in(client, admin)
        assert client.get(reverse("people")).headers["location"] == reverse("security")
        assert (
            client.get(reverse("people"), headers={"accept": "application/json"}).status_code == 403
        )
        assert client.get(reverse("security")).status_code == 200
        set_up(client, admin)
        assert client.get(reverse("people")).status_code == 200
        assert act(client, "remove", password=PASSWORD).status_code == 422, "it stays on"
        assert second_factor_of(admin) is not None

    def test_programs_that_borrow_the_session_are_told(self):
        admin, client = make_admin(), Client()
        log_in(client, admin)
        answer = client.get("/api/v1/me/")
        assert answer.status_code == 403
        assert answer.json()["type"] == "second_step_due"

    def test_who_judges_goes_on(self, settings, cast):
        """Leads one study, judges in another: what they type there may not wait."""
        settings.SECOND_FACTOR_FOR = "leads"
        Lead.objects.create(study=cast.beta, user=cast.annotator)
        client = Client()
        log_in(client, cast.annotator)
        assert client.get(reverse("study", args=[cast.beta.key])).headers["location"] == reverse(
            "security"
        )
        assert client.get(reverse("annotate", args=[cast.alpha.key, 1])).status_code == 200

    def test_who_is_no_admin_any_more_goes_on_as_well(self):
        make_admin()
        admin, client = make_admin(), Client()
        log_in(client, admin)
        assert client.get(reverse("home")).status_code == 302
        User.objects.filter(pk=admin.pk).update(is_admin=False)
        assert client.get(reverse("home")).status_code == 200

    def test_an_invited_admin_begins_with_it(self):
        _invitation, token = invitation_create(
            actor=make_admin(), study=None, email="new@example.org", role=Invitation.Role.ADMIN
        )
        client = Client()
        form = {"name": "New", "password": "other horse battery", "again": "other horse battery"}
        assert client.post(reverse("invitation_accept", args=[token]), form).status_code == 302
        assert client.get(reverse("home")).headers["location"] == reverse("security")

    def becomes(self, how: str, user: User, study, client: Client) -> None:
        """Ways to a part that asks for the step, or away from the step, while one is logged in."""
        boss = make_admin()
        if how == "invited":
            token = invitation_create(actor=boss, study=study, email=user.email, role="lead")[1]
            assert client.post(reverse("invitation_accept", args=[token])).status_code == 302
        elif how == "added":
            lead_add(actor=boss, study=study, user=user)
        elif how == "made admin":
            admin_set(actor=boss, user=user, is_admin=True, reason="besoin")
        else:
            lead_add(actor=boss, study=study, user=user)
            set_up(client, user)
            assert client.get(reverse("study", args=[study.key])).status_code == 200
            second_factor_remove(actor=boss, user=user, reason="téléphone perdu")

    @pytest.mark.parametrize("how", ["invited", "added", "made admin", "lost it"])
    def test_in_a_session_that_is_open_already(self, settings, cast, person, inside, how):
        settings.SECOND_FACTOR_FOR = "leads"
        _token, secret = token_create(
            actor=person, name="before", scopes=["read", "lead"], days=365
        )
        program = {"authorization": f"Bearer {secret}"}
        assert Client().get("/api/v1/me/", headers=program).status_code == 200
        self.becomes(how, person, cast.alpha, inside)
        for page in (reverse("home"), reverse("study", args=[cast.alpha.key]), reverse("tokens")):
            assert inside.get(page).headers["location"] == reverse("security"), page
        refused = Client().get("/api/v1/studies/", headers=program)
        assert (refused.status_code, refused.json()["type"]) == (403, "second_step_due")

        set_up(inside, person)
        assert inside.get(reverse("study", args=[cast.alpha.key])).status_code == 200
        again = Client().get("/api/v1/studies/", headers=program)
        assert again.json()["type"] == "second_step_due", "the key was made by the password alone"
        _token, secret = token_create(actor=person, name="after", scopes=["read"], days=1)
        assert (
            Client()
            .get("/api/v1/studies/", headers={"authorization": f"Bearer {secret}"})
            .status_code
            == 200
        )

    def test_a_program_that_judges_goes_on(self, settings, cast):
        settings.SECOND_FACTOR_FOR = "leads"
        Lead.objects.create(study=cast.beta, user=cast.annotator)
        _token, secret = token_create(
            actor=cast.annotator, name="before", scopes=["read", "judge"], days=1
        )
        program = {"authorization": f"Bearer {secret}"}
        assert (
            Client().get(f"/api/v1/my/studies/{cast.alpha.key}/next/", headers=program).status_code
            == 200
        )
        assert Client().get(f"/api/v1/studies/{cast.beta.key}/", headers=program).status_code == 403

    @pytest.mark.parametrize(
        ("asked_of", "admin", "lead", "other"), [("admins", 1, 0, 0), ("leads", 1, 1, 0)]
    )
    def test_of_whom(self, settings, cast, asked_of, admin, lead, other):
        settings.SECOND_FACTOR_FOR = asked_of
        for user, expected in ((cast.admin, admin), (cast.lead, lead), (cast.annotator, other)):
            user.set_password(PASSWORD)
            user.save()
            client = Client()
            log_in(client, user)
            assert (client.get(reverse("home")).status_code == 302) == bool(expected), user


class TestSessions:
    def test_seen_and_ended(self, inside: Client, person: User):
        others = [Client(), Client(), Client()]
        for browser in others:
            log_in(browser, person)
        page = inside.get(reverse("security")).content.decode()
        assert page.count("Firefox · Linux") == 4
        keys = set(Session.objects.values_list("session_key", flat=True))
        assert not any(key in page for key in keys)
        refs = re.findall(r'name="session" value="(\w+)"', page)
        assert act(inside, "end", session=refs[1]).status_code == 302
        assert sum(logged_in(browser) for browser in others) == 2
        assert act(inside, "end_others").status_code == 302
        assert not any(logged_in(browser) for browser in others)
        assert logged_in(inside)

    def test_one_whose_time_is_over_is_kept_no_longer(self, inside: Client, person: User):
        """When somebody was here, and with which browser, stayed for good."""
        own = Session.objects.get().session_key
        log_in(Client(), person)
        newest = Session.objects.exclude(session_key=own)
        newest.update(expire_date=timezone.now() - timedelta(seconds=1))
        cache.delete("sweep-days")
        sweep()
        cache.delete("sweep-days")
        assert [session.session_key for session in Session.objects.all()] == [own]
        assert logged_in(inside)
        assert len(personal_data(person)["sessions"]) == 1

    def test_neither_ones_own_nor_anothers(self, inside: Client, person: User):
        stranger = Client()
        log_in(stranger, make_user())
        theirs = re.findall(
            r'name="session" value="(\w+)"', stranger.get(reverse("security")).content.decode()
        )
        own = re.findall(
            r'name="session" value="(\w+)"', inside.get(reverse("security")).content.decode()
        )
        for ref in (*theirs, *own):
            act(inside, "end", session=ref)
        assert logged_in(stranger)
        assert logged_in(inside)

    def test_one_without_a_name_ends_nothing_by_itself(self, inside: Client, person: User):
        other = Client()
        log_in(other, person)
        for form in ({"session": "nobody"}, {"session": ""}, {}):
            act(inside, "end", **form)
        assert logged_in(other)

    def test_one_that_lets_nobody_in_any_more_is_not_shown(self, inside: Client, person: User):
        log_in(Client(), person)
        before = set(Session.objects.values_list("pk", flat=True))
        log_in(Client(), person)
        Session.objects.exclude(pk__in=before).update(expire_date=timezone.now())
        assert inside.get(reverse("security")).content.decode().count('name="session"') == 2
        new = {"new_password1": "other horse battery", "new_password2": "other horse battery"}
        inside.post(reverse("password_change"), {"old_password": PASSWORD} | new)
        assert inside.get(reverse("security")).content.decode().count('name="session"') == 1

    def test_one_of_a_version_before(self, person: User, client: Client):
        client.force_login(person)
        assert client.get(reverse("security")).status_code == 200


class TestLetters:
    @pytest.fixture(autouse=True)
    def _now(self, settings, monkeypatch):
        settings.EMAIL_HOST = "mail.example.org"
        monkeypatch.setattr(
            "annotation.services.platform.letters.letter_send_later", lambda letter: letter.send()
        )

    def test_each_change_is_told(
        self, inside: Client, person: User, django_capture_on_commit_callbacks
    ):
        person.language = "en"
        person.save()
        with django_capture_on_commit_callbacks(execute=True):
            codes = set_up(inside, person)
            token_create(actor=person, name="x", scopes=["read"], days=1)
            log_in(Client(), person, code=codes[0])
            act(inside, "renew", password=PASSWORD)
            act(inside, "remove", password=PASSWORD)
            new = {"new_password1": "other horse battery", "new_password2": "other horse battery"}
            assert (
                inside.post(
                    reverse("password_change"), {"old_password": PASSWORD} | new
                ).status_code
                == 302
            )
        assert [letter.to for letter in mail.outbox] == [[person.email]] * 6
        said = [letter.body.splitlines()[0] for letter in mail.outbox]
        for word in (
            "turned on",
            "API token",
            "one of your recovery codes",
            "former ones",
            "turned off",
            "password was",
        ):
            assert sum(word in line for line in said) == 1, (word, said)
        assert not any(code in letter.body for letter in mail.outbox for code in codes)

    def test_no_mail_server_no_letter(
        self, settings, inside: Client, person: User, django_capture_on_commit_callbacks
    ):
        settings.EMAIL_HOST = ""
        with django_capture_on_commit_callbacks(execute=True):
            set_up(inside, person)
        assert mail.outbox == []
