"""Static files without what gathering them leaves beside them: the list of their names, and the
stamp of `serve`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from django.contrib.staticfiles.storage import ManifestFilesMixin
from whitenoise.middleware import WhiteNoiseMiddleware


def is_record(path: str) -> bool:
    """Whether a file is a record of ours among the static ones: it tells which version of what
    stands there."""
    name = PurePath(path).name
    return name.startswith(".") or name == ManifestFilesMixin.manifest_name


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # whitenoise has no types
    """WhiteNoise serves whatever lies in its folder."""

    def add_file_to_dictionary(self, url: str, path: str, **known: Any) -> None:
        if not is_record(path):
            super().add_file_to_dictionary(url, path, **known)

    def candidate_paths_for_url(self, url: str) -> Iterator[str]:
        # Looked for at each request in development only.
        return (path for path in super().candidate_paths_for_url(url) if not is_record(path))
