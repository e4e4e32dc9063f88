"""What is kept of a protocol that somebody composes, and what is refused."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError, StaleProtocolDraft
from annotation.models import ProtocolDraft, User
from annotation.protocols.files import LARGEST
from annotation.services.composing import drafts as module
from annotation.services.composing.drafts import (
    Composed,
    protocol_draft_begin,
    protocol_draft_save,
)
from annotation.services.privacy.erasure import belongings_remove
from tests.composing import draft_of
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user("lead")


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ('{"key": "a", "version": "2", "title": {"fr": " Un "}}', "a 2", "Un"),
        ('{"key": 1, "title": "x"}', "", ""),
        ("no JSON", "", ""),
        ("[" * 3000, "", ""),
        ('{"key": "' + "k" * 99 + '", "version": "1"}', "k" * 60, ""),
    ],
    ids=["worded", "odd", "no JSON", "deep", "long"],
)
def test_a_draft_is_called_as_its_file_is(owner: User, text: str, name: str, title: str) -> None:
    draft = draft_of(owner, text)
    draft.refresh_from_db()
    assert (draft.name, draft.title, draft.text) == (name, title, text)


def test_one_that_cannot_be_read_keeps_its_name(owner: User) -> None:
    draft = draft_of(owner, '{"key": "a", "version": "2"}')
    saved = protocol_draft_save(draft=draft, composed=Composed("{"), builds_on=1)
    assert (saved.name, saved.revision) == ("a 2", 2)


def test_line_ends_are_one_sign(owner: User) -> None:
    draft = draft_of(owner, "a\r\nb\rc", original="d\r\n")
    assert (draft.text, draft.original) == ("a\nb\nc", "d\n")
    again = protocol_draft_save(draft=draft, composed=Composed("a\r\nb\r\nc", "d\r\n"), builds_on=0)
    assert again.revision == 1


def test_what_another_window_saved_stays(owner: User) -> None:
    draft = draft_of(owner, "a")
    protocol_draft_save(draft=draft, composed=Composed("b"), builds_on=1)
    with pytest.raises(StaleProtocolDraft) as stale:
        protocol_draft_save(draft=draft, composed=Composed("c"), builds_on=1)
    assert stale.value.current.text == "b"
    assert ProtocolDraft.objects.get().text == "b"


@pytest.mark.parametrize(
    ("composed", "field", "code"),
    [
        (Composed("x" * (LARGEST + 1)), "text", "too_long"),
        (Composed("", "o" * 20_001), "original", "too_long"),
        (Composed("", "", "s\0"), "simplification", "character"),
    ],
    ids=["file", "text", "null"],
)
def test_what_cannot_be_kept_is_named(
    owner: User, composed: Composed, field: str, code: str
) -> None:
    with pytest.raises(RuleError) as refused:
        protocol_draft_begin(actor=owner, composed=composed)
    assert [(p.field, p.code) for p in refused.value.problems] == [(field, code)]
    assert not ProtocolDraft.objects.exists()


def test_nobody_has_too_many(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DRAFTS", 1)
    draft_of(owner, "a")
    draft_of(make_user("other"), "a")
    with pytest.raises(RuleError, match="delete one first"):
        draft_of(owner, "b")


def test_drafts_go_with_their_owner_s_account(owner: User) -> None:
    draft_of(owner, "a")
    assert belongings_remove(owner)["protocol_drafts"] == 1
    assert not ProtocolDraft.objects.exists()
