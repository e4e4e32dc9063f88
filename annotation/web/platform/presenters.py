"""The system page in words: which queue has nobody, which worker is silent, how old the backup
is."""

from __future__ import annotations

import platform
from datetime import timedelta
from importlib.metadata import version
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation import __version__
from annotation.models import BackupRun, GenerationRun, Job, WorkState
from annotation.selectors.platform.broker import BrokerState
from annotation.selectors.platform.system import Backup, DiskUse, WorkCount

# A day, or what is set, and what such a job may be late.
_NIGHTLY_HOURS = 24
_LATE = timedelta(hours=2)
# Below this, writing may soon fail.
_LOW_DISK = 0.1
_SHOWN_LIBRARIES = ("Django", "celery", "redis", "gunicorn", "psycopg2-binary")

_WORK = {
    "export": gettext_lazy("Exports"),
    "freeze": gettext_lazy("Snapshots"),
    "release": gettext_lazy("Releases"),
    "training": gettext_lazy("Trainings"),
    "scoring": gettext_lazy("Scorings"),
    "table": gettext_lazy("Reports on tables of scores"),
    "generation": gettext_lazy("Runs of models"),
}
_ENDED = {"done", "finished", "cancelled", "stopped"}
_FOLDERS = {
    "": gettext_lazy("directly in the data folder (the SQLite database, where there is one)"),
    "files": gettext_lazy("files that were sent in, and scorers"),
    "backups": gettext_lazy("backups that are made by themselves"),
    "exports": gettext_lazy("exports, removed after their time"),
    "snapshots": gettext_lazy("frozen data"),
    "releases": gettext_lazy("released bundles"),
    "scorers": gettext_lazy("scorers at hand, fetched again when missing"),
    "training": gettext_lazy("trainings under way"),
    "cache": gettext_lazy("figures that were computed, made again when missing"),
    "reading": gettext_lazy("files that are being read, removed right after"),
    "readings": gettext_lazy("files that wait to be read by a worker"),
    "static": gettext_lazy("collected static files, made again at the start"),
    "redis": gettext_lazy("the private Redis"),
    "metrics": gettext_lazy("counters of the metrics"),
    "postgresql": gettext_lazy("the private PostgreSQL of `manage.py stack`"),
}


def queue_rows(broker: BrokerState) -> list[dict[str, Any]]:
    """Each queue, how many messages wait in it, how many workers serve it, and whether one starts
    with the first message."""
    return [
        {
            "name": name,
            "waiting": waiting,
            "workers": broker.serving(name),
            "starts": name in broker.standby,
        }
        for name, waiting in broker.waiting.items()
    ]


def worker_rows(broker: BrokerState) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{worker.host} · {worker.pid}",
            "queues": ", ".join(worker.queues),
            "processes": worker.processes,
            "seen_at": worker.seen_at,
            "is_alive": worker.is_alive,
        }
        for worker in broker.workers
    ]


def work_rows(counts: list[WorkCount]) -> list[dict[str, Any]]:
    """What is neither done nor given up, and what failed."""
    return [
        {
            "kind": _WORK.get(count.kind, count.kind),
            "state": _state(count),
            "number": count.number,
            "failed": count.state == "failed",
        }
        for count in counts
        if count.state not in _ENDED
    ]


def _state(count: WorkCount) -> str:
    choices = {
        "generation": GenerationRun.State,
        "training": WorkState,
        "scoring": WorkState,
        "table": WorkState,
    }.get(count.kind, Job.State)
    return str(choices(count.state).label)


def backup_row(backup: Backup | None) -> dict[str, Any] | None:
    if backup is None:
        return None
    age = timezone.now() - backup.at
    return {
        "at": backup.at,
        "is_old": age > timedelta(hours=settings.BACKUP_EVERY_HOURS or _NIGHTLY_HOURS) + _LATE,
        "hours": int(age.total_seconds() // 3600),
        "files": backup.files,
        "bytes": backup.bytes,
        "kind": backup.kind,
        "reason": backup.reason,
    }


def backups_due(run: BackupRun | None) -> dict[str, Any] | None:
    """How backups are made by themselves, and what went wrong with the last; None where they are
    not."""
    if not settings.BACKUP_EVERY_HOURS:
        return None
    problem = run.problem if run is not None else ""
    return {
        "every": settings.BACKUP_EVERY_HOURS,
        "folder": settings.BACKUP_DIR,
        "keep": settings.BACKUP_KEEP,
        "weeks": settings.BACKUP_KEEP_WEEKS,
        "signed": bool(settings.BACKUP_SIGNING_KEY),
        "sealed": bool(settings.BACKUP_RECIPIENTS),
        "problem": BackupRun.Problem(problem).label if problem else "",
        "detail": run.detail if run is not None else "",
        "at": run.finished_at if run is not None else None,
    }


def disk_rows(disk: DiskUse) -> dict[str, Any]:
    folders = [
        {
            "name": folder.name,
            "about": _FOLDERS.get(folder.name, ""),
            "bytes": folder.bytes,
            "files": folder.files,
            "is_more": folder.is_more,
        }
        for folder in disk.folders
    ]
    return {
        "free": disk.free,
        "total": disk.total,
        "percent": disk.free * 100 // disk.total,
        "is_low": disk.free < disk.total * _LOW_DISK,
        "folders": folders,
        "path": settings.DATA_DIR,
    }


def bucket_row(refusal: str) -> dict[str, str] | None:
    """The bucket, and why it cannot be used; None where there is none."""
    options = settings.STORAGES["default"].get("OPTIONS", {})
    if "bucket_name" not in options:
        return None
    return {"name": options["bucket_name"], "refusal": refusal}


def versions() -> list[tuple[str, str]]:
    """Barème's, Python's and the libraries' that a report of a defect should name."""
    libraries = [(name, version(name)) for name in _SHOWN_LIBRARIES]
    return [("Barème", __version__), (_("Python"), platform.python_version()), *libraries]
