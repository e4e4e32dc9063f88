"""What a composed file amounts to."""

from __future__ import annotations

import json

import pytest

from annotation.models import Judgment, PublishedProtocol
from annotation.protocols.description import described
from annotation.protocols.files import protocol_read, protocol_text
from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.composing.drafts import examined
from tests.protocols.said import english

pytestmark = pytest.mark.django_db
TEXT = protocol_text(PROTOCOLS["jades", "1"])


def test_one_that_is_installed() -> None:
    seen = examined(json.dumps(json.loads(TEXT)))
    assert (seen.is_sound, seen.is_installed, seen.taken) == (True, True, None)


def test_one_that_has_a_name_of_its_own() -> None:
    seen = examined(TEXT.replace('"key": "jades"', '"key": "mine"'))
    assert (seen.is_sound, seen.is_installed, seen.taken) == (True, False, None)


def test_one_that_is_called_as_another() -> None:
    seen = examined(TEXT.replace("Langue brisée", "Brisée"))
    assert seen.is_sound
    assert seen.taken is not None
    assert "“jades 1” is installed already" in seen.taken.en


def test_one_that_is_called_as_what_people_judged_by(monkeypatch: pytest.MonkeyPatch) -> None:
    former, now = (
        TEXT.replace('"key": "jades"', '"key": "mine"').replace("brisée", w) for w in ("a", "b")
    )
    PublishedProtocol.objects.create(
        key="mine", version="1", description=described(protocol_read(former)), file=former
    )
    assert examined(now).taken is None
    monkeypatch.setattr(
        "annotation.models.protocol.is_judged_by",
        lambda protocol: protocol.key == "mine",
    )
    assert examined(former).taken is None
    taken = examined(now).taken
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
def test_one_that_nobody_could_judge_by(text: str, fault: str) -> None:
    seen = examined(text)
    assert not seen.is_sound
    assert any(fault in said for said in english(seen.faults))
