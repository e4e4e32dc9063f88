"""What a composed file amounts to."""

from __future__ import annotations

import json

import pytest

from annotation.models import Judgment, PublishedProtocol, User
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


def test_one_that_is_called_as_what_people_judged_by(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    former, now = (
        TEXT.replace('"key": "jades"', '"key": "mine"').replace("brisée", w) for w in ("a", "b")
    )
    PublishedProtocol.objects.create(
        key="mine", version="1", description=described(protocol_read(former)), file=former
    )
    assert examined(now, owner).refused is None
    monkeypatch.setattr(
        "annotation.models.protocol.is_judged_by",
        lambda protocol: protocol.key == "mine",
    )
    assert examined(former, owner).refused is None
    taken = examined(now, owner).refused
    assert taken is not None
    assert "give it another version" in taken.en
    assert not Judgment.objects.exists()


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
