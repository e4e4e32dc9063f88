"""Aids beside the texts: that one was opened, and when, is noted with the saves of its pair."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from annotation.models import Assignment

# Aids that may steer a judgment. Of those that only help somebody to read (spacing, type, voice)
# nothing is recorded.
AIDS = ("renderings", "glossary")
MAX_SECONDS = 2**31


def aids_note(assignment: Assignment, aids: Mapping[str, int], now: datetime) -> None:
    """When each aid was first opened: once noted it stays, whatever later saves say."""
    earliest = assignment.opened_at or now
    for name, seconds in aids.items():
        column = f"{name}_at"
        if name in AIDS and getattr(assignment, column) is None:
            moment = max(earliest, now - timedelta(seconds=min(seconds, MAX_SECONDS)))
            if Assignment.objects.filter(pk=assignment.pk, **{column: None}).update(
                **{column: moment}
            ):
                setattr(assignment, column, moment)
