"""The bundle of a snapshot, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.db.models import QuerySet

from annotation import sharing
from annotation.access import answers_readable
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import DatasetSnapshot, User
from annotation.release.bundle import SUMS, write_bundle, write_zip
from annotation.release.tables import sha256_of
from annotation.services.platform.events import event_record
from annotation.services.publishing.snapshots import (
    snapshot_damage,
    snapshot_folder,
    snapshot_withdrawals,
)

# Of the data folder, or of the bucket: where zips are kept for download.
_FOLDER = "releases"


@dataclass(frozen=True)
class Release:
    """A bundle as it was written. ``path``: where, or where it would be on a machine without a
    bucket. ``sha256``: of the zip, or of its SHA256SUMS, which covers every file; ``size``: in
    bytes, of a zip."""

    path: Path
    files: int
    sha256: str
    size: int = 0


def release_write(
    *, actor: User | None, snapshot: DatasetSnapshot, folder: Path, despite_withdrawal: bool = False
) -> Release:
    """Write the bundle as ``folder``, which is new or empty.

    ``despite_withdrawal``: for making a bundle again that was published before somebody withdrew.
    Raises ``AnswersHidden`` in a study that was opened again as a blind one; ``RuleError`` for a
    folder with something in it, a snapshot whose files are not as they were frozen, and one that
    holds judgments of somebody who has withdrawn since; ``OSError`` where it cannot be written.
    Nothing is left behind then.
    """
    answers_readable(snapshot.study)
    _check(snapshot, despite_withdrawal=despite_withdrawal)
    folder = folder.resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RuleError.single(
            "output",
            "not_empty",
            f"« {folder} » n'est pas un dossier vide : nommez-en un nouveau.",
            f"“{folder}” is no empty folder: name a new one.",
        )
    part = _part(folder)
    try:
        sums = write_bundle(snapshot_folder(snapshot), part)
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    written = Release(folder, len(sums) + 1, sha256_of(folder / SUMS))
    _record(actor, snapshot, written)
    return written


def release_zip(
    *,
    actor: User | None,
    snapshot: DatasetSnapshot,
    path: Path | None = None,
    despite_withdrawal: bool = False,
) -> Release:
    """Write the bundle as a zip: at ``path``, or where the application keeps it.

    A release never changes: one that is kept already is that one. Raises as ``release_write`` does.
    """
    _check(snapshot, despite_withdrawal=despite_withdrawal)
    if path is None:
        with suppress(FileNotFoundError), release_open(snapshot) as there:
            return _facts_of(sharing.here(_kept(snapshot)), there)
        target = sharing.here(_kept(snapshot))
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        written = _zip(
            snapshot, target, lambda archive: sharing.file_keep(archive, _kept(snapshot))
        )
    else:
        # What the application keeps is asked about when somebody fetches it.
        answers_readable(snapshot.study)
        target = path.resolve()
        written = _zip(snapshot, target, lambda archive: archive.replace(target))
    _record(actor, snapshot, written)
    return written


def _zip(snapshot: DatasetSnapshot, target: Path, name: Callable[[Path], object]) -> Release:
    """Write the zip beside ``target``; ``name`` puts it where it belongs once it is whole."""
    part = _part(target)
    try:
        sums = write_bundle(snapshot_folder(snapshot), part)
        # Called as what is unfinished, so that nothing takes it for a bundle if this is killed.
        archive = part.with_suffix(".zip.part")
        try:
            write_zip(part, archive, snapshot.name, snapshot.created_at.strftime("%Y-%m-%d"))
            with archive.open("rb") as file:
                os.fsync(file.fileno())
            written = Release(target, len(sums) + 1, sha256_of(archive), archive.stat().st_size)
            name(archive)
        finally:
            archive.unlink(missing_ok=True)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return written


def snapshot_named(
    name: str, among: QuerySet[DatasetSnapshot] | None = None
) -> DatasetSnapshot | None:
    """The snapshot called KEY-N, or with this id; None where there is none."""
    snapshots = (DatasetSnapshot.objects.all() if among is None else among).select_related("study")
    key, _, number = name.rpartition("-")
    if key:
        return snapshots.filter(study__key=key, number=whole(number) or 0).first()
    return snapshots.filter(pk=whole(name) or 0).first()


def _check(snapshot: DatasetSnapshot, *, despite_withdrawal: bool) -> None:
    withdrawn = snapshot_withdrawals(snapshot)
    if withdrawn and not despite_withdrawal:
        names = ", ".join(withdrawn)
        raise RuleError.single(
            "snapshot",
            "withdrawn",
            (
                f"Cet instantané contient des jugements de qui s'est retiré depuis ({names}) : "
                "figez l'étude de nouveau."
            ),
            (
                f"This snapshot holds judgments of somebody who has withdrawn since ({names}): "
                "freeze the study again."
            ),
        )
    if damaged := snapshot_damage(snapshot):
        names = ", ".join(damaged)
        raise RuleError.single(
            "snapshot",
            "damaged",
            f"Des fichiers de l'instantané manquent ou ont changé : {names}. Rétablissez-les "
            "d'une sauvegarde, ou figez l'étude de nouveau.",
            f"Files of the snapshot are missing or have changed: {names}. Restore them from a "
            "backup, or freeze the study again.",
        )


def _facts_of(path: Path, archive: IO[bytes]) -> Release:
    """Of a zip that is kept already."""
    digest = hashlib.file_digest(archive, "sha256").hexdigest()  # type: ignore[arg-type]
    size = archive.tell()
    with zipfile.ZipFile(archive) as opened:
        return Release(path, len(opened.namelist()), digest, size)


def _part(target: Path) -> Path:
    """A new folder beside ``target``, on the same disk."""
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.part")
    part.mkdir(parents=True)
    return part


def _record(actor: User | None, snapshot: DatasetSnapshot, written: Release) -> None:
    event_record(
        actor=actor,
        study=snapshot.study,
        verb="release_written",
        target=snapshot,
        snapshot=snapshot.name,
        files=written.files,
        sha256=written.sha256,
    )


def release_size(snapshot: DatasetSnapshot) -> int | None:
    """How large the zip is that is kept of a snapshot's bundle, in bytes; None while there is
    none. Raises ``OSError``."""
    return sharing.file_size(_kept(snapshot))


def release_open(snapshot: DatasetSnapshot) -> IO[bytes]:
    """The zip that is kept, to be read and closed. Raises ``FileNotFoundError``, ``OSError``."""
    return sharing.file_open(_kept(snapshot))


def release_name(snapshot: DatasetSnapshot) -> str:
    """What that zip is called."""
    return f"{snapshot.name}-{snapshot.content_digest[:12]}.zip"


def releases_folder() -> Path:
    """Where zips lie that are kept on this machine, and where they are written."""
    return sharing.here(_FOLDER)


def _kept(snapshot: DatasetSnapshot) -> str:
    return f"{_FOLDER}/{release_name(snapshot)}"
