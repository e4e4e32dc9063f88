"""Accounts that were made with a link which whoever invited the person saw: who may be given a part
all the same."""

from __future__ import annotations

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotation.errors import RuleError
from annotation.models import Event, User
from annotation.services.accounts.accounts import account_create
from annotation.services.accounts.password_links import password_token_create
from annotation.services.people.invitations import invitation_accept, invitation_create
from annotation.services.people.people import admin_set, person_add
from annotation.services.studies.ending import study_archive, study_delete
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db
EMAIL = "directrice@univ.example"
PASSWORD = "un-bon-mot-de-passe"


@pytest.fixture
def planter() -> User:
    """A lead of another study than the one to which the account is then added."""
    return make_user("planter")


@pytest.fixture
def lead() -> User:
    return make_user("lead")


@pytest.fixture
def study(lead):
    return make_study("wanted", lead=lead)


def made_with_link_of(giver: User | None, study, role: str = "annotator") -> User:
    _invitation, token = invitation_create(actor=giver, study=study, email=EMAIL, role=role)
    return invitation_accept(token=token, name="Directrice", password=PASSWORD)


@pytest.fixture
def planted(planter) -> User:
    return made_with_link_of(planter, make_study("own", lead=planter))


def add(lead, study, role="lead", **more) -> User:
    return person_add(actor=lead, study=study, email=EMAIL, role=role, **more)


def refusal_of(act) -> str:
    with pytest.raises(RuleError) as refused:
        act()
    return refused.value.problems[0].code


class TestAdding:
    @pytest.mark.parametrize("role", ["annotator", "lead"])
    def test_only_who_is_vouched_for_and_that_is_recorded(self, planted, lead, study, role):
        assert refusal_of(lambda: add(lead, study, role)) == "unproven"
        assert not planted.led.exists()
        assert not study.annotators.exists()
        add(lead, study, role, vouched=True)
        assert (study.leads.count(), study.annotators.count()) in {(2, 0), (1, 1)}
        event = Event.objects.get(verb="address_vouched")
        assert (event.actor, event.study, event.target_id) == (lead, study, str(planted.pk))

    def test_once_by_each(self, planted, lead, study):
        """A second account of whoever planted the first could vouch for it in everybody's name."""
        add(lead, study, vouched=True)
        add(lead, make_study(lead=lead))
        another = make_user()
        assert refusal_of(lambda: add(another, make_study(lead=another))) == "unproven"

    def test_who_made_the_link_is_not_asked_in_another_study(self, planted, planter):
        add(planter, make_study(lead=planter))
        assert not Event.objects.filter(verb="address_vouched").exists()

    def test_nor_is_whose_link_they_accepted_since(self, planted, lead, study):
        _invitation, token = invitation_create(
            actor=lead, study=study, email=EMAIL, role="annotator"
        )
        invitation_accept(token=token, user=planted)
        assert add(lead, make_study(lead=lead)) == planted

    def test_the_trail_outlives_the_study_of_the_link(self, planted, planter, lead, study):
        own = planted.annotates.get().study
        study_archive(actor=planter, study=own, reason="fin")
        study_delete(actor=planter, study=own, key=own.key)
        assert refusal_of(lambda: add(lead, study)) == "unproven"

    def test_a_part_in_an_archived_study(self, planted, lead, study):
        study_archive(actor=lead, study=study, reason="fin")
        add(lead, study, vouched=True)
        assert study.leads.filter(user=planted).exists()

    def test_what_excludes_the_part_comes_first(self, planted, lead, study):
        add(lead, study, "annotator", vouched=True)
        another = make_user()
        study.leads.create(user=another)
        assert refusal_of(lambda: add(another, study, "annotator")) == "already"


class TestProof:
    def chooses_anew(self, user: User, token: str) -> None:
        client = Client()
        uid = urlsafe_base64_encode(force_bytes(user.pk))
        page = client.get(f"/account/password/reset/{uid}/{token}/", follow=True)
        form = {"new_password1": "tout-autre-chose-9", "new_password2": "tout-autre-chose-9"}
        assert client.post(page.request["PATH_INFO"], form).status_code == 302

    def test_a_new_password_by_the_link_of_a_letter(self, planted, lead, study):
        self.chooses_anew(planted, default_token_generator.make_token(planted))
        assert add(lead, study) == planted

    def test_by_a_link_that_an_admin_handed_over(self, planted, lead, study):
        admin = make_user(is_admin=True)
        self.chooses_anew(planted, password_token_create(actor=admin, user=planted))
        assert add(lead, study) == planted

    def test_not_the_one_that_they_change_themselves(self, planted, lead, study):
        client = Client()
        client.force_login(planted)
        form = {"new_password1": "tout-autre-chose-9", "new_password2": "tout-autre-chose-9"}
        answer = client.post("/account/password/change/", {"old_password": PASSWORD} | form)
        assert answer.status_code == 302
        assert refusal_of(lambda: add(lead, study)) == "unproven"

    def test_a_command_answers_for_whom_it_lets_in(self, lead, study):
        planted = made_with_link_of(None, make_study("own"))
        assert add(lead, study) == planted

    def test_so_does_an_admin_while_they_are_one(self, lead, study):
        giver = make_user(is_admin=True)
        planted = made_with_link_of(giver, make_study("own"))
        User.objects.filter(pk=giver.pk).update(is_active=False)
        assert refusal_of(lambda: add(lead, study)) == "unproven"
        User.objects.filter(pk=giver.pk).update(is_active=True)
        assert add(lead, study) == planted

    def test_an_account_that_no_link_made(self, planter, lead, study):
        user = account_create(email=EMAIL, name="D", password=PASSWORD)
        admin_set(actor=None, user=user, is_admin=True, reason="manage.py create_admin")
        admin_set(actor=None, user=user, is_admin=False, reason="fin")
        own = make_study("own", lead=planter)
        _invitation, token = invitation_create(actor=planter, study=own, email=EMAIL, role="lead")
        invitation_accept(token=token, user=user)
        assert add(lead, study) == user


class TestAdmins:
    @pytest.fixture
    def planted(self, planter) -> User:
        return made_with_link_of(planter, make_study("own", lead=planter), "lead")

    def test_made_of_who_is_vouched_for(self, planted):
        admin = make_user(is_admin=True)

        def make(**more):
            admin_set(actor=admin, user=planted, is_admin=True, reason="r", **more)

        assert refusal_of(make) == "unproven"
        make(vouched=True)
        assert Event.objects.get(verb="address_vouched").actor == admin

    def test_by_the_link_of_another_admin(self, planted):
        """It was handed to the person: nobody is asked."""
        admin = make_user(is_admin=True)
        _invitation, token = invitation_create(actor=admin, study=None, email=EMAIL, role="admin")
        invitation_accept(token=token, user=planted)
        planted.refresh_from_db()
        assert planted.is_admin
        assert not Event.objects.filter(verb="address_vouched").exists()

    def test_by_the_link_that_a_command_made(self, planted):
        _invitation, token = invitation_create(actor=None, study=None, email=EMAIL, role="admin")
        invitation_accept(token=token, user=planted)
        planted.refresh_from_db()
        assert planted.is_admin

    def test_by_command(self, planted):
        with pytest.raises(CommandError, match=r"somebody else may log in with it.*--vouched"):
            call_command("create_admin", EMAIL)
        planted.refresh_from_db()
        assert not planted.is_admin
        call_command("create_admin", EMAIL, "--vouched")
        planted.refresh_from_db()
        assert planted.is_admin
        assert Event.objects.get(verb="address_vouched").actor is None
