"""A write that is asked for twice under one key is done once, and answered twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import IdempotencyRecord, User

KEPT = timedelta(days=7)
MOST_CHARACTERS = 255


@dataclass(frozen=True)
class Answer:
    """What a write was answered. ``stored`` is what a repetition gets where that must not be the
    same: a link or a key that is shown once. ``finish`` is what the write still has to do once it
    is stored, such as asking another server; it gives the answer as it is then."""

    status: int
    body: Any
    replayed: bool = False
    stored: Any = None
    finish: Callable[[], Answer] | None = None


def answered_once(
    *,
    actor: User,
    key: str,
    request_digest: str,
    write: Callable[[], Answer],
    may_read: Callable[[], object],
) -> Answer:
    """The answer of ``write``, or the one that it gave under this key before.

    Record and change are one transaction: an interrupted or refused write leaves neither, and may
    be sent again under the same key. What an answer leaves to ``finish`` is done after it, with no
    transaction open; where that is interrupted, a repetition gets the answer as it was before.
    ``may_read`` is asked before an answer is given again: it raises where the person has lost the
    part that they had when it was first given. Raises ``RuleError`` for a key that stands for
    another request, and what ``write`` and ``may_read`` raise.
    """
    if not 0 < len(key) <= MOST_CHARACTERS:
        raise RuleError.single(
            "Idempotency-Key",
            "invalid",
            f"De 1 à {MOST_CHARACTERS} caractères.",
            f"From 1 to {MOST_CHARACTERS} characters.",
        )
    key_digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    mine = IdempotencyRecord.objects.filter(user=actor, key_digest=key_digest)
    if former := mine.first():
        return _again(former, request_digest, may_read)
    try:
        with transaction.atomic():
            # Before the write: of two at once the second waits here for the first, and then finds
            # its answer.
            with transaction.atomic():
                record = mine.create(
                    user=actor, key_digest=key_digest, request_digest=request_digest, status=0
                )
            answer = write()
            _keep(record, answer)
    except IntegrityError:
        former = mine.first()
        if former is None:
            raise
        return _again(former, request_digest, may_read)
    if answer.finish is not None:
        answer = answer.finish()
        _keep(record, answer)
    return answer


def _keep(record: IdempotencyRecord, answer: Answer) -> None:
    record.status = answer.status
    record.answer = answer.body if answer.stored is None else answer.stored
    record.save(update_fields=["status", "answer"])


def idempotency_expire() -> int:
    """Remove records that no client comes back for; returns how many."""
    return IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - KEPT).delete()[0]


def _again(
    former: IdempotencyRecord, request_digest: str, may_read: Callable[[], object]
) -> Answer:
    # Before the part: whoever sends another request learns nothing of what it is about.
    if former.request_digest != request_digest:
        raise RuleError.single(
            "Idempotency-Key",
            "reused",
            "Cette clé a servi pour une autre demande : prenez-en une nouvelle.",
            "This key was used for another request: take a new one.",
        )
    may_read()
    return Answer(former.status, former.answer, replayed=True)
