"""The backup file: a ZIP of the database and the folders that matter, with a manifest of SHA-256.

The manifest stands last in the file, since it is only then known, and its signature after it, where
there is one; a file without a manifest is no backup.
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

from annotation.backup import sealing, signing
from annotation.backup.errors import BackupError
from annotation.sharing import is_unfinished

FORMAT = 1
MANIFEST = "manifest.json"
SIGNATURE = "manifest.signature"
# Exports are made again on demand, caches by themselves, and Redis holds no more than messages
# about rows.
FOLDERS = ("files", "snapshots", "releases", "scorers", "training")
# What a damaged or foreign file makes the ZIP reader raise: an unknown method, a password, a broken
# stream.
_UNREADABLE = (OSError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)
_CHUNK = 1024 * 1024


def files_under(data_dir: Path) -> Iterator[tuple[str, Path]]:
    """Every file that belongs in a backup, by its name in it. Links are left out: they may lead
    anywhere; so is what is not written to its end."""
    for folder in FOLDERS:
        for parent, folders, names in os.walk(data_dir / folder, onerror=_unless_gone):
            folders.sort()
            for path in (Path(parent, name) for name in sorted(names)):
                name = path.relative_to(data_dir)
                if path.is_file() and not path.is_symlink() and not is_unfinished(name):
                    yield name.as_posix(), path


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
        content = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
        self.archive.writestr(MANIFEST, content)
        if signature := signing.signature_of(content):
            self.archive.writestr(SIGNATURE, signature)


@contextmanager
def written(output: Path, private: Path) -> Iterator[Writer]:
    """A backup that appears under its name whole or not at all, readable by its owner only.

    ``private``: a folder of this installation's. What is to be encrypted is put together there:
    where backups lie, nobody ever sees it plain.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    os.close(descriptor)
    draft = Path(name)
    plain = private / "plain.zip" if sealing.readers() else draft
    try:
        with zipfile.ZipFile(plain, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            yield Writer(archive)
        if plain != draft:
            sealing.seal(plain, draft)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(output)
    finally:
        draft.unlink(missing_ok=True)


def is_replaceable(path: Path) -> bool:
    """Whether a new backup may take the place of what lies here: an earlier one, or nothing at all.

    Told by its head and by the names in it; what is encrypted cannot be looked into.
    """
    if not path.is_file():
        return False
    try:
        return path.stat().st_size == 0 or sealing.is_sealed(path) or _is_plain_backup(path)
    except _UNREADABLE:
        return False


def _is_plain_backup(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    return MANIFEST in names and any(name.startswith("database.") for name in names)


@contextmanager
def unsealed(path: Path, identity: Path | None, private: Path) -> Iterator[Path]:
    """The backup in the plain: itself, or decrypted into this folder. Raises ``BackupError``."""
    try:
        is_sealed = sealing.is_sealed(path)
    except OSError as error:
        reason = "it is a folder" if path.is_dir() else error.strerror or str(error)
        raise BackupError(
            f"{path} cannot be read as a backup: {reason}. Name a file that `manage.py backup` "
            "wrote, and that the user of this command may read."
        ) from error
    if not is_sealed:
        yield path
        return
    plain = private / "plain.zip"
    sealing.unseal(path, identity, plain)
    try:
        yield plain
    finally:
        plain.unlink()


@contextmanager
def opened(
    path: Path, *, unsigned_ok: bool = False
) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """The archive and its manifest, once its signature and every digest have been found right;
    ``signed_by`` in it is by whom, "" for nobody. ``unsigned_ok``: by anybody, or not at all.

    Raises ``BackupError``.
    """
    try:
        archive = zipfile.ZipFile(path)
    except _UNREADABLE as error:
        raise BackupError(f"{path} cannot be read as a backup: {error}.") from error
    with archive:
        try:
            manifest = _manifest(archive, unsigned_ok)
            _check(archive, manifest)
        except _UNREADABLE as error:
            raise BackupError(f"{path} is damaged: {error}. Take another copy.") from error
        yield archive, manifest


def extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file, _CHUNK)


def _manifest(archive: zipfile.ZipFile, unsigned_ok: bool) -> dict[str, Any]:
    try:
        content = archive.read(MANIFEST)
        manifest = json.loads(content)
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
    signature = archive.read(SIGNATURE) if SIGNATURE in archive.namelist() else None
    signer = signing.signer_of(content, signature, unsigned_ok=unsigned_ok)
    return {**manifest, "signed_by": signer}


def _is_whole(manifest: dict[str, Any]) -> bool:
    texts = all(isinstance(manifest.get(name), str) for name in ("made_at", "kind"))
    migrations, files = manifest.get("migrations"), manifest.get("files")
    if not (texts and isinstance(migrations, list) and isinstance(files, dict)):
        return False
    digests = all(
        isinstance(facts, dict) and isinstance(facts.get("sha256"), str) for facts in files.values()
    )
    return digests and all(isinstance(name, str) for name in migrations)


def _check(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    inside = sorted(name for name in archive.namelist() if name not in (MANIFEST, SIGNATURE))
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
