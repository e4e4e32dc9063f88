"""Protocols that somebody is composing: kept whatever they say, theirs alone. No event is written:
of no study, and nobody else's matter."""

from __future__ import annotations

from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from annotation.bodies import UnreadableBody, json_body
from annotation.errors import RuleError, StaleProtocolDraft
from annotation.models import ProtocolDraft, User
from annotation.protocols.base import Problem, Wording
from annotation.protocols.files import LARGEST

MOST_DRAFTS = 100
"""Of one person."""
LONGEST_TEXT = 20_000
"""Characters of each text that a draft is tried on."""


class Composed(NamedTuple):
    """What of a draft its owner writes: the file, and the pair that it is tried on."""

    text: str
    original: str = ""
    simplification: str = ""


@transaction.atomic
def protocol_draft_begin(*, actor: User, composed: Composed) -> ProtocolDraft:
    """A new draft. Raises ``RuleError`` for what is too long to be kept, holds a character that
    cannot be, or is one draft too many."""
    User.objects.select_for_update().get(pk=actor.pk)
    if actor.protocol_drafts.count() >= MOST_DRAFTS:
        raise RuleError.single(
            "text",
            "too_many",
            f"Vous avez {MOST_DRAFTS} ébauches de protocoles\u00a0: supprimez-en une d'abord.",
            f"You have {MOST_DRAFTS} drafts of protocols: delete one first.",
        )
    draft = ProtocolDraft(owner=actor)
    _take(draft, composed)
    draft.save(force_insert=True)
    return draft


@transaction.atomic
def protocol_draft_save(
    *, draft: ProtocolDraft, composed: Composed, builds_on: int
) -> ProtocolDraft:
    """Keep what its owner has written, right or wrong; a save that changes nothing is none.
    ``builds_on``: the revision that their page showed.

    Raises ``StaleProtocolDraft`` where another window has saved since, with what stands there,
    ``ProtocolDraft.DoesNotExist`` where it was deleted, else as ``protocol_draft_begin``.
    """
    stored = ProtocolDraft.objects.select_for_update().get(pk=draft.pk)
    before = Composed(stored.text, stored.original, stored.simplification)
    _take(stored, composed)
    if Composed(stored.text, stored.original, stored.simplification) == before:
        return stored
    if stored.revision != builds_on:
        raise StaleProtocolDraft(ProtocolDraft.objects.get(pk=draft.pk))
    stored.revision += 1
    stored.changed_at = timezone.now()
    stored.save()
    return stored


def protocol_draft_delete(*, draft: ProtocolDraft) -> None:
    """Delete it for good; nobody has judged by it."""
    draft.delete()


def _take(draft: ProtocolDraft, composed: Composed) -> None:
    """Raises ``RuleError``."""
    # Forms send line ends as \r\n, files have either.
    columns = {
        name: text.replace("\r\n", "\n").replace("\r", "\n")
        for name, text in composed._asdict().items()
    }
    longest = {"text": LARGEST, "original": LONGEST_TEXT, "simplification": LONGEST_TEXT}
    problems = [
        problem for name, text in columns.items() if (problem := _unkept(name, text, longest[name]))
    ]
    if problems:
        raise RuleError(problems)
    for name, text in columns.items():
        setattr(draft, name, text)
    _call(draft)


def _unkept(name: str, text: str, longest: int) -> Problem | None:
    if len(text) > longest:
        words = Wording(
            f"Ce texte a {len(text)} caractères\u00a0: {longest} au plus sont gardés.",
            f"This text has {len(text)} characters: {longest} at most are kept.",
        )
        return Problem(name, "too_long", words)
    if "\0" in text:
        words = Wording(
            "Ce texte contient un caractère nul, qui ne peut pas être gardé\u00a0: retirez-le.",
            "This text holds a null character, which cannot be kept: take it out.",
        )
        return Problem(name, "character", words)
    return None


def _call(draft: ProtocolDraft) -> None:
    """Name it as its file does; one that cannot be read keeps the name that it had."""
    try:
        said = json_body(draft.text.encode("utf-8", "replace"))
    except UnreadableBody:
        return
    if not isinstance(said, dict):
        return
    title = said.get("title")
    title = title.get("fr") if isinstance(title, dict) else None
    key, version = said.get("key"), said.get("version")
    if isinstance(key, str) and isinstance(version, str):
        draft.name = f"{key} {version}"[:60] if key else ""
    if isinstance(title, str):
        draft.title = title.strip()[:200]
