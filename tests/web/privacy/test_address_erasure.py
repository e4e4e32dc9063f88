"""The page by which an admin erases the address of somebody who was invited and never came."""

from __future__ import annotations

import pytest
from axes.models import AccessFailureLog
from django.test import Client

from annotation.models import Event, Invitation, User
from annotation.services.people.invitations import invitation_create
from annotation.services.platform.events import event_record
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db
EMAIL = "nouvelle.venue@example.org"
PAGE = "/erasures/address/"


@pytest.fixture
def lead() -> User:
    return make_user("lead")


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(make_user("admin", is_admin=True, language="en"))
    return client


@pytest.fixture
def study(lead):
    study = make_study("alpha", lead=lead)
    invitation_create(actor=lead, study=study, email=EMAIL, role="annotator")
    AccessFailureLog.objects.create(username=EMAIL, ip_address="203.0.113.9", path_info="/")
    return study


def post(admin: Client, action: str, email: str = EMAIL, reason: str = "") -> tuple[int, str]:
    answer = admin.post(PAGE, {"action": action, "email": email, "reason": reason})
    return answer.status_code, answer.content.decode()


def test_a_look_says_what_would_go_and_changes_nothing(admin, study, lead):
    event_record(actor=lead, study=study, verb="study_updated", reason=f"Voir {EMAIL} demain")
    status, page = post(admin, "show")
    assert status == 200
    assert page.count("<dd>1</dd>") == 2
    assert f"<q>Voir <mark>{EMAIL}</mark> demain</q>" in page
    assert (Invitation.objects.count(), AccessFailureLog.objects.count()) == (1, 1)


def test_an_erasure_says_what_went(admin, study):
    status, page = post(admin, "erase", EMAIL.title(), "Lettre du 3 mars")
    assert status == 200
    assert "What went and what stayed" in page
    assert "The address stands in nothing that people typed." in page
    assert not Invitation.objects.exists()
    assert not AccessFailureLog.objects.exists()
    assert Event.objects.get(verb="address_erased").details["reason"] == "Lettre du 3 mars"
    status, page = post(admin, "erase", reason="Lettre du 3 mars")
    assert (status, "Nobody was invited by this address" in page) == (422, True)


def test_what_is_refused_keeps_what_was_typed(admin, study, lead):
    status, page = post(admin, "erase")
    assert (status, "Give a reason" in page, EMAIL in page) == (422, True, True)
    status, page = post(admin, "erase", "no address", "Lettre")
    assert (status, "Lettre" in page) == (422, True)
    for action in ("show", "erase"):
        status, page = post(admin, action, lead.email, "Lettre")
        assert (status, "An account has this address" in page) == (422, True)
    assert Invitation.objects.count() == 1


def test_only_admins_are_led_there(admin, study, lead):
    assert PAGE in admin.get("/erasures/").content.decode()
    client = Client()
    client.force_login(lead)
    assert PAGE not in client.get("/erasures/").content.decode()
    assert client.get(PAGE).status_code == 404
