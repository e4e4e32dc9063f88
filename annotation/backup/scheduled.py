"""The backup that is due, made by a worker, and older ones removed by a stated rule."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from annotation import sharing
from annotation.backup.errors import BackupError
from annotation.backup.whole import make, name_of
from annotation.models import BackupRun
from annotation.room import is_disk_full
from annotation.services.platform.backups import (
    BACKUPS,
    backup_fail,
    backup_finish,
    backup_not_pruned,
)
from annotation.services.platform.leases import Heartbeat, LeaseLost
from annotation.services.privacy.erasure_list import erasures_file

FOLDER = "backups"
"""Of the bucket, where there is one."""
_NAME = re.compile(r"bareme-\d{8}T\d{6}Z\.zip(\.age)?")
# What a killed process left of one: nobody works on it any more after a day.
_DRAFT = re.compile(rf"\.{_NAME.pattern}\..+")
_ABANDONED_SECONDS = 24 * 3600.0
_Problem = BackupRun.Problem
log = logging.getLogger(__name__)


def backup_carry_out(public_id: uuid.UUID) -> bool:
    """Make it. False where there was nothing to do, or it could not be done and the row says why.

    What is no more than a full disk, a folder or another backup under way raises nothing.
    """
    run = BACKUPS.claim(public_id, started_at=timezone.now())
    if run is None:
        return False
    output = settings.BACKUP_DIR / name_of(timezone.now())
    try:
        with Heartbeat(BACKUPS, run):
            make(output)
            if sharing.is_shared():
                # Whichever machine made it: all of them lie in one place.
                sharing.file_keep(output, f"{FOLDER}/{output.name}")
        backup_finish(run, output.name)
    except LeaseLost:
        return False
    except Exception as error:
        problem = _problem(error)
        backup_fail(run, problem, "" if problem == _Problem.DEFECT else str(error))
        log.exception("no backup was made", extra={"run": run.pk})
        return False
    try:
        _keep_erasures(settings.BACKUP_DIR)
        prune(settings.BACKUP_DIR, settings.BACKUP_KEEP, settings.BACKUP_KEEP_WEEKS)
        _prune_bucket(settings.BACKUP_KEEP, settings.BACKUP_KEEP_WEEKS)
    except OSError as error:
        backup_not_pruned(run, str(error))
        log.exception("the folder of backups was not put in order", extra={"run": run.pk})
    return True


def _keep_erasures(folder: Path) -> None:
    """The list of erasures beside the backups, none of which holds it: a restore on a new machine
    needs it. A line that stands there alone stays: a data folder that began anew knows less."""
    listed = erasures_file()
    if not listed.exists():
        return
    copy, draft = folder / listed.name, folder / f".{listed.name}"
    there = copy.read_bytes().splitlines() if copy.exists() else []
    lines = dict.fromkeys([*there, *listed.read_bytes().splitlines()])
    draft.touch(mode=0o600)
    draft.write_bytes(b"".join(line + b"\n" for line in lines))
    draft.replace(copy)


def prune(folder: Path, keep: int, weeks: int) -> list[str]:
    """Remove the backups in this folder that the rule does not keep, and what killed processes left
    of theirs; the names.

    Only files that are named as ours are touched. Raises ``OSError``.
    """
    paths = list(folder.iterdir())
    ours = [path.name for path in paths if _NAME.fullmatch(path.name)]
    drafts = [path for path in paths if _DRAFT.fullmatch(path.name)]
    since = time.time() - _ABANDONED_SECONDS
    left = {path.name for path in drafts if path.stat().st_mtime < since}
    removed = sorted(left | set(ours) - kept(ours, keep, weeks))
    for name in removed:
        (folder / name).unlink(missing_ok=True)
    return removed


def _prune_bucket(keep: int, weeks: int) -> None:
    """The same by the same rule where there is a bucket. Raises ``OSError``."""
    names = [Path(name).name for name in sharing.tree(FOLDER)]
    ours = [name for name in names if _NAME.fullmatch(name)]
    for name in sorted(set(ours) - kept(ours, keep, weeks)):
        sharing.file_drop(f"{FOLDER}/{name}")


def backups_in_bucket() -> list[str]:
    """Names of those that lie there, the newest first; [] without a bucket. Raises ``OSError``."""
    names = [Path(name).name for name in sharing.tree(FOLDER)]
    return sorted((name for name in names if _NAME.fullmatch(name)), reverse=True)


@contextmanager
def backup_at(named: str) -> Iterator[Path]:
    """The file that somebody named: on this machine, or a copy of the one in the bucket. Raises
    ``BackupError``, ``OSError``."""
    path = Path(named)
    if path.exists() or not sharing.is_shared():
        yield path
    elif (there := backups_in_bucket()) and named in there:
        with sharing.fetched(f"{FOLDER}/{named}") as copy:
            yield copy
    else:
        newest = ", ".join(there[:5]) or "none"
        raise BackupError(
            f"{named} is neither a file here nor a backup in the storage (there are: {newest})."
        )


def kept(names: Collection[str], keep: int, weeks: int) -> set[str]:
    """Of these backups the newest ``keep``, and the newest of each of the last ``weeks`` ISO weeks
    (UTC) of which there is one.

    Those of a moment that is yet to come stay and do not count: where a clock was ahead, they would
    take the place of each new one."""
    now = timezone.now()
    ahead = {name for name in names if _moment(name) > now}
    newest = sorted(set(names) - ahead, reverse=True)
    by_week: dict[tuple[int, int], str] = {}
    for name in newest:
        year, week, _ = _moment(name).isocalendar()
        by_week.setdefault((year, week), name)
    return {*ahead, *newest[:keep], *list(by_week.values())[:weeks]}


def _moment(name: str) -> datetime:
    return datetime.strptime(name[7:23], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def _problem(error: Exception) -> str:
    if is_disk_full(error):
        return _Problem.DISK_FULL
    if isinstance(error, BackupError):
        return _Problem.REFUSED
    return _Problem.DISK if isinstance(error, OSError) else _Problem.DEFECT
