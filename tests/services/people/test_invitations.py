"""Links that give somebody a part: who may have one, when it works, and what it says when it does
not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import Annotator, Event, Invitation, Lead, Study, User
from annotation.services.accounts.new_address import address_change_answered_for
from annotation.services.people.invitations import (
    INVITATION_DAYS,
    invitation_accept,
    invitation_create,
    invitation_find,
    invitation_revoke,
    token_digest,
)
from annotation.services.people.people import (
    admin_set,
    annotator_add,
    annotator_withdraw,
    lead_add,
    lead_remove,
    user_set_active,
)
from tests.factories import make_annotator, make_study, make_user

pytestmark = pytest.mark.django_db
PASSWORD = "un-bon-mot-de-passe"


def code(refused: pytest.ExceptionInfo[RuleError]) -> str:
    return refused.value.problems[0].code


@pytest.fixture
def lead() -> User:
    return make_user("lead")


@pytest.fixture
def study(lead):
    return make_study(lead=lead)


def invite(study, lead, email="new@example.org", role="annotator"):
    return invitation_create(actor=lead, study=study, email=email, role=role)


class TestInviting:
    def test_only_the_digest_of_the_link_is_stored(self, study, lead):
        invitation, token = invite(study, lead)
        stored = [str(value) for value in Invitation.objects.values_list().get()]
        assert token_digest(token) in stored
        assert token not in " ".join(stored)
        days = (invitation.expires_at - timezone.now()) / timedelta(days=1)
        assert days == pytest.approx(INVITATION_DAYS, abs=0.01)

    def test_a_second_invitation_replaces_the_first_and_says_so(self, study, lead):
        _, first = invite(study, lead)
        _, second = invite(study, lead, "NEW@example.org")
        with pytest.raises(RuleError) as refused:
            invitation_find(token=first)
        assert code(refused) == "revoked"
        assert invitation_find(token=second)
        assert [
            event.details["replaced"] for event in Event.objects.filter(verb="invitation_created")
        ] == [1, 0]

    @pytest.mark.parametrize("email", ["", "nobody", "a@b", "a@example.org\nBcc: b@example.org"])
    def test_no_address_no_invitation(self, study, lead, email):
        with pytest.raises(RuleError) as refused:
            invite(study, lead, email)
        assert code(refused) == "invalid"

    def test_a_part_in_a_study_needs_a_study(self, study, lead):
        for where, role in ((None, "lead"), (study, "admin"), (study, "emperor")):
            with pytest.raises(RuleError) as refused:
                invitation_create(actor=lead, study=where, email="x@example.org", role=role)
            assert code(refused) == "invalid"

    def test_who_has_the_part_already_is_not_invited_again(self, study, lead):
        annotator = make_annotator(study)
        admin = make_user(is_admin=True)
        for where, email, role in (
            (study, lead.email, "lead"),
            (study, annotator.user.email, "annotator"),
            (None, admin.email, "admin"),
        ):
            with pytest.raises(RuleError) as refused:
                invitation_create(actor=lead, study=where, email=email, role=role)
            assert code(refused) == "already"

    def test_a_closed_account_is_reopened_first(self, study, lead):
        with pytest.raises(RuleError) as refused:
            invite(study, lead, make_user(is_active=False).email)
        assert code(refused) == "closed"


class TestAccepting:
    def test_it_makes_an_account_with_its_part(self, study, lead):
        _, token = invite(study, lead, " New@Example.org ")
        user = invitation_accept(token=token, name=" Léa ", password=PASSWORD, language="en")
        assert (user.email, user.name, user.language) == ("new@example.org", "Léa", "en")
        assert user.check_password(PASSWORD)
        assert Annotator.objects.get(user=user).pseudonym == "A"
        assert Event.objects.filter(verb="invitation_accepted", actor=user, study=study).exists()
        assert Event.objects.filter(verb="annotator_added", actor=lead).exists()

    def test_a_lead_and_an_admin_come_by_invitation_too(self, study, lead):
        _, token = invite(study, lead, "second@example.org", "lead")
        assert Lead.objects.filter(user=invitation_accept(token=token, password=PASSWORD)).exists()
        _, token = invitation_create(actor=None, study=None, email="a@example.org", role="admin")
        user = invitation_accept(token=token, password=PASSWORD)
        user.refresh_from_db()
        assert user.is_admin

    def test_somebody_with_an_account_logs_in_first(self, study, lead):
        known = make_user("known")
        _, token = invite(study, lead, known.email)
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=token, name="x", password=PASSWORD)
        assert code(refused) == "has_account"
        assert invitation_accept(token=token, user=known) == known
        assert Annotator.objects.filter(user=known).exists()

    def test_it_is_for_its_address(self, study, lead):
        _, token = invite(study, lead)
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=token, user=make_user())
        assert code(refused) == "another_person"

    def test_a_name_that_shows_nothing_is_refused(self, study, lead):
        """Their row on the page of people had nothing in it that could be read."""
        _, token = invite(study, lead)
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=token, name="\u2060\u200b", password=PASSWORD)
        assert [problem.field for problem in refused.value.problems] == ["name"]
        assert invitation_accept(token=token, name="Léa  Roy", password=PASSWORD).name == "Léa Roy"

    @pytest.mark.parametrize(
        "password", ["12345", "new@example.org", "motdepasse", "", "8273645091827"]
    )
    def test_a_weak_password_is_refused_and_the_link_still_works(self, study, lead, password):
        _, token = invite(study, lead)
        if password == "motdepasse":
            password = "password123"  # the list of common ones is English
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=token, password=password)
        assert code(refused) == "weak"
        assert not User.objects.filter(email="new@example.org").exists()
        assert invitation_find(token=token)

    @pytest.mark.parametrize("why", ["unknown", "used", "revoked", "expired"])
    def test_a_link_that_is_not_open_says_why(self, study, lead, why):
        invitation, token = invite(study, lead)
        if why == "unknown":
            token = "never-made"
        elif why == "used":
            invitation_accept(token=token, password=PASSWORD)
        elif why == "revoked":
            invitation_revoke(actor=lead, invitation=invitation)
            invitation_revoke(actor=lead, invitation=invitation)
            assert Event.objects.filter(verb="invitation_revoked").count() == 1
        else:
            Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=token, password=PASSWORD)
        assert code(refused) == why

    def test_an_accepted_one_is_not_revoked(self, study, lead):
        invitation, token = invite(study, lead)
        invitation_accept(token=token, password=PASSWORD)
        invitation_revoke(actor=lead, invitation=invitation)
        assert not Invitation.objects.get().revoked_at

    def test_what_changed_since_it_was_made_counts(self, study, lead):
        """Two invitations that exclude each other may both be open; the second one to be accepted
        is refused."""
        user = make_user("both")
        _, as_annotator = invite(study, lead, user.email)
        _, as_admin = invitation_create(actor=None, study=None, email=user.email, role="admin")
        invitation_accept(token=as_annotator, user=user)
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=as_admin, user=user)
        assert code(refused) == "blindness"
        user.refresh_from_db()
        assert not user.is_admin
        assert invitation_find(token=as_admin)


class TestBlindness:
    """Who can see system names cannot judge, and who judges cannot come to see them."""

    def test_a_lead_or_an_admin_cannot_annotate(self, study, lead):
        for user in (lead, make_user(is_admin=True)):
            with pytest.raises(RuleError) as refused:
                annotator_add(actor=lead, study=study, user=user)
            assert code(refused) == "blindness"
            with pytest.raises(RuleError):
                invite(study, lead, user.email)

    def test_a_former_lead_or_admin_cannot_annotate_what_they_saw(self, study, lead):
        admin = make_user(is_admin=True)
        second = make_user()
        lead_remove(actor=lead, lead=lead_add(actor=lead, study=study, user=second))
        admin_set(actor=None, user=admin, is_admin=False, reason="fin")
        for user in (second, admin):
            with pytest.raises(RuleError) as refused:
                annotator_add(actor=lead, study=study, user=user)
            assert code(refused) == "blindness"
            assert annotator_add(actor=lead, study=make_study(), user=user)

    def test_an_annotator_cannot_lead_even_after_leaving(self, study, lead):
        annotator = make_annotator(study)
        annotator_withdraw(actor=lead, annotator=annotator, reason="parti")
        with pytest.raises(RuleError) as refused:
            lead_add(actor=lead, study=study, user=annotator.user)
        assert code(refused) == "blindness"
        assert lead_add(actor=lead, study=make_study(), user=annotator.user)

    def test_an_annotator_becomes_admin_only_after_leaving(self, study, lead):
        annotator = make_annotator(study)
        admin = make_user(is_admin=True)
        for give in (
            lambda: admin_set(actor=admin, user=annotator.user, is_admin=True, reason="r"),
            lambda: invitation_create(
                actor=admin, study=None, email=annotator.user.email, role="admin"
            ),
        ):
            with pytest.raises(RuleError) as refused:
                give()
            assert code(refused) == "blindness"
        annotator_withdraw(actor=lead, annotator=annotator, reason="parti")
        assert admin_set(actor=admin, user=annotator.user, is_admin=True, reason="r").is_admin
        with pytest.raises(RuleError):
            annotator_add(actor=lead, study=study, user=annotator.user)


class TestTheirGiver:
    """An invitation is worth as much as whoever made it may give at the moment."""

    @pytest.fixture
    def admin(self) -> User:
        return make_user("admin", is_admin=True)

    def lose(self, how: str, giver: User, study, admin: User) -> None:
        if how == "removed":
            lead_add(actor=admin, study=study, user=make_user("second"))
            lead_remove(actor=admin, lead=Lead.objects.get(study=study, user=giver))
        elif how == "closed":
            user_set_active(actor=admin, user=giver, is_active=False, reason="départ")
        else:
            admin_set(actor=admin, user=giver, is_admin=False, reason="départ")

    @pytest.mark.parametrize("role", ["annotator", "lead"])
    @pytest.mark.parametrize("how", ["removed", "closed"])
    def test_a_lead_s_end_with_their_part(self, study, lead, admin, role, how):
        invitation, token = invite(study, lead, role=role)
        self.lose(how, lead, study, admin)
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=token, name="New", password=PASSWORD)
        assert code(refused) == "revoked"
        assert Event.objects.filter(
            verb="invitation_revoked", target_id=str(invitation.pk), actor=admin
        ).exists()
        assert not User.objects.filter(email="new@example.org").exists()

    @pytest.mark.parametrize("how", ["demoted", "closed"])
    def test_an_admin_s_end_with_their_part(self, study, admin, how):
        giver = make_user("giver", is_admin=True)
        for_study = invite(study, giver)[1]
        for_admin = invitation_create(
            actor=giver, study=None, email="boss@example.org", role="admin"
        )[1]
        self.lose(how, giver, study, admin)
        for token in (for_study, for_admin):
            with pytest.raises(RuleError) as refused:
                invitation_find(token=token)
            assert code(refused) == "revoked"

    def test_what_a_former_admin_may_still_give_stays(self, study, admin):
        giver = make_user("giver", is_admin=True)
        Lead.objects.create(study=study, user=giver)
        token = invite(study, giver)[1]
        self.lose("demoted", giver, study, admin)
        assert invitation_find(token=token).email == "new@example.org"

    def test_others_stay(self, study, lead, admin):
        other = make_user("other")
        lead_add(actor=admin, study=study, user=other)
        token = invite(study, other)[1]
        self.lose("closed", lead, study, admin)
        assert (
            invitation_accept(token=token, name="New", password=PASSWORD).email == "new@example.org"
        )

    def test_asked_again_when_it_is_accepted(self, study, lead):
        """A part may end without these services, or in the very moment."""
        token = invite(study, lead)[1]
        Lead.objects.filter(user=lead).delete()
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=token, name="New", password=PASSWORD)
        assert code(refused) == "giver_gone"

    def test_one_by_command_needs_nobody(self, study):
        token = invite(study, None)[1]
        assert invitation_find(token=token).created_by is None


class TestAFormerAddress:
    """Whoever has another address now is no second person under the one before."""

    @pytest.fixture
    def zoe(self) -> User:
        return make_user("zoe", email="zoe@before.example")

    def moved(self, user: User) -> None:
        address_change_answered_for(user=user, email="zoe@now.example", reason="seen")

    def refuses_the_one_before(self, study: Study, lead: User) -> None:
        with pytest.raises(RuleError) as refused:
            invite(study, lead, email="zoe@before.example")
        assert code(refused) == "former_address"

    @pytest.mark.parametrize("is_over", [False, True])
    def test_an_annotator_is_invited_under_the_one_that_they_have(self, study, lead, zoe, is_over):
        annotator = make_annotator(study, zoe)
        if is_over:
            annotator_withdraw(actor=lead, annotator=annotator, reason="away")
        self.moved(zoe)
        self.refuses_the_one_before(study, lead)

    def test_so_is_who_has_seen_the_systems(self, study, lead, zoe):
        former = lead_add(actor=None, study=study, user=zoe)
        lead_remove(actor=lead, lead=former, reason="over")
        self.moved(zoe)
        self.refuses_the_one_before(study, lead)

    def test_a_link_of_before_makes_no_second_account(self, study, lead, zoe):
        _, token = invite(study, lead, email="zoe@before.example")
        annotator_add(actor=lead, study=study, user=zoe)
        self.moved(zoe)
        with pytest.raises(RuleError) as refused:
            invitation_accept(token=token, name="Zoé", password=PASSWORD)
        assert code(refused) == "former_address"
        assert not User.objects.filter(email="zoe@before.example").exists()

    def test_elsewhere_somebody_else_may_have_it(self, study, lead, zoe):
        make_annotator(make_study("other", lead=lead), zoe)
        self.moved(zoe)
        _, token = invite(study, lead, email="zoe@before.example")
        assert invitation_accept(token=token, name="Autre", password=PASSWORD).pk != zoe.pk
