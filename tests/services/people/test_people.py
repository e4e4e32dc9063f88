"""Parts in studies, admins, accounts: who gets what, and what is refused."""

from __future__ import annotations

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.test import Client

from annotation.errors import RuleError
from annotation.models import Assignment, Event, Invitation, Lead, User
from annotation.selectors.accounts.log_ins import sessions_of
from annotation.services.accounts.accounts import account_create, user_update_preferences
from annotation.services.accounts.password_links import PasswordLinks, password_token_create
from annotation.services.accounts.tokens import token_create, token_use
from annotation.services.people.invitations import invitation_create
from annotation.services.people.people import (
    admin_set,
    annotator_add,
    annotator_withdraw,
    lead_add,
    lead_remove,
    next_pseudonym,
    person_add,
    user_set_active,
)
from tests.factories import make_pair, make_study, make_user

pytestmark = pytest.mark.django_db


def code(refused: pytest.ExceptionInfo[RuleError]) -> str:
    return refused.value.problems[0].code


@pytest.fixture
def lead() -> User:
    return make_user("lead")


@pytest.fixture
def study(lead):
    return make_study(lead=lead)


class TestAnnotators:
    def test_pseudonyms_are_never_given_twice(self, study, lead):
        first = annotator_add(actor=lead, study=study, user=make_user())
        annotator_withdraw(actor=lead, annotator=first, reason="r")
        second = annotator_add(actor=lead, study=study, user=make_user())
        assert (first.pseudonym, second.pseudonym) == ("A", "B")

    def test_the_pseudonym_after_z(self):
        alphabet = {chr(letter) for letter in range(ord("A"), ord("Z") + 1)}
        assert next_pseudonym(alphabet) == "AA"
        assert next_pseudonym(alphabet | {"AA"}) == "AB"

    def test_who_comes_back_is_who_they_were(self, study, lead):
        annotator = annotator_add(actor=lead, study=study, user=make_user())
        for _twice in range(2):
            annotator_withdraw(actor=lead, annotator=annotator, reason="fin de session")
        assert Event.objects.filter(verb="annotator_withdrawn").get().details == {
            "reason": "fin de session"
        }
        again = annotator_add(actor=lead, study=study, user=annotator.user)
        assert (again.pk, again.withdrawn_at) == (annotator.pk, None)

    def test_nobody_annotates_twice(self, study, lead):
        annotator = annotator_add(actor=lead, study=study, user=make_user())
        with pytest.raises(RuleError) as refused:
            annotator_add(actor=lead, study=study, user=annotator.user)
        assert code(refused) == "already"

    def test_who_joins_an_open_round_gets_the_pairs_at_once(self, lead):
        study = make_study(lead=lead, state="main")
        make_pair(study)
        annotator = annotator_add(actor=lead, study=study, user=make_user())
        assert Assignment.objects.filter(annotator=annotator).count() == 1

    def test_leaving_needs_a_reason(self, study, lead):
        annotator = annotator_add(actor=lead, study=study, user=make_user())
        with pytest.raises(RuleError) as refused:
            annotator_withdraw(actor=lead, annotator=annotator, reason=" ")
        assert code(refused) == "required"
        annotator.refresh_from_db()
        assert annotator.withdrawn_at is None


class TestAddingByAddress:
    def test_somebody_with_an_account_gets_the_part_at_once(self, study, lead):
        for role in ("annotator", "lead"):
            user = make_user()
            invitation_create(actor=lead, study=study, email=user.email, role=role)
            assert person_add(actor=lead, study=study, email=user.email.upper(), role=role) == user
            assert Invitation.objects.filter(email=user.email, revoked_at__isnull=False).exists()
        assert (study.annotators.count(), study.leads.count()) == (1, 2)

    def test_anybody_else_needs_a_link(self, study, lead):
        for email, why in (("new@example.org", "no_account"), ("nobody", "invalid")):
            with pytest.raises(RuleError) as refused:
                person_add(actor=lead, study=study, email=email, role="annotator")
            assert code(refused) == why


class TestLeads:
    def test_the_last_one_stays(self, study, lead):
        with pytest.raises(RuleError) as refused:
            lead_remove(actor=lead, lead=study.leads.get())
        assert code(refused) == "last"
        second = lead_add(actor=lead, study=study, user=make_user())
        stale = Lead.objects.get(pk=second.pk)
        lead_remove(actor=lead, lead=second)
        lead_remove(actor=lead, lead=stale)
        assert study.leads.get().user == lead
        assert Event.objects.filter(verb="lead_removed").count() == 1

    def test_nobody_leads_twice(self, study, lead):
        with pytest.raises(RuleError) as refused:
            lead_add(actor=lead, study=study, user=lead)
        assert code(refused) == "already"


class TestAdmins:
    def test_they_are_made_and_unmade_with_a_reason_by_somebody_else(self):
        admin, user = make_user(is_admin=True), make_user()
        for _twice in range(2):
            assert admin_set(actor=admin, user=user, is_admin=True, reason="relève").is_admin
        assert not admin_set(actor=admin, user=user, is_admin=False, reason="fin").is_admin
        verbs = Event.objects.filter(target_id=str(user.pk)).values_list("verb", flat=True)
        assert list(verbs) == ["admin_revoked", "admin_granted"]
        for arguments, why in (
            ({"user": user, "reason": ""}, "required"),
            ({"user": admin, "reason": "r"}, "oneself"),
        ):
            with pytest.raises(RuleError) as refused:
                admin_set(actor=admin, is_admin=True, **arguments)
            assert code(refused) == why


class TestAccounts:
    def test_one_address_one_account(self):
        user = account_create(email="A@example.org", name="A", password="un-bon-mot-de-passe")
        assert Event.objects.filter(verb="account_created", target_id=str(user.pk)).exists()
        with pytest.raises(RuleError) as refused:
            account_create(email="a@EXAMPLE.org", name="B", password="un-bon-mot-de-passe")
        assert code(refused) == "has_account"
        assert User.objects.get().name == "A"

    def test_they_are_closed_and_reopened_with_a_reason_by_somebody_else(self, client):
        admin, user = make_user(is_admin=True), make_user()
        client.force_login(user)
        for _twice in range(2):
            user_set_active(actor=admin, user=user, is_active=False, reason="départ")
        assert client.get("/account/session/").status_code == 401
        assert user_set_active(actor=admin, user=user, is_active=True, reason="retour").is_active
        events = Event.objects.filter(target_id=str(user.pk), verb__startswith="account_")
        assert events.count() == 2
        for arguments in ({"user": user, "reason": ""}, {"user": admin, "reason": "r"}):
            with pytest.raises(RuleError):
                user_set_active(actor=admin, is_active=False, **arguments)

    def test_what_let_somebody_in_before_it_was_closed_lets_nobody_in_once_it_is_reopened(
        self, client
    ):
        admin, user = make_user(is_admin=True), make_user()
        client.force_login(user)
        others = Client()
        others.force_login(admin)
        _token, secret = token_create(actor=user, name="a script", scopes=["read"], days=30)
        _kept, of_another = token_create(actor=admin, name="mine", scopes=["read"], days=30)

        user_set_active(actor=admin, user=user, is_active=False, reason="volé")

        assert not list(sessions_of(user))
        assert not user.api_tokens.filter(revoked_at__isnull=True).exists()
        told = Event.objects.filter(verb__in=["sessions_ended", "token_revoked"], actor=admin)
        assert [event.verb for event in told.order_by("pk")] == ["sessions_ended", "token_revoked"]
        user_set_active(actor=admin, user=user, is_active=True, reason="retour")
        assert client.get("/account/session/").status_code == 401
        assert token_use(secret) is None
        assert others.get("/account/session/").status_code == 200
        assert token_use(of_another) is not None

    def test_what_an_account_kept_that_a_version_before_had_closed_ends_when_it_is_reopened(
        self, client
    ):
        admin, user = make_user(is_admin=True), make_user()
        client.force_login(user)
        _token, secret = token_create(actor=user, name="a script", scopes=["read"], days=30)
        User.objects.filter(pk=user.pk).update(is_active=False)
        user_set_active(actor=admin, user=user, is_active=True, reason="retour")
        assert client.get("/account/session/").status_code == 401
        assert token_use(secret) is None

    def test_a_closing_that_is_not_stored_ends_nothing(self, client):
        admin, user = make_user(is_admin=True), make_user()
        client.force_login(user)
        with transaction.atomic():
            user_set_active(actor=admin, user=user, is_active=False, reason="volé")
            transaction.set_rollback(True)
        assert client.get("/account/session/").status_code == 200

    def test_an_admin_s_password_link_is_recorded(self):
        admin, user = make_user(is_admin=True), make_user()
        token = password_token_create(actor=admin, user=user)
        assert PasswordLinks().check_token(user, token)
        assert not default_token_generator.check_token(user, token.partition("~")[2]), (
            "not without its giver"
        )
        event = Event.objects.get(verb="password_link_created")
        assert (event.actor, event.target_id) == (admin, str(user.pk))
        assert token not in str(event.details)
        with pytest.raises(RuleError) as refused:
            password_token_create(actor=admin, user=make_user(is_active=False))
        assert code(refused) == "closed"

    @pytest.mark.parametrize("lost", [{"is_active": False}, {"is_admin": False}])
    def test_an_admin_s_password_link_ends_with_their_part(self, lost):
        admin, user = make_user(is_admin=True), make_user()
        token = password_token_create(actor=admin, user=user)
        User.objects.filter(pk=admin.pk).update(**lost)
        assert not PasswordLinks().check_token(user, token)

    @pytest.mark.parametrize("given", ["²~a-b", "0~a-b", "99999999999~a-b", "~", "x", "", None])
    def test_what_is_no_password_link_opens_nothing(self, given):
        assert not PasswordLinks().check_token(make_user(), given)

    def test_a_link_by_mail_is_bound_to_nobody(self):
        user = make_user()
        assert PasswordLinks().check_token(user, default_token_generator.make_token(user))

    def test_only_preferences_are_preferences(self):
        user = make_user()
        user_update_preferences(
            user=user, theme="dark", language="en", spacing="wide", typeface="opendyslexic"
        )
        user.refresh_from_db()
        assert (user.theme, user.language, user.spacing, user.typeface) == (
            "dark",
            "en",
            "wide",
            "opendyslexic",
        )
        with pytest.raises(TypeError):
            user_update_preferences(user=user, is_admin="yes")
