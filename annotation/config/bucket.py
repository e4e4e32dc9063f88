"""A bucket whose failures are what the failures of a disk are: ``OSError``, with a sentence.

The libraries of buckets have errors of their own. Whoever reads or writes a file would have to know
them beside those of a disk; here they are turned into ``StorageAway`` once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage

from annotation.errors import StorageAway


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise StorageAway(type(error).__name__) from error


class Bucket(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """django-storages' S3, in the house's words."""

    client_config: Config

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # A page waits for it: botocore's own patience is minutes.
        patience = Config(connect_timeout=3, read_timeout=20, retries={"total_max_attempts": 2})
        self.client_config = self.client_config.merge(patience)

    def _open(self, name: str, mode: str = "rb") -> Any:
        with _explained():
            opened = super()._open(name, mode)
            if "r" in mode:
                # Fetched now, not at the first read: what fails does so where it is explained.
                opened.file  # noqa: B018
            return opened

    def _save(self, name: str, content: Any) -> str:
        with _explained():
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        with _explained():
            super().delete(name)

    def exists(self, name: str) -> bool:
        with _explained():
            return bool(super().exists(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with _explained():
            folders, files = super().listdir(name)
            return list(folders), list(files)

    def size(self, name: str) -> int:
        with _explained():
            return int(super().size(name))

    def get_modified_time(self, name: str) -> datetime:
        with _explained():
            moment: datetime = super().get_modified_time(name)
            return moment
