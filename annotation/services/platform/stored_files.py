"""Files in the configured storage (a local folder, or S3 by django-storages), each known by its
SHA-256.

Read back they are compared with it: what was damaged, or only half arrived, is not used.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from annotation.errors import StorageAway
from annotation.room import is_disk_full
from annotation.scoring.errors import ScoringError


class StoredFile(TypedDict):
    """As a database row keeps it."""

    path: str
    sha256: str
    bytes: int


def file_store(path: str, content: bytes) -> StoredFile:
    """Write a file. The storage may give it another name than ``path``: use the one that is
    returned.

    Raises ``ScoringError`` ("disk_full", "storage_unreachable")."""
    with _storage_errors_explained():
        stored = _storage().save(path, ContentFile(content))
    return {"path": stored, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def folder_store(path: str, folder: Path) -> dict[str, StoredFile]:
    """Every file of a flat folder, by its name."""
    return {
        file.name: file_store(f"{path}/{file.name}", file.read_bytes())
        for file in sorted(folder.iterdir())
        if file.is_file()
    }


def file_read(path: str, sha256: str) -> bytes:
    """A file's bytes. Raises ``ScoringError``: "artefact_missing", "artefact_corrupted",
    "storage_unreachable"."""
    try:
        with _storage_errors_explained(), _storage().open(path) as stored:
            content = bytes(stored.read())
    except FileNotFoundError as error:
        raise ScoringError(
            "artefact_missing",
            f"Le fichier {Path(path).name} manque dans le stockage.",
            f"The file {Path(path).name} is missing from the storage.",
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ScoringError(
            "artefact_corrupted",
            (
                f"Le fichier {Path(path).name} est abîmé (son empreinte SHA-256 a changé) : il "
                "n'est pas utilisé."
            ),
            f"The file {Path(path).name} is damaged (its SHA-256 has changed): it is not used.",
        )
    return content


def folder_fetch(files: Mapping[str, Any], name: str) -> Path:
    """A local folder with these files, fetched once and moved into place whole. ``name`` must tell
    it from others.

    Raises ``ScoringError`` for a missing or damaged file, ``OSError`` when the disk is full.
    """
    folder = _folder(name)
    if not folder.is_dir():
        _fetch(files, folder)
    return folder


def folder_mend(files: Mapping[str, Any], name: str) -> bool:
    """Fetch such a folder anew where a file of it was damaged, or removed, on this machine. False
    where each is as the storage's.

    Raises what ``folder_fetch`` raises.
    """
    folder = _folder(name)
    if all(_is_as_stored(folder / file, facts["sha256"]) for file, facts in files.items()):
        return False
    _fetch(files, folder)
    return True


def _folder(name: str) -> Path:
    root: Path = settings.DATA_DIR / "scorers"
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root / name


def _is_as_stored(path: Path, sha256: str) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except FileNotFoundError:
        return False


def _fetch(files: Mapping[str, Any], folder: Path) -> None:
    """Into its place once it is whole, and instead of what lies there."""
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    former = aside.with_name(f"{aside.name}-former")
    try:
        for file, facts in files.items():
            (aside / file).write_bytes(file_read(facts["path"], facts["sha256"]))
        if folder.is_dir():
            folder.rename(former)
        try:
            aside.replace(folder)
        except OSError:
            # Another process was quicker: its folder holds the same bytes.
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def files_delete(files: Mapping[str, Any]) -> None:
    """Remove files that nothing refers to. Raises ``ScoringError`` ("storage_unreachable")."""
    with _storage_errors_explained():
        for facts in files.values():
            _storage().delete(facts["path"])


def _storage() -> Storage:
    """Looked up each time: a test, or a command, may have set another one."""
    return storages["artefacts"]


@contextmanager
def _storage_errors_explained() -> Iterator[None]:
    """What a storage raises, as what an admin can do about it. The libraries of buckets have errors
    of their own, which are no ``OSError``; their words come after ours."""
    try:
        yield
    except FileNotFoundError:
        raise
    except Exception as error:
        if is_disk_full(error):
            raise ScoringError(
                "disk_full",
                "Le stockage est plein : faites de la place, puis recommencez.",
                "The storage is full: make room, then try again.",
            ) from error
        reason = str(error) if isinstance(error, StorageAway) else type(error).__name__
        raise ScoringError(
            "storage_unreachable",
            "Le stockage ne répond pas comme il faut : vérifiez BAREME_STORAGE et le réseau, "
            "puis recommencez. "
            f"({reason})",
            "The storage does not answer as it should: check BAREME_STORAGE and the network, "
            "then try again. "
            f"({reason})",
        ) from error
