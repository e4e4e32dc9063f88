"""The backup file: a ZIP of the database and the folders that matter, with a manifest of SHA-256.

The manifest stands last in the file, since it is only then known; a file without one is no backup.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

FORMAT = 1
MANIFEST = "manifest.json"
# Exports are made again on demand, caches by themselves, and Redis holds no more than messages
# about rows.
FOLDERS = ("files", "snapshots", "releases", "scorers", "training")
# What a damaged or foreign file makes the ZIP reader raise: an unknown method, a password, a broken
# stream.
_UNREADABLE = (OSError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)
_CHUNK = 1024 * 1024


class BackupError(Exception):
    """The file is no backup, not whole, or does not fit; the message says which and what to do."""


def files_under(data_dir: Path) -> Iterator[tuple[str, Path]]:
    """Every file that belongs in a backup, by its name in it. Links are left out: they may lead
    anywhere."""
    for folder in FOLDERS:
        for parent, folders, names in os.walk(data_dir / folder, onerror=_unless_gone):
            folders.sort()
            for path in (Path(parent, name) for name in sorted(names)):
                if path.is_file() and not path.is_symlink():
                    yield path.relative_to(data_dir).as_posix(), path


def _unless_gone(error: OSError) -> None:
    """A folder may be removed while others go on; one that cannot be read would be missing without
    a word."""
    if not isinstance(error, FileNotFoundError):
        raise error


class Writer:
    """Adds files to a backup and remembers their digests."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.files: dict[str, dict[str, Any]] = {}

    def add(self, name: str, path: Path) -> None:
        """The file's bytes as they are now. One that has gone in the meantime is left out."""
        try:
            source = path.open("rb")
        except FileNotFoundError:
            return
        digest, size = hashlib.sha256(), 0
        with source, self.archive.open(name, "w", force_zip64=True) as target:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
                target.write(chunk)
        self.files[name] = {"sha256": digest.hexdigest(), "bytes": size}

    def finish(self, about: dict[str, Any]) -> None:
        manifest = {"format": FORMAT, **about, "files": self.files}
        self.archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))


@contextmanager
def written(output: Path) -> Iterator[Writer]:
    """A backup that appears under its name whole or not at all, readable by its owner only."""
    output.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
                yield Writer(archive)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(output)
    finally:
        Path(draft).unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """The archive and its manifest, once every digest has been found right. Raises
    ``BackupError``."""
    try:
        archive = zipfile.ZipFile(path)
    except _UNREADABLE as error:
        raise BackupError(f"{path} cannot be read as a backup: {error}.") from error
    with archive:
        try:
            manifest = _manifest(archive)
            _check(archive, manifest)
        except _UNREADABLE as error:
            raise BackupError(f"{path} is damaged: {error}. Take another copy.") from error
        yield archive, manifest


def extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file, _CHUNK)


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        manifest = json.loads(archive.read(MANIFEST))
    except (KeyError, ValueError) as error:
        raise BackupError(
            "The file holds no manifest: it is no backup, or it was cut short."
        ) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BackupError(
            "The backup is of a format that this version does not know. Use the version that "
            "made it."
        )
    if not _is_whole(manifest):
        raise BackupError(
            "The backup's manifest is not one that Barème writes. Nothing was restored."
        )
    return manifest


def _is_whole(manifest: dict[str, Any]) -> bool:
    texts = all(isinstance(manifest.get(name), str) for name in ("made_at", "kind"))
    migrations, files = manifest.get("migrations"), manifest.get("files")
    if not (texts and isinstance(migrations, list) and isinstance(files, dict)):
        return False
    digests = all(
        isinstance(one, dict) and isinstance(one.get("sha256"), str) for one in files.values()
    )
    return digests and all(isinstance(name, str) for name in migrations)


def _check(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    inside = sorted(name for name in archive.namelist() if name != MANIFEST)
    if inside != sorted(manifest["files"]):
        raise BackupError(
            "The backup does not hold the files that its manifest lists. Take another copy."
        )
    # All names before the first byte is unpacked.
    for name in inside:
        _check_name(name)
    for name, expected in manifest["files"].items():
        with archive.open(name) as file:
            if _digest(file) != expected["sha256"]:
                raise BackupError(
                    f"{name} in the backup is damaged: its SHA-256 is another one. Take "
                    "another copy."
                )


def _check_name(name: str) -> None:
    """Nothing may land outside the folders of a backup, whoever made the file."""
    parts = PurePosixPath(name).parts
    known = (
        (parts[0] in FOLDERS and len(parts) > 1) if len(parts) > 1 else name.startswith("database.")
    )
    if not known or ".." in parts or name.startswith("/") or "\\" in name:
        raise BackupError(
            f"The backup holds {name!r}, which belongs in none. Nothing was restored."
        )


def _digest(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()
