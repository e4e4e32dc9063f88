"""What the scorers' commands share: files, larger than uploads may be, and what is named there."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandError

from annotation.bodies import whole
from annotation.management.files import no_such
from annotation.models import DatasetSnapshot, Scorer
from annotation.services.publishing.releases import snapshot_named


def read_bytes(name: str) -> bytes:
    """The file's bytes. Raises ``CommandError`` where it cannot be read."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.") from error


def existing_snapshot(name: str) -> DatasetSnapshot:
    """The snapshot STUDY-NUMBER. Raises ``CommandError`` that names those there are."""
    snapshot = snapshot_named(name)
    if snapshot is None:
        known = DatasetSnapshot.objects.select_related("study")
        raise no_such("snapshot", name, "Snapshots", (snapshot.name for snapshot in known))
    return snapshot


def existing_scorer(name: str) -> Scorer:
    """The scorer of this version, 7 or v7. Raises ``CommandError`` that names those there are."""
    scorer = Scorer.objects.filter(version=whole(name.removeprefix("v")) or 0).first()
    if scorer is None:
        known = Scorer.objects.values_list("version", flat=True)
        raise no_such("scorer", name, "Scorers", (f"v{version}" for version in known))
    return scorer
