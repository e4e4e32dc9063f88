"""Whoever was invited and never came: how long their address is kept, and how it goes before."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from axes.models import AccessFailureLog
from django.core.management import CommandError, call_command

from annotation.errors import RuleError
from annotation.models import Event, Invitation, User
from annotation.services.people.invitations import (
    ADDRESS_DAYS,
    INVITATION_DAYS,
    invitation_accept,
    invitation_create,
    invitation_revoke,
    invitations_expire,
)
from annotation.services.platform.events import event_record
from annotation.services.privacy.invited import address_erase
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db
EMAIL = "nouvelle.venue@example.org"


@pytest.fixture
def lead() -> User:
    return make_user("lead")


@pytest.fixture
def study(lead):
    return make_study("alpha", lead=lead)


def invited(lead, study, email=EMAIL, role="annotator") -> Invitation:
    return invitation_create(actor=lead, study=study, email=email, role=role)[0]


def aged(invitation: Invitation, days: float) -> None:
    """As if it had been made so many days earlier."""
    row = Invitation.objects.get(pk=invitation.pk)
    earlier = timedelta(days=days)
    Invitation.objects.filter(pk=row.pk).update(
        created_at=row.created_at - earlier,
        expires_at=row.expires_at - earlier,
        revoked_at=row.revoked_at and row.revoked_at - earlier,
    )


class TestKept:
    def test_an_expired_one_goes_when_its_time_is_over(self, lead, study):
        invitation = invited(lead, study)
        aged(invitation, INVITATION_DAYS + ADDRESS_DAYS - 1)
        assert invitations_expire() == 0
        aged(invitation, 2)
        assert invitations_expire() == 1
        assert not Invitation.objects.exists()
        assert Event.objects.filter(verb="invitation_created", study=study).exists()

    def test_a_revoked_one_from_the_moment_when_it_was_revoked(self, lead, study):
        invitation = invited(lead, study)
        invitation_revoke(actor=lead, invitation=invitation)
        aged(invitation, ADDRESS_DAYS + 1)
        assert invitations_expire() == 1

    def test_one_that_was_accepted_is_the_accounts(self, lead, study):
        invitation, token = invitation_create(
            actor=lead, study=study, email=EMAIL, role="annotator"
        )
        invitation_accept(token=token, name="N", password="un-mot-de-passe-long")
        aged(invitation, 1000)
        assert invitations_expire() == 0

    def test_the_sweep_does_it(self, lead, study):
        from workers.sweep import sweep

        aged(invited(lead, study), 1000)
        sweep()
        assert not Invitation.objects.exists()


class TestErased:
    def test_no_row_holds_the_address_and_the_trail_says_what_was_done(self, lead, study):
        invited(lead, study)
        invited(lead, make_study("beta", lead=lead))
        invited(lead, study, email="somebody.else@example.org")
        AccessFailureLog.objects.create(username=EMAIL, ip_address="203.0.113.9", path_info="/")
        statement = address_erase(actor=None, email=EMAIL.title(), reason=f"Lettre de {EMAIL}")
        assert statement == {
            "removed": {"invitations": 2, "access_records": 1},
            "left": [],
        }
        assert [row.email for row in Invitation.objects.all()] == ["somebody.else@example.org"]
        assert not AccessFailureLog.objects.exists()
        event = Event.objects.get(verb="address_erased")
        assert event.details == {"invitations": 2, "reason": "Lettre de […]"}

    def test_what_people_typed_is_named_and_left(self, lead, study):
        invited(lead, study)
        event = event_record(actor=lead, study=study, verb="study_updated", reason=f"Voir {EMAIL}")
        statement = address_erase(actor=None, email=EMAIL, reason="x")
        assert statement["left"] == [{"column": "event.details", "pk": str(event.pk)}]

    def test_neither_without_a_reason_nor_of_an_account(self, lead, study):
        invited(lead, study)
        with pytest.raises(RuleError, match="Give a reason"):
            address_erase(actor=None, email=EMAIL, reason=" ")
        with pytest.raises(RuleError, match="erase that account"):
            address_erase(actor=None, email=lead.email, reason="x")
        assert Invitation.objects.count() == 1


class TestByCommand:
    def test_it_erases_and_prints_the_statement(self, lead, study, capsys):
        invited(lead, study)
        event_record(actor=lead, study=study, verb="study_updated", reason=f"Voir {EMAIL}")
        out = StringIO()
        call_command("erase_person", EMAIL, show=True, stdout=out)
        assert json.loads(out.getvalue())["mention"] == EMAIL
        with pytest.raises(CommandError, match="--reason is needed"):
            call_command("erase_person", EMAIL)
        with pytest.raises(CommandError, match="Give a reason"):
            call_command("erase_person", EMAIL, reason=" ")
        assert Invitation.objects.exists()
        out = StringIO()
        call_command("erase_person", EMAIL, reason="Lettre", stdout=out)
        assert json.loads(out.getvalue())["removed"]["invitations"] == 1
        assert not Invitation.objects.exists()

    def test_an_address_that_nobody_knows(self):
        with pytest.raises(CommandError, match="No account has this address"):
            call_command("erase_person", EMAIL, reason="Lettre")
