"""What was done to this installation, as admins read it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Event, User
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db
URL = "/system/trail/"


@pytest.fixture
def admin() -> User:
    return make_user("Ada", is_admin=True, language="en")


@pytest.fixture
def reader(client: Client, admin: User) -> Client:
    client.force_login(admin)
    return client


def words(reader: Client, query: str = "") -> str:
    return " ".join(reader.get(URL + query).content.decode().split())


def record(actor: User | None, verb: str, user: User | None = None, **details: object) -> Event:
    target = {"target_type": "user", "target_id": str(user.pk)} if user else {}
    return Event.objects.create(actor=actor, verb=verb, details=details, **target)


def shown(reader: Client, query: str = "") -> list[int]:
    return [event.pk for event, _ in reader.get(URL + query).context["rows"]]


def pks(*events: Event) -> list[int]:
    return [event.pk for event in events]


def test_it_says_who_did_what_to_whom(admin: User, reader: Client) -> None:
    zoe = make_user("Zoé", email="zoe@example.org")
    record(admin, "second_factor_removed", zoe, reason="lost phone")
    record(zoe, "password_changed", zoe)
    record(None, "backup_failed")
    page = words(reader)
    assert "turned the second step of a log-in off (reason: lost phone) · Zoé" in page
    assert zoe.email in page
    # Whose own account it was need not be said.
    assert "changed their password ·" not in page
    assert "the system could not make the backup that was due" in page


def test_what_was_done_in_a_study_stands_in_its_own_trail(admin: User, reader: Client) -> None:
    ours = record(admin, "scorer_promoted")
    Event.objects.create(actor=admin, verb="study_created", study=make_study())
    assert shown(reader)[:1] == [ours.pk]
    assert not Event.objects.filter(pk__in=shown(reader), study__isnull=False).exists()


def test_it_is_looked_through_by_kind_and_by_person(admin: User, reader: Client) -> None:
    zoe, yan = make_user("Zoé", email="zoe@example.org"), make_user("Yan")
    own, of_zoe = record(zoe, "password_changed", zoe), record(admin, "admin_granted", zoe)
    of_yan, backup = record(admin, "admin_granted", yan), record(admin, "backup_made")
    assert shown(reader, "?verb=admin_granted") == pks(of_yan, of_zoe)
    assert shown(reader, f"?q={zoe.email}") == pks(of_zoe, own)
    assert shown(reader, f"?q={yan.email.upper()}&verb=admin_granted") == pks(of_yan)
    assert shown(reader, "?q=nobody") == []
    assert "Nothing of that kind." in words(reader, "?q=nobody")
    # A kind that there is not asks for nothing.
    assert backup.pk in shown(reader, "?verb=other&q=%20")


def test_a_target_is_an_account_only_where_it_says_so(admin: User, reader: Client) -> None:
    zoe = make_user("Zoé", email="zoe@example.org")
    record(admin, "scorer_promoted")
    other = Event.objects.create(
        actor=admin,
        verb="protocol_installed",
        target_type="publishedprotocol",
        target_id=str(zoe.pk),
    )
    assert other.pk not in shown(reader, f"?q={zoe.email}")
    assert {account for _, account in reader.get(URL).context["rows"]} == {None}


def test_whose_account_is_gone_is_not_missed(admin: User, reader: Client) -> None:
    Event.objects.create(
        actor=admin, verb="erasure_granted", target_type="user", target_id="999999999"
    )
    assert "erased an account" in words(reader)


def test_a_page_asks_as_often_whatever_it_shows(admin: User, reader: Client) -> None:
    def queries(number: int) -> int:
        for _ in range(number):
            record(make_user(), "admin_granted", make_user())
        with CaptureQueriesContext(connection) as captured:
            reader.get(URL)
        return len(captured)

    queries(1)
    assert queries(1) == queries(30)
