"""Protocols that people have installed themselves, as their pages list them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import ProtocolDraft, PublishedProtocol, Study, User
from annotation.models.composed import COMPOSED_THERE
from annotation.protocols.registry import COMPOSED


@dataclass(frozen=True)
class Composed:
    """``may_remove``: the reader may, as long as no study follows it."""

    installed_at: datetime | None
    is_own: bool
    may_remove: bool


def composed_by(reader: User) -> dict[str, Composed]:
    """What people have installed, by name, and whoever runs Barème has not; a query."""
    there = PublishedProtocol.objects.filter(COMPOSED_THERE).only(
        "key", "version", "installed_at", "installed_by_id"
    )
    return {
        str(kept): Composed(
            kept.installed_at,
            is_own := kept.installed_by_id == reader.pk,
            may_remove=is_own or reader.is_admin,
        )
        for kept in there
        if (kept.key, kept.version) in COMPOSED
    }


def with_installed(drafts: QuerySet[ProtocolDraft]) -> QuerySet[ProtocolDraft]:
    """Each with ``is_installed``: whether just this file is what people have installed."""
    same = PublishedProtocol.objects.filter(COMPOSED_THERE, file=OuterRef("text"))
    return drafts.annotate(is_installed=Exists(same))


def followed() -> set[tuple[str, str]]:
    """Key and version of each protocol that a study follows; a query."""
    pinned = Study.objects.order_by().values_list("protocol_key", "protocol_version")
    return set(pinned.distinct())
