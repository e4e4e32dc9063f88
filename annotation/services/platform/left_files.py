"""Files that a transaction left behind: it was undone after they were written, or whoever would
have removed them was stopped before."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import timedelta

from django.core.files.storage import default_storage
from django.utils import timezone

# A transaction that will name its file has long ended by then.
_AFTER = timedelta(days=1)


def left_files_remove(folder: str, named: Callable[[], Collection[str | None]]) -> int:
    """Remove the files of this folder that are a day old and that nothing names; returns how many.
    ``named``: the paths that rows name, asked for only where there is an old file."""
    try:
        names = default_storage.listdir(folder)[1]
    except FileNotFoundError:
        return 0
    before = timezone.now() - _AFTER
    paths = [f"{folder}/{name}" for name in names]
    old = [path for path in paths if default_storage.get_modified_time(path) < before]
    kept = named() if old else ()
    gone = [path for path in old if path not in kept]
    for path in gone:
        default_storage.delete(path)
    return len(gone)
