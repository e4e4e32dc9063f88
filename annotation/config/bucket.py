"""A bucket whose failures are what the failures of a disk are: ``OSError``, with a sentence.

The libraries of buckets have errors of their own. Whoever reads or writes a file would have to know
them beside those of a disk; here they are turned into ``StorageAway`` once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from s3transfer import exceptions as transfer
from storages.backends.s3 import S3Storage

from annotation.errors import StorageAway

# Those of a transfer have no root of their own.
_FAILURES = (
    BotoCoreError,
    ClientError,
    Boto3Error,
    transfer.RetriesExceededError,
    transfer.S3DownloadFailedError,
    transfer.S3UploadFailedError,
    transfer.CancelledError,
)


_LONGEST_REASON = 300


def _reason(error: Exception) -> str:
    """What the service says, or why it was not reached."""
    cause = getattr(error, "last_exception", error)
    words = " ".join(str(cause).split())
    return f"{type(cause).__name__}: {words}"[:_LONGEST_REASON]


class Bucket(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """django-storages' S3, in the house's words."""

    client_config: Config
    bucket_name: str

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # A page waits for it: botocore's own patience is minutes.
        patience = Config(connect_timeout=3, read_timeout=20, retries={"total_max_attempts": 2})
        self.client_config = self.client_config.merge(patience)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except _FAILURES as error:
            raise StorageAway(
                f"the bucket {self.bucket_name} does not answer as it should ({_reason(error)})"
            ) from error

    def _open(self, name: str, mode: str = "rb") -> Any:
        with self._explained():
            opened = super()._open(name, mode)
            if "r" in mode:
                # Fetched now, not at the first read: what fails does so where it is explained.
                try:
                    opened.file  # noqa: B018
                except BaseException:
                    opened.close()
                    raise
            return opened

    def _save(self, name: str, content: Any) -> str:
        with self._explained():
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        with self._explained():
            super().delete(name)

    def exists(self, name: str) -> bool:
        with self._explained():
            return bool(super().exists(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with self._explained():
            folders, files = super().listdir(name)
            return list(folders), list(files)

    def size(self, name: str) -> int:
        with self._explained():
            return int(super().size(name))

    def get_modified_time(self, name: str) -> datetime:
        with self._explained():
            moment: datetime = super().get_modified_time(name)
            return moment
