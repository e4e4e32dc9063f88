"""The one writer of judgments: a person's, a model's and a file's go through here.

What the answers of a judgment are stored as is the protocol's affair (``Protocol.parts``); the seal
is the database's (``models.triggers``): nothing that does not fit the study's protocol gets one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from annotation import answers as storage
from annotation.errors import RuleError
from annotation.models import Judgment, Study
from annotation.protocols.base import Answers, Parts
from annotation.protocols.description import NOT_INSTALLED
from annotation.rows import row_update, rows_insert

_AT_ONCE = 2000


def judgment_seal(judgment: Judgment, study: Study, answers: Answers, at: datetime) -> None:
    """Make ``answers``, which the protocol has no problem with, what the judgment holds, submitted
    at ``at``. One that was sealed already is taken out of force, emptied and written anew.

    Called within a transaction, under the assignment's lock. Raises ``RuleError`` where a kind of
    field is gone: what would be emptied could not be written again.
    """
    if study.protocol.former:
        raise RuleError([NOT_INSTALLED])
    judgment.protocol = study.protocol.name
    judgment.submitted_at = None
    if judgment.pk is None:
        rows_insert(judgment)
    else:
        judgment.save()
        storage.clear(judgment)
    storage.store(judgment, study.protocol, answers, study.rulings)
    judgment.submitted_at = at
    row_update(judgment, "submitted_at")


def judgments_seal(judged: Sequence[tuple[Judgment, Parts]], study: Study, at: datetime) -> int:
    """Store many new judgments at once, each with its parts, submitted at ``at``; how many.

    Called within a transaction; the assignments are stored already. Raises ``IntegrityError`` where
    the parts do not fit the study's protocol; then nothing is stored.
    """
    for judgment, _parts in judged:
        judgment.protocol = study.protocol.name
    rows_insert(*(judgment for judgment, _parts in judged))
    storage.store_parts(judged)
    keys = [judgment.pk for judgment, _parts in judged]
    return sum(
        Judgment.objects.filter(pk__in=keys[start : start + _AT_ONCE]).update(submitted_at=at)
        for start in range(0, len(keys), _AT_ONCE)
    )
