"""What those see who keep Barème running: work that is not done, the last backup, disk,
database."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, connections
from django.db.models import Count, Min, QuerySet

from annotation.models import (
    BackupRun,
    Event,
    GenerationRun,
    Job,
    Judgment,
    ScoringJob,
    TableReport,
    TrainingRun,
    WorkState,
)
from annotation.selectors.platform.parts import database_writable, migrations_pending

# A folder with more files than this is not counted to its end: the page must open.
_MOST_FILES = 100_000


WORK_KINDS = (*Job.Kind.values, "training", "scoring")
"""Of work that can fail; a generation run stands still instead."""


@dataclass(frozen=True)
class WorkCount:
    """How much background work of a kind is in a state; both are names of our own."""

    kind: str
    state: str
    number: int


@dataclass(frozen=True)
class Backup:
    """The last one that was finished here; ``reason``: why it is portable, though nobody asked for
    that."""

    at: datetime
    kind: str
    files: int
    bytes: int
    reason: str = ""


@dataclass(frozen=True)
class FolderUse:
    """Bytes under a folder of the data folder; ``is_more`` where not everything was counted."""

    name: str
    bytes: int
    files: int
    is_more: bool


@dataclass(frozen=True)
class DiskUse:
    """The disk of the data folder, in bytes, and what lies where."""

    free: int
    total: int
    folders: tuple[FolderUse, ...]


@dataclass(frozen=True)
class DatabaseState:
    """Which database, and whether its tables are those of this version."""

    vendor: str
    version: str
    pending: tuple[str, ...]
    is_writable: bool = True


def judgments_submitted() -> int:
    return Judgment.objects.filter(submitted_at__isnull=False).count()


def work_counts() -> list[WorkCount]:
    """Exports, snapshots and releases, trainings, scorings and generation runs, by their state."""
    jobs = Job.objects.order_by().values_list("kind", "state").annotate(number=Count("pk"))
    counts = [WorkCount(kind, state, number) for kind, state, number in jobs]
    others: dict[str, QuerySet[Any]] = {
        "training": TrainingRun.objects.all(),
        "scoring": ScoringJob.objects.all(),
        "table": TableReport.objects.all(),
        "generation": GenerationRun.objects.all(),
    }
    for name, everything in others.items():
        rows = everything.order_by().values_list("state").annotate(number=Count("pk"))
        counts += [WorkCount(name, state, number) for state, number in rows]
    return sorted(counts, key=lambda count: (count.kind, count.state))


def work_waiting_since() -> dict[str, datetime]:
    """When the oldest piece of work that waits for a worker was asked for, by kind; a kind of which
    nothing waits is not there."""
    queued = Job.objects.filter(state=Job.State.QUEUED).order_by()
    since_by_kind = dict(queued.values_list("kind").annotate(since=Min("created_at")))
    others: dict[str, QuerySet[Any]] = {
        "training": TrainingRun.objects.filter(state=WorkState.QUEUED),
        "scoring": ScoringJob.objects.filter(state=WorkState.QUEUED),
        "table": TableReport.objects.filter(state=WorkState.QUEUED),
    }
    for name, waiting in others.items():
        if since := waiting.aggregate(since=Min("created_at"))["since"]:
            since_by_kind[name] = since
    return since_by_kind


def last_backup() -> Backup | None:
    """The last backup made of this database; None where there is none."""
    # By what was written down last: a clock may have been ahead before.
    event = Event.objects.filter(verb="backup_made").order_by("-pk").first()
    if event is None:
        return None
    details = event.details
    return Backup(
        at=event.created_at,
        kind=details["kind"],
        files=details["files"],
        bytes=details["bytes"],
        reason=details.get("reason", ""),
    )


def last_backup_run() -> BackupRun | None:
    """How the last one ended that was due by itself; None where none has ended yet."""
    ended = (BackupRun.State.DONE, BackupRun.State.FAILED)
    return BackupRun.objects.filter(state__in=ended).first()


def database_state() -> DatabaseState:
    """Raises ``DatabaseError`` where it does not answer."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sqlite_version()" if connection.vendor == "sqlite" else "SHOW server_version"
        )
        version = str(cursor.fetchone()[0]).split()[0]
    return DatabaseState(
        connection.display_name, version, tuple(migrations_pending()), database_writable()
    )


def database_place(alias: str = "default") -> str:
    """Where a database is, without the password, which stands in its address."""
    place = connections[alias].settings_dict
    is_served = connections[alias].vendor == "postgresql"
    host = f"{place.get('HOST') or 'this machine'}, " if is_served else ""
    return f"{host}{place['NAME']}"


def databases_open_to_all(aliases: Sequence[str] | None = None) -> list[Path]:
    """Databases that are files and that anybody on this machine may read; no connection is made, so
    that all are looked at where none is named."""
    paths = [
        Path(str(connections[alias].settings_dict["NAME"])).absolute()
        for alias in aliases or connections
        if connections[alias].vendor == "sqlite"
    ]
    return [path for path in paths if _is_open_to_all(path)]


def owned_again(path: Path) -> str:
    """The command that leaves a database, and the files beside it, to its owner alone."""
    return f"chmod 600 {shlex.quote(str(path))}*"


def _is_open_to_all(path: Path) -> bool:
    try:
        folders = all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
        return folders and bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False  # none yet, or in memory


def disk_use() -> DiskUse:
    """How full the disk is, and which folder of the data folder takes how much. Raises
    ``OSError``."""
    root: Path = settings.DATA_DIR
    disk = shutil.disk_usage(root)
    folders = [
        _folder(entry.name, root / entry.name) for entry in os.scandir(root) if entry.is_dir()
    ]
    return DiskUse(
        disk.free, disk.total, (*sorted(folders, key=lambda folder: folder.name), _loose(root))
    )


def _folder(name: str, folder: Path) -> FolderUse:
    total = count = 0
    for size in _sizes(folder):
        total += size
        count += 1
        if count >= _MOST_FILES:
            return FolderUse(name, total, count, is_more=True)
    return FolderUse(name, total, count, is_more=False)


def _loose(root: Path) -> FolderUse:
    """What lies in the data folder itself: the database of a small installation, locks."""
    sizes = [size for entry in os.scandir(root) if (size := _size(entry)) is not None]
    return FolderUse("", sum(sizes), len(sizes), is_more=False)


def _sizes(folder: Path) -> Iterator[int]:
    for parent, _folders, _names in os.walk(folder):
        try:
            entries = list(os.scandir(parent))
        except FileNotFoundError:
            continue  # removed while we were counting
        yield from (size for entry in entries if (size := _size(entry)) is not None)


def _size(entry: os.DirEntry[str]) -> int | None:
    """The file's bytes; None for what is no file, or no longer there."""
    try:
        return (
            entry.stat(follow_symlinks=False).st_size
            if entry.is_file(follow_symlinks=False)
            else None
        )
    except FileNotFoundError:
        return None
