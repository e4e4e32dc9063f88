"""The audit entry that every other service writes beside its change."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from annotation.models import Event, Study, User


def event_record(
    *,
    actor: User | None,
    verb: str,
    study: Study | None = None,
    target: Model | None = None,
    **details: Any,
) -> Event:
    """Add an audit event. ``details`` are ids, counts and settings; never a text or a name."""
    return Event.objects.create(
        actor=actor,
        study=study,
        verb=verb,
        target_type=target._meta.model_name or "" if target is not None else "",
        target_id=str(target.pk) if target is not None else "",
        details=details,
    )
