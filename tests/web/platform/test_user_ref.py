"""What a browser keeps answers under, and seals them with: stable, and for their owner's session
alone."""

from __future__ import annotations

import base64
import importlib
import json

import pytest
from django.apps import apps
from django.test import Client
from django.utils.crypto import salted_hmac

from annotation.models import User
from annotation.selectors.privacy.personal import personal_data
from annotation.web.platform.user_ref import copy_key, former_refs, is_ref_of, user_ref
from tests.factories import make_assignment, make_user

pytestmark = pytest.mark.django_db


def test_each_has_their_own():
    person, other = make_user(), make_user()
    assert user_ref(person) != user_ref(other)
    assert copy_key(person) != copy_key(other)
    assert len(base64.b64decode(copy_key(person))) == 32
    assert user_ref(person) not in copy_key(person)


def test_neither_a_new_signing_key_nor_a_new_password_changes_them(settings):
    user = make_user()
    before = user_ref(user), copy_key(user)
    settings.SECRET_KEY = "another-key-for-tests-0123456789-abcdefghijklmnopqrstuvwxyz"
    user.set_password("another-long-password")
    user.save()
    user = User.objects.get(pk=user.pk)
    assert (user_ref(user), copy_key(user)) == before


def test_references_of_earlier_versions_are_known_under_former_keys_too(settings):
    user, other = make_user(), make_user()
    old = salted_hmac("bareme.user_ref", str(user.pk)).hexdigest()[:20]
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-key-for-tests-0123456789-abcdefghijklmnopqrstuvwxyz"
    assert old in former_refs(user)
    assert is_ref_of(user, old)
    assert is_ref_of(user, user_ref(user))
    assert not is_ref_of(other, old)
    assert not is_ref_of(user, None)


def test_a_save_under_a_former_reference_is_taken(client: Client):
    assignment = make_assignment()
    user = assignment.annotator.user
    client.force_login(user)
    address = f"/annotate/{assignment.annotator.study.key}/{assignment.position}/draft/"
    save = {"key": "6a9c6f0e-54c1-4b43-8a65-0f1f9dd1f3a1", "base_revision": 0, "answers": {}}
    answer = client.post(
        address, save | {"user": former_refs(user)[0]}, content_type="application/json"
    )
    assert answer.status_code == 200
    assert (
        client.post(address, save | {"user": 7}, content_type="application/json").status_code == 403
    )


def test_the_key_goes_to_its_owner_s_session_only(client: Client):
    assignment = make_assignment()
    user = assignment.annotator.user
    address = f"/annotate/{assignment.annotator.study.key}/{assignment.position}/"
    for path in ("/account/session/", address, "/account/login/"):
        assert copy_key(user) not in client.get(path).content.decode()
    client.force_login(user)
    assert client.get("/account/session/").json()["copy_key"] == copy_key(user)
    page = client.get(address)
    assert f'data-copy-key="{copy_key(user)}"' in page.content.decode()
    assert "no-store" in page.headers["Cache-Control"]
    other = Client()
    other.force_login(make_user())
    assert copy_key(user) not in json.dumps(other.get("/account/session/").json())
    assert user.browser_secret.hex() not in str(personal_data(user))


def test_accounts_from_before_get_one_each():
    users = [make_user(), make_user()]
    User.objects.update(browser_secret=b"x" * 32)
    migration = importlib.import_module("annotation.migrations.0003_user_browser_secret")
    migration.give_each_their_own(apps, None)
    assert (
        len(
            {
                bytes(user.browser_secret)
                for user in User.objects.filter(pk__in=[user.pk for user in users])
            }
        )
        == 2
    )
