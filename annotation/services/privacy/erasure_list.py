"""A list of the erasures that were carried out, beside the database: a backup from before knows
nothing of them.

A line says which account (by its number and the moment it was opened, which tell it in every copy
of this database), when, what became of the judgments, and which mentions of the person were decided
on by hand (by the number of the row: true, taken out; false, left). Nobody's name or address, nor a
digest of one.
"""

from __future__ import annotations

import fcntl
import hashlib
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


def lines_share() -> int:
    """Put into the bucket what this machine's list alone knows; how many erasures. Raises
    ``OSError``."""
    path = erasures_file()
    if not path.exists():
        return 0
    there = set(lines_elsewhere())
    lines = [line for line in path.read_text("utf-8").splitlines() if line not in there]
    if lines:
        content = "".join(f"{line}\n" for line in lines).encode()
        name = hashlib.sha256(content).hexdigest()[:16]
        sharing.bytes_keep(content, f"{FOLDER}/{name}.jsonl")
    return len(lines)


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
    """At the end, all of them or none, and on the disk when it returns. Raises ``OSError``."""
    descriptor = os.open(erasures_file(), os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        # One at a time: what a full disk took the beginning of is taken back.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        # What somebody added by hand may lack the end of its line.
        is_open = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        left = ("\n" * is_open + "".join(lines)).encode()
        try:
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)
