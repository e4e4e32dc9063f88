"""What a freeze or a bundle whose worker was killed left half-written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from annotation.services.publishing.releases import releases_folder
from annotation.services.publishing.snapshots import snapshots_folder

# Whoever writes changes something there all the while; between two files a query may take long.
_AFTER = timedelta(days=1)
# A zip as it was called while versions before wrote it.
_ENDINGS = (".part", ".zip")


def unfinished_expire() -> int:
    """Remove what nobody has written to for a day and that has no name of its own yet; how many."""
    before = (timezone.now() - _AFTER).timestamp()
    left = [path for path in _unfinished() if _changed_at(path) < before]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
        if not path.is_dir():
            path.unlink(missing_ok=True)
    return len(left)


def _unfinished() -> Iterator[Path]:
    """On this machine: a bucket takes nothing that is not whole."""
    for folder in (snapshots_folder(), releases_folder()):
        # Within a snapshot's folder lies what is being fetched from the bucket.
        for pattern in (".*", "*/.*"):
            yield from (path for path in folder.glob(pattern) if path.name.endswith(_ENDINGS))


def _changed_at(path: Path) -> float:
    """When it was last written to, or anything in it. What goes meanwhile was just given its
    name."""
    try:
        return max(place.stat().st_mtime for place in (path, *path.rglob("*")))
    except FileNotFoundError:
        return timezone.now().timestamp()
