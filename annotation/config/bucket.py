"""A bucket whose failures are what the failures of a disk are: ``OSError``, with a sentence.

The libraries of buckets have errors of their own. Whoever reads or writes a file would have to know
them beside those of a disk; here they are turned into ``StorageAway`` once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from time import monotonic
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
# What a service says of a bucket that is not there. Asked for a file in it, it says no more than
# 404, as it does of a file that is not there.
_NO_BUCKET = "NoSuchBucket"
# So long an answer about the bucket itself counts: what asks every second costs nothing.
_ANSWER_SECONDS = 10.0
_asking = threading.Lock()


def _reason(error: Exception) -> str:
    """What the service says, or why it was not reached."""
    cause = getattr(error, "last_exception", error)
    words = " ".join(str(cause).split())
    return f"{type(cause).__name__}: {words}"[:_LONGEST_REASON]


class Bucket(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """django-storages' S3, in the house's words."""

    client_config: Config
    bucket_name: str
    _asked_at: float | None = None
    _refusal = ""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # A page waits for it: botocore's own patience is minutes.
        patience = Config(connect_timeout=3, read_timeout=20, retries={"total_max_attempts": 2})
        self.client_config = self.client_config.merge(patience)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            self._require_bucket()
            raise
        except _FAILURES as error:
            raise self._away(_reason(error)) from error

    def address(self, name: str) -> str:
        """Where a file of that name lies, as an operator writes it."""
        return f"s3://{self.bucket_name}/{self._normalize_name(name)}"

    def refusal(self) -> str:
        """Why nothing can be had from the bucket now, in its service's words; "" where it can.

        Asked at most every ten seconds and with little patience. While one thread waits for an
        answer, others go on with the one before.
        """
        if self._refusal_counts():
            return self._refusal
        if not _asking.acquire(blocking=self._asked_at is None):
            return self._refusal
        try:
            if not self._refusal_counts():
                self._refusal = self._ask()
                self._asked_at = monotonic()
        finally:
            _asking.release()
        return self._refusal

    def _refusal_counts(self) -> bool:
        return self._asked_at is not None and monotonic() < self._asked_at + _ANSWER_SECONDS

    def _ask(self) -> str:
        try:
            # What Barème does with it anyway: a right of its own is needed for nothing else.
            self._hasty.list_objects(Bucket=self.bucket_name, Prefix=self.location, MaxKeys=1)
        except _FAILURES as error:
            return _reason(error)
        return ""

    @cached_property
    def _hasty(self) -> Any:
        """A client that waits for three seconds at most: somebody waits for who asks."""
        haste = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 1})
        return self._create_session().client(
            "s3",
            region_name=self.region_name,
            use_ssl=self.use_ssl,
            endpoint_url=self.endpoint_url,
            config=self.client_config.merge(haste),
            verify=self.verify,
        )

    def _require_bucket(self) -> None:
        """Raise ``StorageAway`` where what was not there is the bucket."""
        reason = self.refusal()
        if _NO_BUCKET in reason:
            raise self._away(reason)

    def _away(self, reason: str) -> StorageAway:
        return StorageAway(f"the bucket {self.bucket_name} does not answer as it should ({reason})")

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
        # Of a file that was not there, nothing is said.
        self._require_bucket()

    def exists(self, name: str) -> bool:
        with self._explained():
            exists = bool(super().exists(name))
        if not exists:
            self._require_bucket()
        return exists

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
