"""Finished files that every machine must be able to hand out: exports, snapshots, releases, and
what a worker found for a page.

Each has a name. Without a bucket it lies under that name in the data folder, which all processes of
a machine share. With one (``BAREME_STORAGE=s3``) it lies there, and machines need no folder in
common; what was in the data folder before there was a bucket is still found.
"""

from __future__ import annotations

import hashlib
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, cast

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage, storages


def is_shared() -> bool:
    """Whether there is a bucket, so that machines need no folder in common."""
    return not isinstance(_bucket(), FileSystemStorage)


def bucket_refusal() -> str:
    """Why the bucket cannot be used now, in its service's words; "" where it can, or there is none.
    Cheap: may be asked every second."""
    refusal = getattr(_bucket(), "refusal", None)
    return refusal() if refusal is not None else ""


def file_keep(path: Path, name: str) -> None:
    """Give a finished file of this machine its name; it is no longer where it was. Raises
    ``OSError``, also where the bucket does not answer."""
    if not is_shared():
        target = here(name)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.replace(target)
        return
    with path.open("rb") as content:
        _put(name, File(content))
    path.unlink()


def bytes_keep(content: bytes, name: str) -> None:
    """The same of something small that is no file yet."""
    if is_shared():
        _put(name, ContentFile(content))
        return
    target = here(name)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = _part(target)
    try:
        part.write_bytes(content)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def file_size(name: str) -> int | None:
    """In bytes; None where there is no such file. Raises ``OSError``."""
    path = here(name)
    if path.is_file():
        return path.stat().st_size
    if not is_shared() or not _bucket().exists(name):
        return None
    return int(_bucket().size(name))


def file_open(name: str) -> IO[bytes]:
    """To be read, and closed by whoever asked. Raises ``FileNotFoundError``, ``OSError``."""
    path = here(name)
    if path.is_file() or not is_shared():
        return path.open("rb")
    return cast(IO[bytes], _bucket().open(name))


def file_drop(name: str) -> None:
    """Remove it wherever it is. Raises ``OSError``."""
    here(name).unlink(missing_ok=True)
    if is_shared():
        _bucket().delete(name)


def folder_drop(name: str) -> None:
    """Remove a folder of such files. What stays behind is litter, no reason to fail."""
    shutil.rmtree(here(name), ignore_errors=True)
    with suppress(OSError):
        for file in tree(name):
            _bucket().delete(file)


def tree(folder: str) -> list[str]:
    """Full names of all files in and below a folder of the bucket; [] without a bucket. Raises
    ``OSError``."""
    folders, files = _listed(folder)
    return [f"{folder}/{name}" for name in sorted(files)] + [
        file for inner in sorted(folders) for file in tree(f"{folder}/{inner}")
    ]


def folders_in(folder: str) -> list[str]:
    """The folders in a folder of the bucket; [] without a bucket."""
    return sorted(_listed(folder)[0])


def changed_at(name: str) -> datetime:
    """When the bucket took it. Raises ``OSError``."""
    return _bucket().get_modified_time(name)


def file_copy(path: Path, name: str) -> bool:
    """Put a file into the bucket under this name, unless one of its size is there; it stays where
    it is. Raises ``OSError``."""
    if _bucket().exists(name) and _bucket().size(name) == path.stat().st_size:
        return False
    with path.open("rb") as content:
        _put(name, File(content))
    return True


def folder_share(name: str) -> None:
    """Copy a folder of the data folder into the bucket, if there is one; it stays here as well.
    Raises ``OSError``."""
    if not is_shared():
        return
    for path in sorted(here(name).iterdir()):
        with path.open("rb") as content:
            _put(f"{name}/{path.name}", File(content))


def folder_here(name: str, digests: dict[str, str]) -> Path:
    """A folder of the data folder, its files fetched first where another machine made them.

    ``digests``: SHA-256 by file name, "" where none is known. What is missing everywhere, or is
    not as its digest says, is not there afterwards. Raises ``OSError`` where the bucket does not
    answer.
    """
    folder = here(name)
    if not is_shared():
        return folder
    for file, digest in digests.items():
        if not (folder / file).is_file():
            _fetch(f"{name}/{file}", folder / file, digest)
    return folder


def is_unfinished(path: Path) -> bool:
    """Whether this is, or lies in, what somebody is writing or was killed over: it gets its own
    name once it is whole. ``path``: below the folder that is looked through."""
    return any(part.endswith(".part") for part in path.parts)


def address(name: str) -> str:
    """Where a file or folder of that name lies, as an operator writes it: in the bucket, or on this
    machine."""
    in_bucket = getattr(_bucket(), "address", None)
    return in_bucket(name) if in_bucket is not None else str(here(name))


def here(name: str) -> Path:
    """Where a file of that name lies on this machine, or would."""
    root: Path = settings.DATA_DIR
    return root / name


def _put(name: str, content: File[bytes]) -> None:
    """Under exactly this name: storages give another where one is taken."""
    bucket = _bucket()
    if bucket.exists(name):
        bucket.delete(name)
    stored = bucket.save(name, content)
    if stored != name:
        bucket.delete(stored)
        raise FileExistsError(f"{name} was put into the storage by somebody else meanwhile")


def _fetch(name: str, target: Path, digest: str) -> None:
    try:
        source = _bucket().open(name)
    except FileNotFoundError:
        return
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = _part(target)
    seen = hashlib.sha256()
    try:
        with source, part.open("xb") as out:
            for chunk in source.chunks():
                seen.update(chunk)
                out.write(chunk)
        if digest in ("", seen.hexdigest()):
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def fetched(name: str) -> Iterator[Path]:
    """A copy of a file of the bucket, as long as it is needed. Raises ``FileNotFoundError``,
    ``OSError``."""
    target = here(name)
    copy = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.copy")
    try:
        _fetch(name, copy, "")
        if not copy.exists():
            raise FileNotFoundError(name)
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _part(target: Path) -> Path:
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.part")


def _listed(folder: str) -> tuple[list[str], list[str]]:
    if not is_shared():
        return [], []
    try:
        return _bucket().listdir(folder)
    except FileNotFoundError:
        return [], []


def _bucket() -> Storage:
    """Looked up each time: a test, or a command, may have set another one."""
    return storages["default"]
