"""The blocks of a long source document, found by a worker: asked for by whoever looks at them, kept
for everybody."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotation.corpus.funnel import Criteria
from annotation.jobs import request_blocks
from annotation.models import User
from annotation.models.document import SourceDocument
from annotation.reading import ReadingBusy, blocks_read
from annotation.selectors.documents.blocks import (
    blocks_ask,
    blocks_asked_no_more,
    blocks_keep,
    blocks_key,
    blocks_known,
    blocks_take_long,
    hints_of,
)
from annotation.selectors.documents.documents import criteria_of


def blocks_request(*, actor: User, document: SourceDocument, criteria: Criteria) -> None:
    """Have a worker find the blocks under these criteria. Asking again is harmless: whoever waits
    does, so that a message or a worker that was lost costs a minute."""
    if blocks_ask(actor.pk):
        request_blocks(document.pk, asdict(criteria), actor.pk)


def blocks_carry_out(document: uuid.UUID, criteria: Mapping[str, Any], person: int) -> bool:
    """Find and keep them, in a process under limits. False where there is nothing to do, or it is
    not their turn."""
    try:
        source = SourceDocument.objects.filter(pk=document).first()
        return source is not None and blocks_find(
            document=source, criteria=criteria_of(dict(criteria)), person=person
        )
    except ReadingBusy:
        return False
    finally:
        blocks_asked_no_more(person)


def blocks_find(*, document: SourceDocument, criteria: Criteria, person: int | None = None) -> bool:
    """Find and keep the blocks of a long document that are not there yet. ``person``: whose turn it
    takes; None for a terminal. Raises ``ReadingBusy``."""
    key = blocks_key(document, criteria)
    if not blocks_take_long(document.text) or blocks_known(key):
        return False
    hints = {number: hint.value for number, hint in hints_of(document)}
    blocks_keep(key, blocks_read(document.text, hints, criteria, person=person))
    return True
