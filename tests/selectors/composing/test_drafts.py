"""What a composed file amounts to."""

from __future__ import annotations

import json

import pytest

from annotation.models import PublishedProtocol, User
from annotation.protocols.description import described
from annotation.protocols.files import protocol_read, protocol_text
from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.composing.drafts import examined
from tests.factories import make_user
from tests.protocols.said import english

pytestmark = pytest.mark.django_db
TEXT = protocol_text(PROTOCOLS["jades", "1"])


@pytest.fixture
def owner() -> User:
    return make_user("lead")


def test_one_that_is_installed(owner: User) -> None:
    seen = examined(json.dumps(json.loads(TEXT)), owner)
    assert (seen.is_sound, seen.is_installed, seen.refused) == (True, True, None)


def test_one_that_has_a_name_of_its_own(owner: User) -> None:
    seen = examined(TEXT.replace('"key": "jades"', '"key": "mine"'), owner)
    assert (seen.is_sound, seen.is_installed, seen.refused) == (True, False, None)
    assert seen.may_be_installed


def test_one_that_is_called_as_another(owner: User) -> None:
    seen = examined(TEXT.replace("Langue brisée", "Brisée"), owner)
    assert not seen.may_be_installed
    assert seen.is_sound
    assert seen.refused is not None
    assert "The key “jades” is that of a protocol of Barème" in seen.refused.en


def test_one_that_is_called_as_what_was_installed_once(owner: User) -> None:
    """By whoever runs Barème, whose studies follow it still."""
    mine = TEXT.replace('"key": "jades"', '"key": "mine"')
    PublishedProtocol.objects.create(
        key="mine", version="1", description=described(protocol_read(mine)), file=mine
    )
    seen = examined(mine.replace('"1"', '"2"', 1), owner)
    assert seen.is_sound
    assert seen.refused is not None
    assert "of whoever runs it: give yours another" in seen.refused.en


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "line 1, column 2"),
        (TEXT.replace('"fluency"', '"Fluency"'), "is no name"),
    ],
)
def test_one_that_nobody_could_judge_by(owner: User, text: str, fault: str) -> None:
    seen = examined(text, owner)
    assert not seen.is_sound
    assert any(fault in said for said in english(seen.faults))
