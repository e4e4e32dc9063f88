"""A backup made and put back: database and files together."""

from __future__ import annotations

import dataclasses
import errno
import fcntl
import os
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.utils import timezone

from annotation.backup import archive, database, erasures, sealing
from annotation.backup.errors import BackupError
from annotation.models import Study
from annotation.models.descriptions import files_edited
from annotation.protocols.registry import published
from annotation.room import is_read_only
from annotation.selectors.platform.parts import migrations_applied
from annotation.services.platform.events import event_record

_ABANDONED_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class Made:
    """What a backup holds; ``reason``: why the database is in it as JSON, though nobody asked for
    that. ``is_noted``: the database took the note that it was made."""

    kind: str
    files: int
    bytes: int
    reason: str = ""
    is_noted: bool = True


def name_of(moment: datetime) -> str:
    """What a backup of that moment is called; names sort as their moments do."""
    sealed = sealing.SUFFIX if settings.BACKUP_RECIPIENTS else ""
    return f"bareme-{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}.zip{sealed}"


NOTHING_HELD = (
    "The database has no table of Barème's: there is nothing to back up. Look at BAREME_DATA_DIR "
    "and DATABASE_URL, which this command needs as the server has them."
)


@database.own_server()
def make(output: Path, *, portable: bool = False) -> Made:
    """Write everything to one file. The web server and the workers may go on.

    The database first, the files after it: rows are written after their file, so each row of the
    copy finds its own. Raises ``BackupError``, also while another is being made and where something
    else than a backup lies in its place, ``OSError``, and what the database raises.
    """
    _refuse_inside(output)
    _refuse_taken(output)
    reason = "" if portable else database.tools_lacking()
    kind = database.PORTABLE if portable else database.best_kind()
    database.refuse_pooled(kind)
    begun = timezone.now()
    with (
        _alone(settings.DATA_DIR),
        beside(settings.DATA_DIR) as folder,
        archive.written(output, folder) as writer,
    ):
        copy = folder / database.NAMES[kind]
        if not (applied := migrations_applied()):
            raise BackupError(NOTHING_HELD)
        tables = database.dump(kind, copy)
        writer.add(copy.name, copy)
        for name, path in archive.files_under(settings.DATA_DIR):
            writer.add(name, path)
        about = {"made_at": begun.isoformat(), "kind": kind, "migrations": applied}
        writer.finish({**about, "tables": tables})
    made = Made(kind, len(writer.files) - 1, output.stat().st_size, reason)
    why: dict[str, Any] = {"reason": reason} if reason else {}
    try:
        event_record(
            actor=None, verb="backup_made", kind=kind, files=made.files, bytes=made.bytes, **why
        )
    except DatabaseError as error:
        if not is_read_only(error):
            raise
        return dataclasses.replace(made, is_noted=False)
    return made


@dataclass(frozen=True)
class Restored:
    """What a restore put in place, and what it did about those who were erased since.
    ``protocols_absent``: names of those that studies follow and that are not installed here;
    ``protocols_edited``: why those of files are not judged by that say something else now."""

    made_at: str
    files: int
    signed_by: str
    erasures: erasures.Repeated
    protocols_absent: tuple[str, ...]
    protocols_edited: tuple[str, ...]


@database.own_server()
def restore(
    source: Path,
    *,
    replace: bool = False,
    identity: Path | None = None,
    unsigned_ok: bool = False,
) -> Restored:
    """Put a backup in place of what is here. Everybody logs in anew, and who was erased since is
    erased again.

    ``identity``: the file of the private key that opens an encrypted one. Raises ``BackupError``,
    before anything is touched, for a damaged, unproven or foreign file, and for a database that
    holds people unless it may be replaced.
    """
    with (
        beside(settings.DATA_DIR) as folder,
        archive.unsealed(source, identity, folder) as plain,
        archive.opened(plain, unsigned_ok=unsigned_ok) as (backup, manifest),
    ):
        _refuse(manifest, replace)
        known, is_sure = erasures.gather()
        if others := database.others_connected():
            raise BackupError(
                f"The database is in use by {', '.join(others)}. Stop the web server and the "
                "workers first. Where they are stopped, a pooler (such as PgBouncer) may be "
                "keeping connections open, under the name of who used them last: stop it, or "
                "PAUSE it until the restore is done."
            )
        _refuse_fixed()
        unpack(backup, manifest, folder)
        database.load(manifest["kind"], folder / database.NAMES[manifest["kind"]])
        try:
            _exchange(folder)
        except OSError as error:
            raise BackupError(
                f"The database is the backup's now, and its files are not ({error}). Mend that, "
                "and run it again with --replace before anybody works: who was erased since is "
                "back."
            ) from error
    # A session of then, or of whoever used this database before, must open nothing now.
    Session.objects.all().delete()
    event_record(
        actor=None, verb="backup_restored", kind=manifest["kind"], made_at=manifest["made_at"]
    )
    repeated = erasures.repeat(
        known, is_sure=is_sure, after=f"the backup of {manifest['made_at']} was restored"
    )
    followed = set(Study.objects.values_list("protocol_key", "protocol_version"))
    installed = {(protocol.key, protocol.version) for protocol in published()}
    return Restored(
        manifest["made_at"],
        len(manifest["files"]) - 1,
        manifest["signed_by"],
        repeated,
        tuple(" ".join(identity) for identity in sorted(followed - installed)),
        tuple(edited.reason for edited in files_edited() if edited.is_fixed),
    )


def _refuse(manifest: dict[str, Any], replace: bool) -> None:
    """Raises ``BackupError`` for what cannot, or must not, go into this database."""
    database.refuse_misfit(manifest["kind"], manifest["migrations"])
    if database.NAMES[manifest["kind"]] not in manifest["files"]:
        raise BackupError("The backup holds no database. Nothing was restored.")
    if not replace and not database.is_empty():
        raise BackupError(
            "The database is not empty. Add --replace to put the backup in its place."
        )


def _refuse_inside(output: Path) -> None:
    """A backup among the files that it holds would be in each later one."""
    for name in archive.FOLDERS:
        if (settings.DATA_DIR / name).resolve() in output.resolve().parents:
            raise BackupError(
                f"{output} lies in a folder that is backed up. Choose another place for it."
            )


def _refuse_taken(output: Path) -> None:
    """Nothing but a backup is lost to one; and what was meant for a folder that is not there would
    be one file, lost to the next night's."""
    if output.exists():
        if not archive.is_replaceable(output):
            raise BackupError(
                f"{output} exists already and is no backup: it stays as it is. Give another name, "
                "ending in .zip, or a folder."
            )
    elif not output.suffix:
        raise BackupError(
            f"There is no folder {output}. Make it first (mkdir -m 700 {output}), or give a file's "
            "name, ending in .zip."
        )


@contextmanager
def _alone(data_dir: Path) -> Iterator[None]:
    """One backup at a time: two would each need room for a copy of everything."""
    with (data_dir / "backup.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BackupError("Another backup is being made. Wait until it is done.") from error
        yield


def unpack(backup: zipfile.ZipFile, manifest: dict[str, Any], folder: Path) -> None:
    """Everything that it holds, under its names."""
    for name in manifest["files"]:
        archive.extract(backup, name, folder / name)


def _refuse_fixed() -> None:
    """Raise ``BackupError``, or ``PermissionError``, for a folder that could not be exchanged:
    before the database is, which would stand there without its files."""
    for path in (settings.DATA_DIR / name for name in archive.FOLDERS):
        if not path.exists():
            continue
        if path.is_mount():
            raise BackupError(
                f"{path} is a disk of its own, and cannot be exchanged. Let the whole data folder "
                "lie on one disk, or restore into another. Nothing was restored."
            )
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _exchange(folder: Path) -> None:
    """Each folder by two renames, the one before it thrown away once the new one stands."""
    for name in archive.FOLDERS:
        here, new, old = settings.DATA_DIR / name, folder / name, folder / f"{name}.before"
        if here.exists():
            here.rename(old)
        if new.exists():
            new.rename(here)


@contextmanager
def beside(data_dir: Path) -> Iterator[Path]:
    """A folder on the same disk that nobody else may enter: what is renamed from there is not
    copied.

    One that a killed command left behind holds everything as well: it goes with the next, a day
    later.
    """
    for left in data_dir.glob(".backup-*"):
        if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
            shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=data_dir) as name:
        yield Path(name)
