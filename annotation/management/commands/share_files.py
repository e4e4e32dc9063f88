"""``manage.py share_files``: what lies in the data folder goes into the bucket, once there is
one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotation import sharing
from annotation.services.privacy.erasure_list import lines_share

_FOLDERS = ("exports", "snapshots", "releases")


class Command(BaseCommand):
    help = (
        "Put uploads, exports, snapshots, releases and the list of erasures of the data folder "
        "into the storage of "
        "BAREME_STORAGE, after it was set. Again is harmless. Run it on each machine that has a "
        "data folder of its own."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not sharing.is_shared():
            raise CommandError("There is no bucket: set BAREME_STORAGE=s3 and its neighbours.")
        try:
            number = sum(self._share(path, name) for path, name in _files())
            erasures = lines_share()
        except OSError as error:
            raise CommandError(
                f"The storage did not take all of it ({error}). What it took is there; run it "
                "again."
            ) from error
        self.stdout.write(f"{number} files are in the storage now that were not before.")
        if erasures:
            self.stdout.write(f"So are {erasures} erasures of this machine's list.")

    def _share(self, path: Path, name: str) -> int:
        return int(sharing.file_copy(path, name))


def _files() -> list[tuple[Path, str]]:
    """Each finished file with its name in the bucket: of an upload, the one under MEDIA_ROOT."""
    files = [(path, _name(path, settings.MEDIA_ROOT)) for path in _in(Path(settings.MEDIA_ROOT))]
    for folder in _FOLDERS:
        files += [(path, _name(path, settings.DATA_DIR)) for path in _in(sharing.here(folder))]
    return files


def _in(folder: Path) -> list[Path]:
    """Files, without what is being written (``.part``, hidden)."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not sharing.is_unfinished(path.relative_to(folder))
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
