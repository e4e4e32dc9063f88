"""Who was erased since a backup was made is in it again: a restore erases them once more; where
the database server itself was put back, ``manage.py recovered`` does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import DatabaseError, connection, transaction

from annotation.backup.errors import BackupError
from annotation.errors import RuleError
from annotation.models import ErasureRequest, User
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_list import (
    erasure_line,
    erasures_file,
    lines_add,
    lines_elsewhere,
)
from annotation.services.privacy.erasure_requests import erasure_places_repeat, erasure_request


@dataclass(frozen=True)
class Erased:
    """An erasure that was carried out. ``account`` and ``opened_at`` tell the account in every copy
    of a database.

    ``places``: which mentions were decided on by hand: whether they were taken out, by the key of
    the place."""

    account: int
    opened_at: datetime
    erased_at: datetime
    judgments: str
    places: Mapping[str, bool] = field(default_factory=dict, compare=False)


@dataclass
class Repeated:
    """What a restore did about erasures. ``is_sure``: there was a list, or a database to read them
    from."""

    is_sure: bool
    again: list[int] = field(default_factory=list)
    left: list[tuple[int, str]] = field(default_factory=list)
    """Accounts that could not be erased by themselves, each with the reason."""


def gather() -> tuple[list[Erased], bool]:
    """Every erasure that the list or the present database knows; the list is completed, since the
    database goes.

    And whether there was anything to ask. Raises ``BackupError`` for a list that cannot be read,
    ``OSError``.
    """
    listed, recorded = _listed(), _recorded()
    elsewhere = [
        _of_line(line, "A file in the storage's folder erasures") for line in lines_elsewhere()
    ]
    known = listed or []
    new: list[Erased] = []
    for erased in [*elsewhere, *(recorded or [])]:
        if erased not in known and erased not in new:
            new.append(erased)
    if new:
        lines_add([erasure_line(**vars(erased)) for erased in new])
    return known + new, listed is not None or recorded is not None or bool(elsewhere)


def is_listed() -> bool:
    """Whether there is a list. A database that was put back knows nothing of what came after."""
    return erasures_file().exists() or bool(lines_elsewhere())


def repeat(known: list[Erased], *, is_sure: bool, after: str) -> Repeated:
    """Erase again, in the restored database, whoever is in it as before. ``after``: what brought
    them back, for the reason that is kept."""
    done = Repeated(is_sure)
    # Who was erased twice already (an earlier restore) stands twice in the list: as decided last.
    latest = {
        (erased.account, erased.opened_at): erased
        for erased in sorted(known, key=lambda erased: erased.erased_at)
    }
    for erased in latest.values():
        user = User.objects.filter(
            pk=erased.account, created_at=erased.opened_at, erased_at__isnull=True
        ).first()
        if user is None:
            # Erased in the backup as well, not opened yet when it was made, or of another
            # installation.
            continue
        reason = f"Erased on {erased.erased_at:%Y-%m-%d}; once more after {after}."
        try:
            with transaction.atomic():
                waiting = ErasureRequest.objects.filter(
                    user=user, state=ErasureRequest.State.OPEN
                ).first()
                request = waiting or erasure_request(actor=None, user=user, wish=erased.judgments)
                erasure_places_repeat(request=request, decided=erased.places)
                erasure_grant(
                    actor=None, request=request, judgments=erased.judgments, reason=reason
                )
        except RuleError as error:
            done.left.append(
                (erased.account, " ".join(problem.message.en for problem in error.problems))
            )
        else:
            done.again.append(erased.account)
    return done


def _listed() -> list[Erased] | None:
    """Those in the list; None where there is no list. Raises ``BackupError`` for one that cannot be
    read."""
    path = erasures_file()
    if not path.exists():
        return None
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(
            f"{path} cannot be read ({getattr(error, 'strerror', None) or 'no text'}), so who was "
            "erased cannot be known. Make it readable for the user of this command, or put its "
            "copy there; nothing was restored."
        ) from error
    return [_of_line(line, f"Line {number} of {path}") for number, line in enumerate(lines, 1)]


def _of_line(line: str, where: str) -> Erased:
    """Raises ``BackupError`` for a line that is no erasure."""
    try:
        return _read(line)
    except (ValueError, KeyError, TypeError) as error:
        raise BackupError(
            f"{where} is no erasure. Mend it or take it out; nothing was restored."
        ) from error


def _read(line: str) -> Erased:
    facts = json.loads(line)
    moments = {name: datetime.fromisoformat(facts[name]) for name in ("opened_at", "erased_at")}
    if facts["judgments"] not in ErasureRequest.Judgments.values:
        raise ValueError("no such choice")
    # Lists from before mentions could be decided on have none.
    places = {str(key): bool(take) for key, take in dict(facts.get("places") or {}).items()}
    return Erased(
        account=int(facts["account"]), judgments=facts["judgments"], places=places, **moments
    )


def _recorded() -> list[Erased] | None:
    """Those that the present database knows; None where it is empty or cannot be read, for which a
    restore is there."""
    try:
        if (
            ErasureRequest._meta.db_table not in connection.introspection.table_names()
            or not User.objects.exists()
        ):
            return None
        granted = ErasureRequest.objects.filter(state=ErasureRequest.State.GRANTED).order_by("pk")
        return [
            Erased(
                row["user"],
                row["user__created_at"],
                row["decided_at"],
                row["decision"],
                _decided(row["places"]),
            )
            for row in granted.values(
                "user", "user__created_at", "decided_at", "decision", "places"
            )
            if row["decided_at"] is not None  # a constraint of the table, for the types
        ]
    except DatabaseError:
        return None


def _decided(places: Mapping[str, Any]) -> dict[str, bool]:
    return {key: bool(held["take"]) for key, held in places.items()}
