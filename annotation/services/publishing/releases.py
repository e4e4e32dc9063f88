"""The bundle of a snapshot, written whole or not at all."""

from __future__ import annotations

import os
import shutil
import uuid
import zipfile
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet

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


@dataclass(frozen=True)
class Release:
    """A bundle as it was written. ``sha256``: of the zip, or of its SHA256SUMS, which covers every
    file."""

    path: Path
    files: int
    sha256: str


def release_write(
    *, actor: User | None, snapshot: DatasetSnapshot, folder: Path, despite_withdrawal: bool = False
) -> Release:
    """Write the bundle as ``folder``, which is new or empty.

    ``despite_withdrawal``: for making a bundle again that was published before somebody withdrew.
    Raises ``RuleError`` for a folder with something in it, a snapshot whose files are not as they
    were frozen, and one that holds judgments of somebody who has withdrawn since; ``OSError`` where
    it cannot be written. Nothing is left behind then.
    """
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
    kept = path is None
    target = _kept(snapshot) if path is None else path.resolve()
    if kept and target.exists():
        return Release(target, _files_in(target), sha256_of(target))
    if kept:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = _part(target)
    try:
        sums = write_bundle(snapshot_folder(snapshot), part)
        archive = part.with_suffix(".zip")
        try:
            write_zip(part, archive, snapshot.name, snapshot.created_at.strftime("%Y-%m-%d"))
            with archive.open("rb") as file:
                os.fsync(file.fileno())
            archive.replace(target)
        finally:
            archive.unlink(missing_ok=True)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    written = Release(target, len(sums) + 1, sha256_of(target))
    _record(actor, snapshot, written)
    return written


def releases_folder() -> Path:
    """Where zips are kept for download."""
    root: Path = settings.DATA_DIR / "releases"
    return root


def snapshot_named(
    name: str, among: QuerySet[DatasetSnapshot] | None = None
) -> DatasetSnapshot | None:
    """The snapshot called KEY-N, or with this id; None where there is none."""
    found = (DatasetSnapshot.objects.all() if among is None else among).select_related("study")
    key, _, number = name.rpartition("-")
    if key and number.isdecimal():
        return found.filter(study__key=key, number=int(number)).first()
    return found.filter(pk=int(name)).first() if name.isdecimal() else None


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


def _files_in(archive: Path) -> int:
    with zipfile.ZipFile(archive) as found:
        return len(found.namelist())


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


def release_file(snapshot: DatasetSnapshot) -> Path | None:
    """The zip that is kept of a snapshot's bundle; None while there is none."""
    path = _kept(snapshot)
    return path if path.is_file() else None


def _kept(snapshot: DatasetSnapshot) -> Path:
    return releases_folder() / f"{snapshot.name}-{snapshot.content_digest[:12]}.zip"
