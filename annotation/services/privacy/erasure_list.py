"""A list of the erasures that were carried out, beside the database: a backup from before knows
nothing of them.

A line says which account (by its number and the moment it was opened, which tell it in every copy
of this database), when, what became of the judgments, and which mentions of the person were decided
on by hand (by the number of the row: true, taken out; false, left). Nobody's name or address, nor a
digest of one.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from django.conf import settings

from annotation import sharing
from annotation.models import ErasureRequest

log = logging.getLogger(__name__)


FOLDER = "erasures"
"""Of the bucket: a file for each erasure, whichever machine carried it out."""


def lines_elsewhere() -> list[str]:
    """The erasures that the bucket knows, one a line; [] without a bucket. Raises ``OSError``."""
    lines = []
    for name in sharing.tree(FOLDER):
        with sharing.file_open(name) as stored:
            lines += stored.read().decode().splitlines()
    return lines


def erasures_file() -> Path:
    """Where the list is, or will be. No backup holds it: a restore must not put an older one in its
    place."""
    path: Path = settings.DATA_DIR / "erasures.jsonl"
    return path


def erasure_line(
    account: int,
    opened_at: datetime,
    erased_at: datetime,
    judgments: str,
    places: Mapping[str, bool],
) -> str:
    """One erasure, as the list holds it."""
    facts = {
        "account": account,
        "opened_at": opened_at,
        "erased_at": erased_at,
        "judgments": judgments,
        "places": dict(places),
    }
    return json.dumps(facts, default=datetime.isoformat) + "\n"


def erasure_note(request: ErasureRequest) -> None:
    """Add a granted request to the list. The erasure stands already: a full disk is told in the
    log, with the line, and by ``request.unlisted``, not raised. The next restore here finds it in
    the database that it replaces; one elsewhere does not."""
    assert request.decided_at is not None  # noqa: S101  (a constraint of the table)
    decided = {key: bool(held["take"]) for key, held in request.places.items()}
    line = erasure_line(
        request.user_id, request.user.created_at, request.decided_at, request.decision, decided
    )
    places: dict[str, Callable[[], object]] = {str(erasures_file()): lambda: lines_add([line])}
    if sharing.is_shared():
        # A bucket's files cannot be added to: each erasure is one.
        own = f"{FOLDER}/{request.pk}-{request.user_id}.jsonl"
        places[f"{own} of the storage"] = lambda: sharing.bytes_keep(line.encode(), own)
    for place, keep in places.items():
        try:
            keep()
        except OSError as error:
            request.unlisted = line.rstrip()
            request.unlisted_in = (*request.unlisted_in, place)
            # In the message: of what is passed beside it, the log keeps a beginning. No name is in
            # it.
            log.warning(
                "erasure not listed in %s: %s",
                place,
                request.unlisted,
                extra={"request": request.pk, "kind": type(error).__name__},
            )


def lines_add(lines: list[str]) -> None:
    """In one write each, at the end, and on the disk when it returns. Raises ``OSError``."""
    descriptor = os.open(erasures_file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        for line in lines:
            os.write(descriptor, line.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
