"""A request that was under way when an admin unlinked an account leaves no way in behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from annotation.errors import RuleError
from annotation.models import ApiToken, InstitutionAccount, User
from annotation.services.accounts.institution import Vouched, institution_link, institution_unlink
from annotation.services.accounts.tokens import token_create
from tests.factories import make_user
from tests.overlapping import overlapping

pytestmark = pytest.mark.django_db(transaction=True)


def making(user: User, session: str | None) -> Any:
    return token_create(actor=user, name="essai", scopes=["read"], days=1, session=session)


def linking(user: User, session: str | None) -> Any:
    vouched = Vouched("https://id.example", "zoe-2", "")
    return institution_link(actor=user, vouched=vouched, session=session)


@pytest.mark.parametrize("asked_for", [making, linking])
def test_no_way_in_is_left_by_a_log_in_that_ends_meanwhile(
    asked_for: Callable[[User, str | None], Any],
) -> None:
    """A key made at that very moment stayed in force, and nobody knew of it."""
    zoe, admin, client = make_user("zoe"), make_user(is_admin=True), Client()
    client.force_login(zoe)
    key = Session.objects.get().pk
    outcome = overlapping(
        lambda: institution_unlink(actor=admin, user=zoe, reason="given to another"),
        lambda: asked_for(zoe, key),
    )
    assert isinstance(outcome, RuleError)
    assert [problem.code for problem in outcome.problems] == ["changed"]
    assert not ApiToken.objects.exists()
    assert not InstitutionAccount.objects.exists()


def test_one_that_was_made_a_moment_before_is_revoked() -> None:
    zoe, admin, client = make_user("zoe"), make_user(is_admin=True), Client()
    client.force_login(zoe)
    key = Session.objects.get().pk
    overlapping(
        lambda: making(zoe, key),
        lambda: institution_unlink(actor=admin, user=zoe, reason="given to another"),
    )
    assert ApiToken.objects.get().revoked_at is not None
