"""Keys of one's own on the judging page, and whether an answer goes on by itself."""

from __future__ import annotations

import json
import re

import pytest
from django.conf import settings

from annotation.protocols.registry import protocol
from annotation.web.accounts.keys import DEFAULTS, keys_are_allowed, type_keys
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_the_page_and_the_server_know_the_same_keys() -> None:
    script = (settings.BASE_DIR / "static" / "js" / "judging" / "keyboard.js").read_text(
        encoding="utf-8"
    )
    [block] = re.findall(r"DEFAULTS = \{(.*?)\};", script, re.DOTALL)
    assert dict(re.findall(r'(\w+): "([^"]+)"', block)) == DEFAULTS


def test_the_sheet_prints_every_key(client) -> None:
    client.force_login(make_user())
    sheet = client.get("/account/keys/").content.decode()
    assert re.findall(r'data-action="(\w+)"', sheet) != []
    [types] = type_keys(protocol("legal_meaning", "1"))
    assert set(re.findall(r'data-action="(\w+)"', sheet)) == {*DEFAULTS, *types}


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"undo": "x"},
        {"undo": "ctrl+shift+u", "redo": "f2"},
        {"original": "s", "simplification": "o"},
        # A key of the page may also be one on selected words: they never act at the same time.
        {"attach": "g"},
        {"help": "é"},
    ],
)
def test_keys_that_can_be_chosen(client, keys) -> None:
    user = make_user()
    client.force_login(user)
    assert client.post("/account/keys/", {"keys": json.dumps(keys)}).json() == {"keys": keys}
    user.refresh_from_db()
    assert user.keys == keys


@pytest.mark.parametrize(
    "keys",
    [
        [],
        "z",
        {"launch": "x"},
        {"undo": 3},
        {"undo": ""},
        {"undo": "two words"},
        {"undo": "x" * 30},
        # Another action's, digits, and what goes on or leaves.
        {"undo": "s"},
        {"undo": "x", "redo": "x"},
        {"type_omission": "h"},
        {"undo": "5"},
        {"undo": "enter"},
        {"undo": "ctrl+enter"},
        {"undo": "escape"},
        {"undo": "shift+arrowleft"},
    ],
)
def test_keys_that_cannot(client, keys) -> None:
    user = make_user()
    client.force_login(user)
    answer = client.post("/account/keys/", {"keys": json.dumps(keys)})
    assert answer.status_code == 400
    assert not keys_are_allowed(keys)
    user.refresh_from_db()
    assert user.keys == {}


@pytest.mark.parametrize(
    "keys", ["{", "7", "true", "[" * 1900, "9" * 1900, "NaN", '{"undo": "\\ud800"}', "x" * 3000]
)
def test_what_is_no_json_is_refused(client, keys: str) -> None:
    client.force_login(make_user())
    assert client.post("/account/keys/", {"keys": keys}).status_code == 400
    assert client.post("/account/keys/", {}).status_code == 400


def test_going_on_by_itself_is_a_preference(client) -> None:
    user = make_user()
    client.force_login(user)
    assert client.post("/account/preferences/", {"auto_advance": "False"}).status_code == 303
    user.refresh_from_db()
    assert user.auto_advance is False
    # Each preference may come alone.
    client.post("/account/preferences/", {"theme": "dark"})
    user.refresh_from_db()
    assert (user.auto_advance, user.theme) == (False, "dark")
    client.post("/account/preferences/", {"auto_advance": "True"})
    user.refresh_from_db()
    assert user.auto_advance is True
