"""The files of exports: where they lie, whether they are there, and until when."""

from __future__ import annotations

import uuid
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from annotation import sharing
from annotation.models import Job

KEPT = timedelta(days=30)
FOLDER = "exports"
# A folder without a job may belong to a request that is being stored at this moment.
_ORPHAN_AFTER = timedelta(days=1)


def parts_clear(folder: Path) -> None:
    """Remove what workers that were killed left half-written."""
    for part in folder.glob("*.part"):
        part.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def exports_expire() -> int:
    """Remove files that have had their time, and folders of jobs that are gone; returns how many.

    The job stays in the list with its checksum: an expired file can still be told from another.
    """
    removed = 0
    old = Job.objects.filter(kind=Job.Kind.EXPORT, finished_at__lt=timezone.now() - KEPT).exclude(
        result_path=""
    )
    for job in old:
        export_files_remove(job.public_id)
        Job.objects.filter(pk=job.pk).update(result_path="")
        removed += 1
    return removed + _remove_orphans()


def _remove_orphans() -> int:
    before = timezone.now() - _ORPHAN_AFTER
    old = {
        folder.name
        for folder in sharing.here(FOLDER).glob("*-*-*-*-*")
        if folder.stat().st_mtime < before.timestamp()
    }
    known = (
        {str(public_id) for public_id in Job.objects.values_list("public_id", flat=True)}
        if old or sharing.is_shared()
        else set()
    )
    # A bucket's folder has no age; its files have one.
    old |= {name for name in sharing.folders_in(FOLDER) if name not in known and _is_old(name)}
    orphans = old - known
    for name in orphans:
        sharing.folder_drop(f"{FOLDER}/{name}")
    return len(orphans)


def _is_old(name: str) -> bool:
    """Whether all that the bucket has of this export is a day old."""
    before = timezone.now() - _ORPHAN_AFTER
    return all(sharing.changed_at(file) < before for file in sharing.tree(f"{FOLDER}/{name}"))


def export_folder(public_id: uuid.UUID) -> Path:
    """Where an export is written on this machine, and lies where no bucket holds it."""
    return sharing.here(f"{FOLDER}/{public_id}")


def export_files_remove(public_id: uuid.UUID) -> None:
    """Remove whatever there is of an export's files, on this machine and in the bucket."""
    sharing.folder_drop(f"{FOLDER}/{public_id}")


def export_is_there(job: Job) -> bool:
    """Whether there is a finished file (still).

    A bucket is not asked, which would cost a page of exports a round trip for each: the row knows.
    """
    if job.state != Job.State.DONE or not job.result_path:
        return False
    path = sharing.here(job.result_path)
    if sharing.is_shared() and not path.exists():
        return True
    # A file that a power cut left short is no file.
    return path.is_file() and path.stat().st_size == job.result.get("size", path.stat().st_size)
