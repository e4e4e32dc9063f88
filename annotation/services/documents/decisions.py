"""What a person decides on blocks of a source document: one, or many for one reason."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.corpus.choosing import Reach, can_be, reached
from annotation.corpus.problems import names_in_words
from annotation.errors import RuleError
from annotation.models import User
from annotation.models.document import SourceDocument
from annotation.selectors.documents.documents import document_funnel
from annotation.services.documents.documents import document_undrawn
from annotation.services.platform.events import event_record

MOST_REASON = 500


@dataclass(frozen=True)
class Decided:
    """What came of a decision on many blocks."""

    decided: int
    skipped: int
    """Blocks that it was not for: decided by hand before, kept or dropped already."""
    together: str = ""
    """Names the decision, by which it is taken back whole."""


@transaction.atomic
def block_override(
    *, actor: User, document: SourceDocument, key: str, keep: bool, reason: str
) -> SourceDocument:
    """Rescue a block that the criteria drop, or exclude one that they keep; a second decision takes
    the first's place.

    Raises ``RuleError``: no reason, a reason that is too long, no such block, or items were drawn.
    """
    document = document_undrawn(document)
    reason = _checked(reason)
    _check_there_alone(document, key)
    document.overrides = {**document.overrides, key: _entry(actor, keep=keep, reason=reason)}
    document.save(update_fields=["overrides"])
    event_record(
        actor=actor, study=document.study, verb="block_rescued" if keep else "block_excluded",
        target=document,
        block=key, reason=reason,
    )  # fmt: skip
    return document


@transaction.atomic
def block_override_undo(*, actor: User, document: SourceDocument, key: str) -> SourceDocument:
    """Leave a block to the criteria again. Raises ``RuleError`` where nothing was decided, or items
    were drawn."""
    document = document_undrawn(document)
    if key not in document.overrides:
        _check_there_alone(document, key)
        raise _undecided()
    _leave(document, {key})
    event_record(
        actor=actor, study=document.study, verb="block_left_to_criteria", target=document, block=key
    )
    return document


@transaction.atomic
def blocks_decide(
    *,
    actor: User,
    document: SourceDocument,
    keys: Collection[str],
    keep: bool,
    reason: str,
    reach: Reach = Reach.CHOSEN,
    depth: int = 0,
) -> Decided:
    """Rescue or exclude many blocks for one reason: those named, all with their text, or all under
    one of their headings. What a person decided on before stays as it is.

    Raises ``RuleError``: no reason or too long a one, one of these blocks is not there, nothing to
    decide, all copies of a text to be rescued, or items were drawn.
    """
    document = document_undrawn(document)
    reason = _checked(reason)
    if keep and reach is Reach.IDENTICAL:
        raise RuleError.single(
            "reach", "identical_kept",
            "Un même texte ne devient pas plusieurs clauses : récupérez un seul de ses blocs.",
            "One text does not become several clauses: rescue one of its blocks.",
        )  # fmt: skip
    there = document_funnel(document).verdicts
    _check_there(keys, {verdict.key for verdict in there})
    verdicts = reached(there, keys, reach, depth)
    if not verdicts:
        raise _no_block()
    wanted = [verdict.key for verdict in verdicts if can_be(keep)(verdict)]
    if not wanted:
        raise _nothing()
    together = secrets.token_hex(8)
    entry = _entry(actor, keep=keep, reason=reason, together=together)
    document.overrides = {**document.overrides, **dict.fromkeys(wanted, entry)}
    document.save(update_fields=["overrides"])
    event_record(
        actor=actor, study=document.study, verb="blocks_rescued" if keep else "blocks_excluded",
        target=document,
        blocks=len(wanted), reason=reason, together=together,
    )  # fmt: skip
    return Decided(len(wanted), len(verdicts) - len(wanted), together)


@transaction.atomic
def blocks_leave(*, actor: User, document: SourceDocument, keys: Collection[str]) -> Decided:
    """Leave many blocks to the criteria again. Raises ``RuleError`` where one of them is not there,
    nothing was decided on any of them, or items were drawn."""
    document = document_undrawn(document)
    wanted = set(keys) & set(document.overrides)
    # A decision on a block that other criteria do not find any more can be left as well.
    if others := [key for key in keys if key not in document.overrides]:
        _check_there(others, {verdict.key for verdict in document_funnel(document).verdicts})
    if not wanted:
        raise _nothing()
    _leave(document, wanted)
    event_record(
        actor=actor, study=document.study, verb="blocks_left_to_criteria", target=document,
        blocks=len(wanted),
    )  # fmt: skip
    return Decided(len(wanted), len(set(keys) - wanted))


def blocks_take_back(*, actor: User, document: SourceDocument, together: str) -> Decided:
    """Take a decision on many blocks back, whole; what was decided anew since stays. Raises
    ``RuleError`` as ``blocks_leave`` does."""
    keys = [
        key
        for key, entry in document.overrides.items()
        if together and entry.get("together") == together
    ]
    return blocks_leave(actor=actor, document=document, keys=keys)


def _leave(document: SourceDocument, keys: set[str]) -> None:
    document.overrides = {
        other: entry for other, entry in document.overrides.items() if other not in keys
    }
    document.save(update_fields=["overrides"])


def _entry(actor: User, *, keep: bool, reason: str, together: str = "") -> dict[str, Any]:
    entry = {"keep": keep, "reason": reason, "actor": actor.pk, "at": timezone.now().isoformat()}
    return entry | {"together": together} if together else entry


def _checked(reason: str) -> str:
    reason = " ".join(reason.split())
    if not reason:
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")
    if len(reason) > MOST_REASON:
        raise RuleError.single(
            "reason", "too_long", f"La raison a {MOST_REASON} caractères au plus.",
            f"A reason has {MOST_REASON} characters at most.",
        )  # fmt: skip
    return reason


def _check_there(keys: Collection[str], there: Collection[str]) -> None:
    """Raise ``RuleError`` that names the keys of no block: what was meant by them is not known, and
    a decision on the others alone would be another one."""
    gone = [key for key in dict.fromkeys(keys) if key not in there]
    if not gone:
        return
    named = names_in_words(gone)
    raise RuleError.single(
        "keys",
        "missing",
        f"Ces blocs n'existent pas, ou plus (les réglages ont pu changer) : {named.fr}. Rien n'a "
        "été décidé : rechargez la page.",
        f"These blocks are not there, or not any more (the settings may have changed): {named.en}. "
        "Nothing was decided: load the page again.",
    )


def _check_there_alone(document: SourceDocument, key: str) -> None:
    if all(verdict.key != key for verdict in document_funnel(document).verdicts):
        raise _no_block()


def _no_block() -> RuleError:
    return RuleError.single(
        "block",
        "missing",
        "Ce bloc n'existe plus : les réglages ont changé depuis. Rechargez la page.",
        "This block is not there any more: the settings changed since. Load the page again.",
    )


def _undecided() -> RuleError:
    return RuleError.single(
        "block",
        "undecided",
        "Personne n'a décidé de ce bloc à la main : il suit déjà les critères.",
        "Nobody has decided on this block by hand: it follows the criteria already.",
    )


def _nothing() -> RuleError:
    return RuleError.single(
        "block",
        "nothing",
        "Rien à décider : ces blocs sont déjà ainsi, ou quelqu'un en a décidé à la main.",
        "Nothing to decide: these blocks are like that already, or were decided by hand.",
    )
