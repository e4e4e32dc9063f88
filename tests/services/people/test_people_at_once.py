"""Parts that are given at the same moment: what excludes each other must not both come true."""

from __future__ import annotations

from functools import partial

import pytest

from annotation.errors import RuleError
from annotation.models import Annotator, Invitation, Lead, User
from annotation.services.people.invitations import invitation_accept, invitation_create
from annotation.services.people.people import (
    admin_set,
    annotator_add,
    lead_add,
    lead_remove,
    user_set_active,
)
from tests.factories import make_study, make_user
from tests.overlapping import overlapping
from tests.services.judging.test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "un-bon-mot-de-passe"


def codes(outcomes: list[object]) -> list[str]:
    """What was refused; anything else that was raised is a failure."""
    assert all(
        isinstance(error, RuleError) for error in outcomes if isinstance(error, Exception)
    ), outcomes
    return [error.problems[0].code for error in outcomes if isinstance(error, RuleError)]


def unmade(actor, user):
    return admin_set(actor=actor, user=user, is_admin=False, reason="fini")


def closed(actor, user):
    return user_set_active(actor=actor, user=user, is_active=False, reason="parti")


def test_one_link_opened_in_two_windows_makes_one_account():
    _, token = invitation_create(
        actor=None, study=make_study(), email="new@example.org", role="annotator"
    )
    outcomes = at_once([lambda: invitation_accept(token=token, name="Léa", password=PASSWORD)] * 2)
    assert codes(outcomes) == ["used"]
    assert (User.objects.count(), Annotator.objects.count()) == (1, 1)


@pytest.mark.parametrize("role", ["annotator", "lead", "admin"])
def test_of_two_links_for_one_address_the_second_is_open(role):
    admin = make_user("admin", is_admin=True)
    study = None if role == "admin" else make_study()
    create = partial(
        invitation_create, actor=admin, study=study, email="new@example.org", role=role
    )
    second, _token = overlapping(create, create)
    still_open = Invitation.objects.filter(revoked_at__isnull=True)
    assert [invitation.pk for invitation in still_open] == [second.pk]


def test_a_link_that_is_opened_while_another_is_made_waits_for_nobody_who_waits_for_it():
    study, admin = make_study(), make_user("admin", is_admin=True)
    create = partial(
        invitation_create, actor=admin, study=study, email="new@example.org", role="annotator"
    )
    _first, token = create()
    accept = partial(invitation_accept, token=token, name="Léa", password=PASSWORD)
    assert codes([overlapping(create, accept)]) == ["revoked"]
    outcomes = at_once([create, create, lambda: invitation_accept(token=create()[1], name="Léa")])
    codes(outcomes)


def test_two_links_of_one_person_make_one_account():
    tokens = [
        invitation_create(
            actor=None, study=make_study(), email="new@example.org", role="annotator"
        )[1]
        for _ in "ab"
    ]
    outcomes = at_once(
        [
            lambda t=token: invitation_accept(token=t, name="Léa", password=PASSWORD)
            for token in tokens
        ]
    )
    assert codes(outcomes) == ["has_account"]
    assert User.objects.count() == 1


def test_nobody_becomes_judge_and_lead_or_admin_at_once():
    study, admin, user = make_study(), make_user(is_admin=True), make_user()
    outcomes = at_once(
        [
            lambda: annotator_add(actor=admin, study=study, user=user),
            lambda: lead_add(actor=admin, study=study, user=user),
            lambda: admin_set(actor=admin, user=user, is_admin=True, reason="r"),
        ]
    )
    user.refresh_from_db()
    annotates = Annotator.objects.filter(user=user).exists()
    sees = user.is_admin or Lead.objects.filter(user=user).exists()
    assert annotates != sees
    assert set(codes(outcomes)) == {"blindness"}


def test_annotators_who_join_at_once_get_letters_of_their_own():
    study = make_study()
    users = [make_user() for _ in range(4)]
    outcomes = at_once(
        [lambda u=user: annotator_add(actor=None, study=study, user=u) for user in users]
    )
    assert sorted(annotator.pseudonym for annotator in outcomes) == ["A", "B", "C", "D"]


@pytest.mark.parametrize("change", [unmade, closed])
def test_two_admins_cannot_take_the_part_of_each_other_at_once(change):
    """Nobody was left who administers."""
    one, other = (make_user(is_admin=True) for _ in range(2))
    outcomes = at_once([lambda: change(one, other), lambda: change(other, one)])
    assert codes(outcomes) == ["no_admin"]
    assert User.objects.filter(is_admin=True, is_active=True).count() == 1


def test_the_last_two_leads_cannot_both_leave_at_once():
    study = make_study()
    leads = [lead_add(actor=None, study=study, user=make_user()) for _ in range(2)]
    outcomes = at_once(
        [lambda leaving=lead: lead_remove(actor=None, lead=leaving) for lead in leads]
    )
    assert codes(outcomes) == ["last"]
    assert study.leads.count() == 1
